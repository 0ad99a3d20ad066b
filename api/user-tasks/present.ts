import { isRecord } from '../../domain/json';
import type { PinnedForm } from '../../domain/user-tasks/form';
import { allowedActions, mayReadEvents, mayReadProtected } from '../../domain/user-tasks/access';
import type { ActionDefinition } from '../../domain/user-tasks/action';
import type { Person } from '../../domain/user-tasks/actor';
import { fieldsOf, memberOf, withoutMasked, type ProtectedContent } from './protected-content';
import { factsOf, type TaskView } from './task-view';
import {
  participantOnWire,
  type EventPageWire,
  type TaskDetailWire,
  type TaskSummaryWire,
} from './wire';

/** Issues as a manager sees them. */
export type HealthIssueWire = NonNullable<TaskDetailWire['healthIssues']>[number];

/** What a detail holds beside the summary; each part null where the caller may not read it. */
export interface DetailParts {
  readonly content: ProtectedContent | null;
  readonly events: EventPageWire;
  readonly healthIssues: HealthIssueWire[] | null;
}

/** The timeline of those who may see the task and not its history. @see UT-160 */
export const NO_EVENTS: EventPageWire = { items: [], nextCursor: null };

/** The task as its caller may see it in a list. @see UT-217, UT-222 */
export function presentSummary(view: TaskView, person: Person, now: Date): TaskSummaryWire {
  const facts = factsOf(view);
  return {
    id: view.id,
    title: view.title,
    summary: view.summary,
    reference: view.reference,
    tags: [...view.tags],
    taskType: view.taskType,
    status: view.status,
    priority: view.priority,
    requester: view.requester === null ? null : participantOnWire(view.requester),
    assignee: view.assignee === null ? null : participantOnWire(view.assignee),
    candidateSummary: candidateSummary(view.candidateUserCount, view.candidateGroupCount),
    dueAt: view.dueAt?.toISOString() ?? null,
    isOverdue: isOverdue(view, now),
    createdAt: view.createdAt.toISOString(),
    updatedAt: view.updatedAt.toISOString(),
    assignedAt: view.assignedAt?.toISOString() ?? null,
    completedAt: view.completedAt?.toISOString() ?? null,
    workflowDefinitionId: view.ownerDefinitionId,
    workflowDefinitionName: view.ownerDefinitionName,
    workflowDefinitionVersion: view.ownerDefinitionVersion,
    workflowInstanceId: view.ownerWorkflowId,
    workflowInstanceReference: view.ownerInstanceReference,
    healthSeverity: view.is.manager ? severityOf(view.healthSeverity) : null,
    healthCode: view.is.manager ? view.healthCode : null,
    allowedActions: [...allowedActions(facts, view.is, person.grants)],
    dataAccess: mayReadProtected(facts, view.is) ? 'protected' : 'summary',
    revision: view.revision,
  };
}

/** The task as its caller may see it alone. @see UT-217, UT-223 */
export function presentDetail(
  view: TaskView,
  person: Person,
  parts: DetailParts,
  now: Date,
): TaskDetailWire {
  const { content, events, healthIssues } = parts;
  return {
    ...presentSummary(view, person, now),
    instructions: content?.instructions ?? null,
    taskData: content === null ? null : withoutMasked(content.taskData, content),
    disclosure: {
      canViewProtected: content !== null,
      canViewWorkflow: true,
      canViewHistory: mayReadEvents(factsOf(view), view.is),
      guestVisible: false,
    },
    workflow: {
      definitionId: view.ownerDefinitionId,
      definitionName: view.ownerDefinitionName,
      definitionVersion: view.ownerDefinitionVersion,
      instanceId: view.ownerWorkflowId,
      instanceReference: view.ownerInstanceReference,
    },
    form: content === null ? null : formOf(content),
    actions: (content?.actions ?? []).map(presentAction),
    outcome: content === null ? null : view.actionKey,
    response: content === null ? null : withoutMasked(content.response, content),
    completedBy:
      content === null || view.completedBy === null ? null : participantOnWire(view.completedBy),
    events,
    healthIssues,
  };
}

/** The severity as stored; the column holds nothing else. */
export function severityOf(severity: string | null): 'Advisory' | 'Blocking' | null {
  if (severity === null) return null;
  return severity === 'Blocking' ? 'Blocking' : 'Advisory';
}

/** @see UT-126 */
function isOverdue({ dueAt, completedAt }: TaskView, now: Date): boolean {
  return dueAt !== null && dueAt.getTime() <= (completedAt ?? now).getTime();
}

/** How many may claim, never who; null when nobody is named. @see UT-044 */
function candidateSummary(users: number, groups: number): string | null {
  const parts = [counted(users, 'user'), counted(groups, 'group')].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

function counted(count: number, noun: string): string | null {
  if (count === 0) return null;
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function presentAction({
  key,
  label,
  metadata,
}: ActionDefinition): TaskDetailWire['actions'][number] {
  return { key, label, ...(metadata === null ? {} : { metadata }) };
}

/** The form as those see it who may read the task: masked values are left out. @see UT-094, UT-097 */
function formOf(content: ProtectedContent): TaskDetailWire['form'] {
  const { form, actions, taskData } = content;
  if (form === null && actions.every(({ schema }) => schema === null)) return null;
  return {
    providerName: form?.requested.providerName ?? 'inline',
    key: form?.requested.key ?? 'actions',
    version: form?.pinnedVersion ?? '1',
    fields: fieldsOf(content).map((field) => ({
      ...field,
      value: field.masked ? null : memberOf(taskData, field.key),
    })),
    actions: actions.map(({ key, label, schema }) => ({
      key,
      label,
      schema: form === null ? schema : providerSchema(form, key),
    })),
  };
}

/** The schema that a JSON Schema provider keeps with the form, so that clients can show it. */
function providerSchema({ metadata }: PinnedForm, actionKey: string): unknown {
  const schemas = isRecord(metadata) ? metadata['schemas'] : null;
  return isRecord(schemas) ? (schemas[actionKey] ?? schemas['*'] ?? null) : null;
}
