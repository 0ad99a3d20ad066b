import type { EventRecord } from '../../../domain/user-tasks/event-record';
import {
  NOTIFICATION_TYPES,
  notificationsOf,
  type TaskNotification,
} from '../../../domain/user-tasks/notification';
import type { TaskEventKind } from '../../../domain/user-tasks/task';
import { clerk, colleague, user } from '../../builders/people';
import { pinning, REVIEW_FORM } from '../../builders/resolution';
import { aTask, CREATED_AT, later, type TaskBuilder } from '../../builders/task';

const DUE = later(CREATED_AT, 60);
const SECRET = 'CANARY-4711';
const UNRESOLVED = { resolution: { form: { failure: 'form-provider-missing' as const } } };

/** For each kind of event a task whose last event is of that kind. */
const ENDING_WITH: Record<TaskEventKind, TaskBuilder> = {
  Created: aTask({ instructions: SECRET, taskData: SECRET }),
  Claimed: aTask().claimedBy(clerk),
  Released: aTask().claimedBy(clerk).releasedBy(clerk, { reason: SECRET }),
  Assigned: aTask().assignedTo(user('x'), { reason: SECRET }),
  Reassigned: aTask().claimedBy(clerk).assignedTo(colleague.subject),
  ScheduleUpdated: aTask().rescheduled({ priority: 1 }),
  OverdueNotified: aTask({ dueAt: DUE }).expired(),
  CompletionRequested: withData().completing(submission()),
  Completed: withData().completed(submission()),
  TimeoutRequested: aTask({ dueAt: DUE, enableTimeoutOutcome: true }).timingOut(),
  TimedOut: aTask({ dueAt: DUE, enableTimeoutOutcome: true }).timedOut(),
  CancellationRequested: aTask({ enableCancellationOutcome: true }).cancelling({ reason: SECRET }),
  Cancelled: aTask({ enableCancellationOutcome: true }).cancelled({ reason: SECRET }),
  ResolutionRetried: aTask({ form: REVIEW_FORM }, UNRESOLVED).retrying().resolved(pinning()),
};

function withData(): TaskBuilder {
  const actions = [{ key: 'ok', label: 'OK', metadata: null, schema: true }] as const;
  return aTask({ actions }).claimedBy(clerk);
}

function submission(): { actionKey: string; data: string; operationId: string } {
  return { actionKey: 'ok', data: SECRET, operationId: 'OP1' };
}

function lastEvent(task: TaskBuilder): EventRecord {
  return task.record.events.at(-1)!;
}

function told(kind: TaskEventKind): readonly TaskNotification[] {
  return notificationsOf(lastEvent(ENDING_WITH[kind]));
}

describe('what is told of a change', () => {
  it.each<[TaskEventKind, readonly [string, string, ...string[]][]]>([
    ['Created', [['UserTaskCreated', 'task.created']]],
    ['Claimed', [['UserTaskChanged', 'task.claimed', 'claim']]],
    ['Released', [['UserTaskChanged', 'task.released', 'release']]],
    ['Assigned', [['UserTaskChanged', 'task.assigned', 'assign']]],
    ['Reassigned', [['UserTaskChanged', 'task.assigned', 'assign']]],
    ['ScheduleUpdated', [['UserTaskChanged', 'task.updated', 'scheduleUpdate']]],
    ['OverdueNotified', [['UserTaskOverdue', 'task.updated']]],
    [
      'CompletionRequested',
      [
        ['UserTaskCompletionAccepted', 'task.updated'],
        ['UserTaskChanged', 'task.updated', 'completionRequested'],
      ],
    ],
    ['Completed', [['UserTaskCompleted', 'task.completed']]],
    [
      'TimeoutRequested',
      [
        ['UserTaskChanged', 'task.updated', 'timeoutRequested'],
        ['UserTaskOverdue', 'task.updated'],
      ],
    ],
    ['TimedOut', [['UserTaskTimedOut', 'task.expired']]],
    ['CancellationRequested', [['UserTaskChanged', 'task.updated', 'cancellationRequested']]],
    ['Cancelled', [['UserTaskCancelled', 'task.cancelled']]],
    ['ResolutionRetried', [['UserTaskHealthChanged', 'task.updated']]],
  ])('by the event %s is %j (UT-129, UT-268, UT-270, UT-273)', (kind, expected) => {
    expect(lastEvent(ENDING_WITH[kind]).kind).toBe(kind);
    expect(
      told(kind).map(({ type, streamKind, changedFields }) => [type, streamKind, ...changedFields]),
    ).toEqual(expected);
  });

  it('reports status, revision and time of the transition itself (UT-268, UT-270)', () => {
    const { record } = withData().completed(submission());
    const [requested, completed] = record.events.slice(-2) as [EventRecord, EventRecord];

    expect(
      [requested, completed]
        .flatMap(notificationsOf)
        .map(({ type, status, revision, occurredAt }) => [type, status, revision, occurredAt]),
    ).toEqual([
      ['UserTaskCompletionAccepted', 'Completing', 3, requested.occurredAt],
      ['UserTaskChanged', 'Completing', 3, requested.occurredAt],
      ['UserTaskCompleted', 'Completed', 4, completed.occurredAt],
    ]);
  });

  it('names the operation of an accepted completion, and no other (UT-268)', () => {
    const named = (Object.keys(ENDING_WITH) as TaskEventKind[])
      .flatMap(told)
      .filter(({ operationId }) => operationId !== null);

    expect(named.map(({ type, operationId }) => [type, operationId])).toEqual([
      ['UserTaskCompletionAccepted', 'OP1'],
    ]);
  });

  it('holds nothing protected and no typed reason (UT-157, UT-269)', () => {
    const everything = (Object.keys(ENDING_WITH) as TaskEventKind[]).flatMap(told);

    expect(JSON.stringify(Object.values(ENDING_WITH).map(({ events }) => events))).toContain(
      SECRET,
    );
    expect(JSON.stringify(everything)).not.toContain(SECRET);
  });

  it('knows every type but those of invitations (UT-268)', () => {
    const types = (Object.keys(ENDING_WITH) as TaskEventKind[])
      .flatMap(told)
      .map(({ type }) => type);

    expect(new Set(types)).toEqual(new Set(NOTIFICATION_TYPES));
  });

  it('is one terminal notification for each end (UT-271)', () => {
    const ends = ['UserTaskCompleted', 'UserTaskTimedOut', 'UserTaskCancelled'];
    const { Completed, TimedOut, Cancelled } = ENDING_WITH;

    for (const { record } of [Completed, TimedOut, Cancelled, aTask().withdrawn()]) {
      const types = record.events.flatMap(notificationsOf).map(({ type }) => type);
      expect(types.filter((type) => ends.includes(type))).toEqual([types.at(-1)]);
    }
  });
});
