/**
 * For authors of workflows: `defineTask` describes a kind of user task, `userTask` raises one and awaits its typed
 * answer. Everything here runs in Temporal's workflow sandbox. The process that runs these workflows also needs the
 * data converter of `client/index.ts`.
 */
export type { Answer, CancelledAnswer, TimeoutAnswer } from './answer';
export { group, user, type Participant } from './participants';
export { userTaskRefusal } from './refusal';
export { configureUserTasks, type UserTaskSettings } from './settings';
export {
  defineTask,
  type Action,
  type Actions,
  type TaskDefaults,
  type TaskDefinition,
} from './task-definition';
export { userTask, type UserTaskOptions, type UserTaskPromise } from './user-task';
export type { UserTaskInput } from './user-task-input';
