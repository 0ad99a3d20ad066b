import { z } from 'zod';
import { TASK_STATUSES } from '../../domain/user-tasks/task';
import type { AllowedAction } from '../../domain/user-tasks/access';
import type { ParticipantReference } from '../../domain/user-tasks/participant';

/** What responses look like. Everything is camelCase JSON, enums are strings, instants UTC text. @see UT-011 */

const instant = z
  .string()
  .meta({ description: 'UTC, RFC 3339 with milliseconds.', example: '2026-03-02T09:00:00.000Z' });

export const participantWire = z
  .strictObject({
    kind: z.enum(['user', 'group']),
    type: z.enum(['user', 'group']).meta({ description: 'The same as `kind`.' }),
    provider: z.string(),
    id: z.string(),
    displayName: z.string().nullable(),
  })
  .meta({
    id: 'Participant',
    description: 'Somebody, as an identity of a provider; of your own tenant.',
  });

export type ParticipantWire = z.output<typeof participantWire>;

/** A participant without its tenant. @see UT-045 */
export function participantOnWire(participant: ParticipantReference): ParticipantWire {
  const { type, provider, id, displayName } = participant;
  return { kind: type, type, provider, id, displayName };
}

const ALLOWED_ACTIONS = [
  'claim',
  'release',
  'assign',
  'update-scheduling',
  'complete',
  'cancel',
  'retry-resolution',
] as const satisfies readonly AllowedAction[];

const summaryFields = {
  id: z.string().meta({ example: 'task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55' }),
  title: z.string(),
  summary: z.string().nullable(),
  reference: z.string().nullable(),
  tags: z.array(z.string()),
  taskType: z.string().nullable(),
  status: z.enum(TASK_STATUSES),
  priority: z.int(),
  requester: participantWire.nullable(),
  assignee: participantWire.nullable(),
  candidateSummary: z
    .string()
    .nullable()
    .meta({ description: 'How many may claim, never who.', example: '2 users, 1 group' }),
  dueAt: instant.nullable(),
  isOverdue: z.boolean(),
  createdAt: instant,
  updatedAt: instant,
  assignedAt: instant.nullable(),
  completedAt: instant.nullable(),
  workflowDefinitionId: z.string(),
  workflowDefinitionName: z.string(),
  workflowDefinitionVersion: z.string().nullable(),
  workflowInstanceId: z.string(),
  workflowInstanceReference: z.string().nullable(),
  healthSeverity: z
    .enum(['Advisory', 'Blocking'])
    .nullable()
    .meta({ description: 'For managers; null for everybody else.' }),
  healthCode: z.string().nullable(),
  allowedActions: z.array(z.enum(ALLOWED_ACTIONS)).meta({ description: 'What you may do now.' }),
  dataAccess: z.enum(['summary', 'protected']),
  revision: z.int(),
};

export const taskSummaryWire = z
  .strictObject(summaryFields)
  .meta({ id: 'TaskSummary', description: 'The safe fields of a task.' });

export type TaskSummaryWire = z.output<typeof taskSummaryWire>;

export const eventWire = z
  .strictObject({
    id: z.string(),
    kind: z.string().meta({ example: 'Claimed' }),
    summary: z.string(),
    occurredAt: instant,
    actorDisplayName: z.string().nullable(),
  })
  .meta({
    id: 'TaskEvent',
    description: 'What happened, without who exactly and without anything typed in.',
  });

export const eventPageWire = z
  .strictObject({ items: z.array(eventWire), nextCursor: z.string().nullable() })
  .meta({ id: 'TaskEventPage' });

export type EventPageWire = z.output<typeof eventPageWire>;

export const taskDetailWire = z
  .strictObject({
    ...summaryFields,
    instructions: z.string().nullable(),
    taskData: z.unknown().meta({ description: 'As the workflow gave it.' }),
    disclosure: z.strictObject({
      canViewProtected: z.boolean(),
      canViewWorkflow: z.boolean(),
      canViewHistory: z.boolean(),
      guestVisible: z.boolean(),
    }),
    workflow: z.strictObject({
      definitionId: z.string(),
      definitionName: z.string(),
      definitionVersion: z.string().nullable(),
      instanceId: z.string(),
      instanceReference: z.string().nullable(),
    }),
    form: z
      .strictObject({
        providerName: z.string(),
        key: z.string(),
        version: z.string(),
        fields: z.array(
          z.strictObject({
            key: z.string(),
            label: z.string(),
            type: z.string(),
            required: z.boolean(),
            masked: z.boolean(),
            canReveal: z.boolean(),
            value: z.unknown().meta({ description: 'From `taskData`; null when masked.' }),
          }),
        ),
        actions: z.array(
          z.strictObject({
            key: z.string(),
            label: z.string(),
            schema: z
              .unknown()
              .meta({ description: 'JSON Schema of its data; null for none or not known.' }),
          }),
        ),
      })
      .nullable()
      .meta({
        description: 'JSON Schemas of the data that actions take; null where none takes any.',
      }),
    actions: z.array(
      z.strictObject({ key: z.string(), label: z.string(), metadata: z.unknown().optional() }),
    ),
    outcome: z.string().nullable().meta({ description: 'Key of the action that ended the task.' }),
    response: z.unknown().meta({ description: 'Normalised completion data.' }),
    completedBy: participantWire.nullable(),
    events: eventPageWire,
    healthIssues: z
      .array(
        z.strictObject({
          code: z.string(),
          severity: z.enum(['Advisory', 'Blocking']),
          message: z.string(),
          since: instant,
        }),
      )
      .nullable()
      .meta({ description: 'For managers; null for everybody else.' }),
  })
  .meta({
    id: 'TaskDetail',
    description: 'The summary and, as far as you may see it, what is protected.',
  });

export type TaskDetailWire = z.output<typeof taskDetailWire>;

export const taskPageWire = z
  .strictObject({
    items: z.array(taskSummaryWire),
    nextCursor: z.string().nullable(),
    totalCount: z.int().optional(),
  })
  .meta({ id: 'TaskPage' });

export type TaskPageWire = z.output<typeof taskPageWire>;

export const commandResultWire = z
  .strictObject({
    operationId: z.string(),
    status: z.enum(['completed', 'accepted']),
    revision: z.int(),
    task: taskSummaryWire,
  })
  .meta({ id: 'CommandResult' });

export const pendingCommandWire = z
  .strictObject({ operationId: z.string(), status: z.literal('pending') })
  .meta({
    id: 'PendingCommand',
    description: 'The command is on its way; read its outcome at the address in `Location`.',
  });

export const operationWire = z
  .strictObject({
    operationId: z.string(),
    kind: z.string(),
    status: z.enum(['pending', 'accepted', 'completed', 'rejected', 'failed']),
    errorCode: z.string().nullable(),
    expectedRevision: z.int(),
    revision: z.int().nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Operation' });

export type OperationWire = z.output<typeof operationWire>;

export const revealedFieldWire = z
  .strictObject({ fieldKey: z.string(), value: z.unknown() })
  .meta({ id: 'RevealedField' });

export const participantPageWire = z
  .strictObject({ items: z.array(participantWire), nextCursor: z.string().nullable() })
  .meta({ id: 'ParticipantPage' });

export const capabilitiesWire = z
  .strictObject({
    enabled: z.boolean(),
    canList: z.boolean(),
    canRead: z.boolean(),
    canReadAll: z.boolean(),
    canClaim: z.boolean(),
    canComplete: z.boolean(),
    canRelease: z.boolean(),
    canAssign: z.boolean(),
    canUpdate: z.boolean(),
    canCancel: z.boolean(),
    canCreateGuestLinks: z.boolean(),
    canViewProtected: z.boolean(),
    participantPicker: z.boolean(),
    realtime: z.boolean(),
    pollingIntervalSeconds: z.int(),
  })
  .meta({ id: 'Capabilities', description: 'What you may do in general; advisory.' });

export type CapabilitiesWire = z.output<typeof capabilitiesWire>;

export const taskCapabilitiesWire = z
  .strictObject({
    taskId: z.string(),
    revision: z.int(),
    allowedActions: z.array(z.enum(ALLOWED_ACTIONS)),
    canReadProtected: z.boolean(),
    canManage: z.boolean(),
  })
  .meta({ id: 'TaskCapabilities' });

export type TaskCapabilitiesWire = z.output<typeof taskCapabilitiesWire>;
