import { CLERKS, group, manager, person, user } from '../builders/people';
import { refusal, rowOf, send } from '../harness/acting';
import type { RaisedTask } from '../harness/task-stack';
import { participantKeyHash } from '../../prisma/participant-key-hash';
import { createMembershipStack, type MembershipStack } from './membership-stack';
import { createPeopleFile, type PeopleFile } from './people-file';

const clerk = person('clerk', { groups: [CLERKS] });
const named = person('named');
const excluded = person('eve', { groups: [CLERKS] });
const stranger = person('stranger', { groups: [group('payers')] });
const requester = person('requester');
const everybody = { clerk, named, excluded, stranger, requester, manager };

describe('Live membership', () => {
  let people: PeopleFile;
  let members: MembershipStack;
  beforeAll(async () => {
    people = await createPeopleFile();
    members = await createMembershipStack(people);
  });
  afterAll(async () => {
    await members.close();
    await people.remove();
  });

  const raise = (more: object = {}): Promise<RaisedTask> =>
    members.stack.raise({
      title: 'Approve',
      candidateGroups: [CLERKS],
      candidateUsers: [named.subject],
      excludedUsers: [excluded.subject],
      requester: requester.subject,
      ...more,
    });

  /** What everybody finds, may do and is answered, in words that do not depend on the task. */
  async function decisions() {
    const task = await raise();
    const found: Record<string, unknown> = {};
    for (const [name, by] of Object.entries(everybody)) {
      const scopes = by === manager ? ['all', 'available', 'needs-attention'] : ['available'];
      const lists = await Promise.all(scopes.map((scope) => members.listed(by, scope)));
      const seen = await members.seen(task, by);
      found[name] = {
        lists: lists.map((ids) => ids.includes(task.taskId)),
        allowed: seen?.allowedActions ?? null,
        health: seen?.healthCode ?? null,
      };
    }
    const answers = [
      await refusal(send(members.stack, task, stranger, { kind: 'claim' })),
      await refusal(send(members.stack, task, excluded, { kind: 'claim' })),
      await refusal(send(members.stack, task, requester, { kind: 'claim' })),
      await refusal(
        send(members.stack, task, manager, {
          kind: 'assign',
          assignee: excluded.subject,
          reason: 'cover',
        }),
      ),
    ];
    await send(members.stack, task, clerk, { kind: 'claim' });
    const complete = { kind: 'complete', operationId: 'DONE' } as const;
    answers.push(
      await refusal(send(members.stack, task, named, { ...complete, expectedRevision: 2 })),
    );
    await send(members.stack, task, manager, {
      kind: 'assign',
      expectedRevision: 2,
      assignee: user('somebody nobody knows'),
      reason: 'cover',
    });
    const { status, assignee, revision } = await rowOf(members.stack, task);
    return { found, answers, row: { status, assignee, revision } };
  }

  const expected = {
    found: {
      clerk: { lists: [true], allowed: ['claim'], health: null },
      named: { lists: [true], allowed: ['claim'], health: null },
      excluded: { lists: [false], allowed: null, health: null },
      stranger: { lists: [false], allowed: null, health: null },
      requester: { lists: [false], allowed: null, health: null },
      manager: {
        lists: [true, false, true],
        allowed: ['assign', 'update-scheduling'],
        health: null,
      },
    },
    answers: ['not-found', 'not-found', 'not-found', 'excluded-assignee', 'not-found'],
    row: { status: 'Assigned', assignee: user('somebody nobody knows'), revision: 3 },
  };

  const directories: readonly (readonly [string, () => unknown])[] = [
    ['knows everybody', () => people.knows({ clerks: ['clerk', 'eve'] })],
    ['knows other members', () => people.knows({ clerks: ['stranger'], payers: ['clerk'] })],
    ['does not know the group', () => people.knows({})],
    ['fails every call', () => people.fails()],
    ['is missing', () => people.isMissing()],
  ];

  it.each(directories)(
    'comes out the same when the directory %s, which nobody asks (UT-064, UT-387, UT-061, UT-034)',
    async (_what, arrange) => {
      await arrange();
      const asked = people.asked();
      expect(await decisions()).toEqual(expected);
      expect(people.asked()).toBe(asked);
    },
  );

  it('follows the claims of the moment, and takes nothing from who holds the task (UT-063, UT-065)', async () => {
    const task = await raise();
    const without = person('clerk');
    expect(await members.seen(task, without)).toBeNull();
    expect(await members.seen(task, clerk)).not.toBeNull();
    await send(members.stack, task, clerk, { kind: 'claim' });
    expect(await members.listed(without, 'assigned')).toContain(task.taskId);
    await send(members.stack, task, without, {
      kind: 'complete',
      expectedRevision: 2,
      operationId: 'DONE',
    });
    expect(await task.owner.result()).toMatchObject({ actionKey: 'approve' });
  });

  it('takes no notice of members that somebody stored (UT-069)', async () => {
    const task = await raise();
    const [candidate] = await members.stack.database.userTaskCandidate.findMany({
      where: { taskId: task.taskId, source: 'DirectUser' },
    });
    if (candidate === undefined) throw new Error('no candidate');
    await members.stack.database.userTaskCandidate.create({
      data: {
        ...candidate,
        participantId: 'stranger',
        participantKey: participantKeyHash(stranger.subject),
        source: 'SnapshotMember',
        claimable: false,
      },
    });
    expect(await members.listed(stranger)).not.toContain(task.taskId);
    expect(await members.seen(task, stranger)).toBeNull();
    expect(await refusal(send(members.stack, task, stranger, { kind: 'claim' }))).toBe('not-found');
  });
});

describe('who is what to a task', () => {
  let people: PeopleFile;
  let members: MembershipStack;
  beforeAll(async () => {
    people = await createPeopleFile();
    people.isMissing();
    members = await createMembershipStack(people);
  });
  afterAll(async () => {
    await members.close();
    await people.remove();
  });

  it('candidates may claim while nobody has, the one assignee answers for it, the requester is a name (UT-005, UT-003)', async () => {
    const task = await members.stack.raise({
      title: 'Approve',
      candidateGroups: [CLERKS],
      candidateUsers: [named.subject],
      requester: requester.subject,
    });
    const actionsOf = async (by: typeof clerk) => (await members.seen(task, by))?.allowedActions;
    expect([await actionsOf(clerk), await actionsOf(named)]).toEqual([['claim'], ['claim']]);
    expect(await actionsOf(requester)).toBeUndefined();
    await send(members.stack, task, named, { kind: 'claim' });
    expect([await actionsOf(clerk), await actionsOf(named)]).toEqual([[], ['release', 'complete']]);
    expect(await actionsOf(requester)).toBeUndefined();
    expect(await rowOf(members.stack, task)).toMatchObject({
      assignee: { id: 'named' },
      requester: { id: 'requester' },
    });
  });

  it('exclusions and their override are as the step gave them to the end (UT-077, UT-035)', async () => {
    const task = await members.stack.raise({
      title: 'Approve',
      candidateGroups: [CLERKS],
      excludedUsers: [excluded.subject],
      allowManagerExclusionOverride: true,
      enableCancellationOutcome: true,
    });
    const frozen = async () => {
      const { allowManagerExclusionOverride, exclusions } =
        await members.stack.database.userTask.findFirstOrThrow({
          where: { id: task.taskId },
          include: { exclusions: true },
        });
      return { allowManagerExclusionOverride, exclusions };
    };
    const before = await frozen();
    const widened = { excludedUsers: [], allowManagerExclusionOverride: false };
    const path = `/user-tasks/${task.taskId}`;
    const patched = await members.api.send('PATCH', path, manager, {
      json: { expectedRevision: 1, priority: 1, ...widened },
    });
    expect(patched.body).toMatchObject({ code: 'invalid-request' });
    await send(members.stack, task, manager, { kind: 'update', priority: 60, ...widened });
    const override = {
      kind: 'assign',
      assignee: excluded.subject,
      reason: 'only she can',
    } as const;
    await send(members.stack, task, manager, { ...override, ...widened, expectedRevision: 2 });
    await send(members.stack, task, excluded, { kind: 'release', expectedRevision: 3, ...widened });
    expect(await frozen()).toEqual(before);
    expect(
      await refusal(send(members.stack, task, excluded, { kind: 'claim', expectedRevision: 4 })),
    ).toBe('not-found');
    await send(members.stack, task, manager, { ...override, expectedRevision: 4 });
    await send(members.stack, task, manager, {
      kind: 'cancel',
      expectedRevision: 5,
      operationId: 'END',
    });
    expect(await frozen()).toEqual(before);
    expect(before).toMatchObject({
      allowManagerExclusionOverride: true,
      exclusions: [{ participantId: 'eve' }],
    });
  });
});
