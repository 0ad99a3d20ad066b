import { REMEMBERED_EVENTS, type EventRecord } from '../../../domain/user-tasks/event-record';
import { clerk, colleague, user } from '../../builders/people';
import { pinnedForm, pinning, REVIEW_FORM } from '../../builders/resolution';
import { aTask, CREATED_AT, later, type TaskBuilder } from '../../builders/task';

const SECRET = 'CANARY-4711';
const DUE = later(CREATED_AT, 60);

/** A task whose every protected field holds the canary, completed with a canary. */
function secretive(): TaskBuilder {
  return aTask({
    instructions: SECRET,
    taskData: { amount: SECRET },
    actions: [{ key: 'ok', label: 'OK', metadata: null, schema: true }],
  }).claimedBy(clerk);
}

describe('the stored form of an event', () => {
  const tasks = [
    aTask({ assignee: user('x'), dueAt: DUE })
      .rescheduled({ priority: 1 })
      .assignedTo(clerk.subject)
      .expired()
      .withdrawn(),
    secretive().completed({ actionKey: 'ok', data: SECRET }),
    aTask({
      excludedUsers: [clerk.subject],
      allowManagerExclusionOverride: true,
      enableCancellationOutcome: true,
    })
      .assignedTo(clerk.subject, { reason: 'alone' })
      .releasedBy(clerk)
      .assignedTo(colleague.subject)
      .cancelled(),
    aTask({ dueAt: DUE, enableTimeoutOutcome: true }).timedOut(),
    aTask({ form: REVIEW_FORM }, { resolution: { form: { failure: 'form-provider-missing' } } })
      .retrying()
      .resolved(pinning(pinnedForm({ metadata: { secret: SECRET } }))),
  ];
  const everyKind = tasks.flatMap(({ events }) => events);
  const records: readonly EventRecord[] = tasks.flatMap(({ record }) => record.events);

  it('names the kinds of the catalogue (UT-154, UT-155, UT-156)', () => {
    expect(new Set(everyKind.map(({ kind }) => kind))).toEqual(
      new Set([
        ...[
          'Created',
          'Claimed',
          'Released',
          'Assigned',
          'Reassigned',
          'ScheduleUpdated',
          'OverdueNotified',
        ],
        ...[
          'CompletionRequested',
          'Completed',
          'TimeoutRequested',
          'TimedOut',
          'CancellationRequested',
          'Cancelled',
          'ResolutionRetried',
        ],
      ]),
    );
  });

  it('holds nothing protected (UT-145, UT-157)', () => {
    expect(JSON.stringify(everyKind)).toContain(SECRET);
    expect(JSON.stringify(records)).not.toContain(SECRET);
  });

  it.each([
    ['Completed', { actionKey: 'ok' }],
    ['CompletionRequested', { actionKey: 'ok' }],
    ['TimedOut', { actionKey: 'Timeout' }],
    ['ScheduleUpdated', { changed: ['priority'] }],
    ['Claimed', null],
    ['Created', null],
    ['Released', null],
    ['Reassigned', null],
    ['OverdueNotified', null],
    ['TimeoutRequested', null],
    ['CancellationRequested', null],
    ['ResolutionRetried', null],
  ])('of %s has the metadata %j (UT-112, UT-154, UT-155)', (kind, metadata) => {
    expect(records.find((event) => event.kind === kind)?.metadata).toEqual(metadata);
  });

  it('of a cancellation names its cause (UT-154, UT-396)', () => {
    const metadata = records
      .filter(({ kind }) => kind === 'Cancelled')
      .map((event) => event.metadata);

    expect(metadata).toEqual([
      { actionKey: 'Cancelled', cause: 'owner' },
      { actionKey: 'Cancelled', cause: 'manager' },
    ]);
  });

  it('of an override says that an exclusion was overridden, with the reason (UT-074)', () => {
    const overridden = records.filter(({ reason }) => reason === 'alone');

    expect(overridden).toMatchObject([
      { kind: 'Assigned', metadata: { exclusionOverridden: true } },
    ]);
    expect(
      records.filter(({ metadata }) => JSON.stringify(metadata).includes('exclusion')),
    ).toHaveLength(1);
  });

  it('names whom the event made the assignee', () => {
    const assignees = records.filter(({ assignee }) => assignee !== null);

    expect(assignees.map(({ kind, assignee }) => [kind, assignee?.id])).toEqual([
      ['Created', 'x'],
      ['Reassigned', 'clerk'],
      ['Claimed', 'clerk'],
      ['Assigned', 'clerk'],
      ['Assigned', 'colleague'],
    ]);
  });

  it('has a revision of its own, in order, without gaps (UT-138, UT-152)', () => {
    const { events, record } = secretive().completed({ actionKey: 'ok' });

    expect(record.events.map(({ kind }) => kind)).toEqual(events.map(({ kind }) => kind));
    expect(record.events.map(({ revision }) => revision)).toEqual([1, 2, 3, 4]);
  });

  it('has the status that the task had once it was applied', () => {
    const { record } = aTask().claimedBy(clerk).releasedBy(clerk).claimedBy(clerk).completed();

    expect(record.events.map(({ kind, status }) => [kind, status])).toEqual([
      ['Created', 'Available'],
      ['Claimed', 'Assigned'],
      ['Released', 'Available'],
      ['Claimed', 'Assigned'],
      ['CompletionRequested', 'Completing'],
      ['Completed', 'Completed'],
    ]);
  });

  it('is remembered for the newest events only, so that a new run can be handed them', () => {
    let task = aTask();
    for (let n = 0; n < REMEMBERED_EVENTS + 5; n += 1)
      task = task.rescheduled({ priority: n % 100 });

    expect(task.record.events).toHaveLength(REMEMBERED_EVENTS);
    expect(task.record.events.at(-1)?.revision).toBe(task.revision);
  }, 60_000);
});
