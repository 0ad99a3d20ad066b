export { userTask } from './user-task';
