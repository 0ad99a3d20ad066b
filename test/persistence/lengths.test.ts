import { NOTIFICATION_TYPES } from '../../domain/user-tasks/notification';
import { HEALTH_ISSUES } from '../../domain/user-tasks/health';
import { OPERATION_KINDS } from '../../domain/user-tasks/operation';
import { REJECTION_CODES } from '../../domain/user-tasks/rejection';
import type { Person } from '../../domain/user-tasks/actor';
import { Problem } from '../../api/problem';
import type { TaskInputs } from '../../domain/user-tasks/definition';
import { aDistinctTask, seed } from '../api/seed-task';
import { startApi, type ApiUnderTest } from '../api/start-api';
import { clerk, group, manager, person, user } from '../builders/people';
import { create } from '../../domain/user-tasks/decide/create';
import { aCreation, later, CREATED_AT, OWNER } from '../builders/task';
import { tell } from '../notifications/telling-tasks';

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';

/** Text of this length that does not compress, as an index entry would. */
function text(length: number): string {
  return Array.from(
    { length },
    () => LETTERS[Math.floor(Math.random() * LETTERS.length)] ?? '',
  ).join('');
}

/** Text of this length, three bytes a character. */
function wide(length: number): string {
  return Array.from({ length }, () =>
    String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000)),
  ).join('');
}

describe('the longest texts', () => {
  let api: ApiUnderTest;
  let path: string;
  beforeAll(async () => {
    // Whatever gets as far as a command was let through.
    api = await startApi({
      executeCommand: () => Promise.reject(new Problem('terminal', 'The task is closed.')),
    });
    path = `/user-tasks/${await seed(api.database, aDistinctTask())}`;
  });
  afterAll(() => api.close());

  const assignee = (more: object) => ({ assignee: { type: 'user', id: 'max', ...more } });

  it.each<readonly [string, string, number, (value: string) => object]>([
    ['claim', 'operationId', 450, (operationId) => ({ operationId })],
    ['release', 'reason', 4000, (reason) => ({ reason })],
    ['assign', 'reason', 4000, (reason) => ({ ...assignee({}), reason })],
    ['assign', 'assignee/id', 450, (id) => assignee({ id })],
    ['assign', 'assignee/provider', 200, (provider) => assignee({ provider })],
    ['assign', 'assignee/displayName', 500, (displayName) => assignee({ displayName })],
    ['complete', 'operationId', 450, (operationId) => ({ operationId, actionKey: 'approve' })],
    ['complete', 'actionKey', 200, (actionKey) => ({ operationId: 'OP', actionKey })],
    ['cancel', 'operationId', 450, (operationId) => ({ operationId, reason: 'why' })],
    ['cancel', 'reason', 4000, (reason) => ({ operationId: 'OP', reason })],
    ['retry-resolution', 'operationId', 450, (operationId) => ({ operationId })],
  ])(
    'lets %s through with a %s of %i characters, whatever they are, and refuses one more (UT-288, UT-139)',
    async (verb, field, limit, body) => {
      const post = (value: string) =>
        api.post(`${path}/${verb}`, manager, { expectedRevision: 1, ...body(value) });
      for (const make of [text, wide]) {
        expect((await post(make(limit))).status).toBe(409);
        const refused = await post(make(limit + 1));
        expect(refused.status).toBe(422);
        expect(refused.body).toMatchObject({
          code: 'invalid-request',
          errors: [{ pointer: `/${field}` }],
        });
      }
    },
  );

  it('refuses an operation id of 451 characters in a change of the schedule (UT-288)', async () => {
    const patch = (operationId: string) =>
      api.send('PATCH', path, manager, {
        json: { expectedRevision: 1, priority: 1, operationId },
      });
    expect((await patch(text(450))).status).toBe(409);
    expect((await patch(text(451))).status).toBe(422);
  });

  it.each<readonly [string, Person]>([
    ['subject', person(text(451))],
    ['tenant', { ...clerk, subject: user('clerk', { tenantId: text(451) }) }],
    ['provider', { ...clerk, subject: user('clerk', { provider: text(201) }) }],
  ])('takes a token with a longer %s for none (UT-288, UT-054)', async (_what, by) => {
    expect((await api.get('/user-tasks', by)).status).toBe(401);
  });

  it('stores them all and gives them back, in a tenant of the longest name (UT-288, UT-291)', async () => {
    const tenantId = text(450);
    const namespace = { tenantId, provider: text(200), displayName: wide(500) };
    const holder: Person = {
      kind: 'person',
      subject: user(text(450), namespace),
      groups: [group(text(450), { ...namespace, displayName: null })],
      grants: ['*'],
    };
    const inputs: Partial<TaskInputs> = {
      title: wide(500),
      summary: wide(4000),
      reference: wide(500),
      taskType: wide(200),
      tags: Array.from({ length: 100 }, () => wide(200)),
      requester: user(text(450), namespace),
      candidateGroups: holder.groups,
      candidateUsers: [user(wide(450), namespace)],
      excludedUsers: [user(wide(450), namespace)],
      actions: [{ key: wide(200), label: wide(500), metadata: null, schema: null }],
      dueAt: later(CREATED_AT, 1),
    };
    const owner = {
      ...OWNER,
      workflowId: text(1000),
      activityInstanceId: text(450),
      definitionName: wide(500),
      instanceReference: wide(500),
    };
    const task = await tell(api.database, inputs, { tenantId, owner });
    const operationId = text(450);
    const reason = wide(4000);
    await task.step((now) => now.claimedBy(holder, { operationId }));
    await task.step((now) => now.releasedBy(holder, { reason, operationId: text(450) }));
    const row = await api.database.userTask.findFirstOrThrow({
      where: { id: task.id },
      include: { candidates: true, exclusions: true, protected: true, events: true },
    });
    const { title, summary, reference, taskType, tags, requester } = inputs;
    expect(row).toMatchObject({ tenantId, title, summary, reference, taskType, tags, requester });
    expect(row.ownerInstanceReference).toBe(owner.instanceReference);
    expect(row.candidates.map(({ participantId }) => participantId).toSorted()).toEqual(
      [inputs.candidateUsers?.[0]?.id, holder.groups[0]?.id].toSorted(),
    );
    expect(row.exclusions[0]).toMatchObject({ participantId: inputs.excludedUsers?.[0]?.id });
    expect(row.events.find(({ eventType }) => eventType === 'Claimed')).toMatchObject({
      operationId,
      actor: holder.subject,
    });
    expect(row.events.find(({ eventType }) => eventType === 'Released')).toMatchObject({ reason });
  });

  const namedWith = (more: object) => ({ ...user('max'), ...more });
  const tooLong = [
    ['title', { title: wide(501) }],
    ['summary', { summary: wide(4001) }],
    ['reference', { reference: wide(501) }],
    ['task type', { taskType: wide(201) }],
    ['tag', { tags: [wide(201)] }],
    ['action key', { actions: [{ key: wide(201), label: 'x' }] }],
    ['action label', { actions: [{ key: 'x', label: wide(501) }] }],
    ['participant', { candidateUsers: [namedWith({ id: wide(451) })] }],
    ['provider', { excludedUsers: [namedWith({ provider: wide(201) })] }],
    ['display name', { requester: namedWith({ displayName: wide(501) }) }],
    ['group', { candidateGroups: [group(wide(451))] }],
  ] as const;

  it.each(tooLong)('refuse at activation a longer %s (UT-288, UT-384)', (_what, inputs) => {
    expect(create(aCreation(inputs))).toMatchObject({ code: 'invalid-definition' });
  });

  const misplaced = [
    ['an assignee that is a group', { assignee: group('clerks') }],
    ['a group among candidate users', { candidateUsers: [group('clerks')] }],
    ['a group among excluded users', { excludedUsers: [group('clerks')] }],
    ['a user among groups', { candidateGroups: [user('clerk')] }],
    ['an unknown membership mode', { membershipResolutionMode: 'Sometimes' }],
    ['a membership mode in another spelling', { membershipResolutionMode: 'snapshot' }],
  ] as const;

  it.each(misplaced)('refuse at activation %s (UT-384)', (_what, inputs) => {
    expect(create(aCreation(inputs))).toMatchObject({ code: 'invalid-definition' });
  });

  it('are never reached by what the program itself writes (UT-288)', () => {
    const longest = (texts: readonly string[]): number =>
      Math.max(...texts.map(({ length }) => length));
    expect(longest(Object.keys(HEALTH_ISSUES))).toBeLessThanOrEqual(200);
    expect(longest(Object.values(HEALTH_ISSUES).map(([, message]) => message))).toBeLessThanOrEqual(
      4000,
    );
    expect(longest(REJECTION_CODES)).toBeLessThanOrEqual(200);
    expect(longest([...OPERATION_KINDS, ...NOTIFICATION_TYPES])).toBeLessThanOrEqual(64);
  });
});
