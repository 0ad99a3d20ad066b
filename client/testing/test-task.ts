import { canonicalJson, type Json } from '../../domain/json';
import type { Instant } from '../../domain/instant';
import type { ParticipantReference } from '../../domain/user-tasks/participant';
import type { TaskStatus } from '../../domain/user-tasks/task';
import type { TaskDefinition } from '../task-definition';
import type { RememberedTask } from './task-memory';

/** A user task as a test sees it: all that its owner gave, and how it stands. */
export interface TestTask {
  readonly taskId: string;
  /** Id of the workflow that is the task. */
  readonly workflowId: string;
  readonly ownerWorkflowId: string;
  readonly status: TaskStatus;
  readonly title: string;
  readonly summary: string | null;
  readonly reference: string | null;
  readonly taskType: string | null;
  readonly tags: readonly string[];
  readonly instructions: string | null;
  readonly taskData: Json;
  /** Keys of the actions, in their order. */
  readonly actions: readonly string[];
  readonly priority: number;
  readonly dueAt: Instant | null;
  readonly assignee: ParticipantReference | null;
  readonly candidateUsers: readonly ParticipantReference[];
  readonly candidateGroups: readonly ParticipantReference[];
  readonly excludedUsers: readonly ParticipantReference[];
}

/** Which task is meant; every member that is given must fit. */
export interface TaskMatch {
  readonly title?: string | RegExp;
  readonly taskType?: string;
  readonly reference?: string;
  /** What `defineTask` returned. */
  readonly definition?: TaskDefinition;
  /** The handle of the workflow that raised it, or anything else with its id. */
  readonly owner?: { readonly workflowId: string };
}

export function testTaskOf({ event, workflowId, projection }: RememberedTask): TestTask {
  const { inputs } = event;
  return {
    taskId: event.taskId,
    workflowId,
    ownerWorkflowId: event.owner.workflowId,
    status: projection.status,
    title: inputs.title,
    summary: inputs.summary,
    reference: inputs.reference,
    taskType: inputs.taskType,
    tags: inputs.tags,
    instructions: inputs.instructions,
    taskData: inputs.taskData,
    actions: inputs.actions.map(({ key }) => key),
    priority: projection.priority,
    dueAt: projection.dueAt,
    assignee: projection.assignee,
    candidateUsers: inputs.candidateUsers,
    candidateGroups: inputs.candidateGroups,
    excludedUsers: inputs.excludedUsers,
  };
}

export function matches(
  task: RememberedTask,
  { title, taskType, reference, definition, owner }: TaskMatch,
): boolean {
  const { inputs } = task.event;
  if (
    title !== undefined &&
    !(typeof title === 'string' ? inputs.title === title : title.test(inputs.title))
  )
    return false;
  if (taskType !== undefined && inputs.taskType !== taskType) return false;
  if (reference !== undefined && inputs.reference !== reference) return false;
  if (owner !== undefined && task.event.owner.workflowId !== owner.workflowId) return false;
  if (definition === undefined) return true;
  // A definition without actions of its own has the default one.
  const actions =
    definition.actions.length === 0 ||
    canonicalJson(inputs.actions) === canonicalJson(definition.actions);
  return actions && inputs.taskType === (definition.defaults.taskType ?? inputs.taskType);
}
