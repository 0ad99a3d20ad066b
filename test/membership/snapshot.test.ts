import { CLERKS, group, manager, person, user } from '../builders/people';
import { eventsOf, expectAgreement, refusal, rowOf, rowThatIs, send } from '../harness/acting';
import type { RaisedTask } from '../harness/task-stack';
import { within } from '../harness/within';
import { createMembershipStack, type MembershipStack } from './membership-stack';
import { createPeopleFile, type PeopleFile } from './people-file';

const PAYERS = group('payers');
const ann = person('ann');
const bob = person('bob');
/** Claims to belong to the clerks, of whom the directory did not name her. */
const claimant = person('zoe', { groups: [CLERKS] });

describe('Snapshot membership', () => {
  let people: PeopleFile;
  let members: MembershipStack;
  beforeAll(async () => {
    people = await createPeopleFile();
    members = await createMembershipStack(people);
  });
  beforeEach(() => people.knows({ clerks: ['ann', 'bob'], payers: ['pia'] }));
  afterAll(async () => {
    await members.close();
    await people.remove();
  });

  const raise = (more: object = {}): Promise<RaisedTask> =>
    members.stack.raise({
      title: 'Approve',
      candidateGroups: [CLERKS],
      membershipResolutionMode: 'Snapshot',
      ...more,
    });

  const codes = async (task: RaisedTask): Promise<readonly string[]> =>
    (await rowOf(members.stack, task)).health.map(({ code }) => code).toSorted();

  const retry = async (task: RaisedTask): Promise<void> => {
    const { revision } = await rowOf(members.stack, task);
    await send(members.stack, task, manager, {
      kind: 'retryResolution',
      expectedRevision: revision,
    });
    await within(15_000, async () => (await rowOf(members.stack, task)).revision === revision + 1);
  };

  it('entitles those whom the directory named at activation, and nobody by a claim (UT-066, UT-069)', async () => {
    const task = await raise();
    for (const by of [ann, bob]) {
      expect(await members.listed(by)).toContain(task.taskId);
      expect(await members.seen(task, by)).toMatchObject({ allowedActions: ['claim'] });
    }
    expect(await members.listed(claimant)).not.toContain(task.taskId);
    expect(await members.seen(task, claimant)).toBeNull();
    expect(await refusal(send(members.stack, task, claimant, { kind: 'claim' }))).toBe('not-found');
    await send(members.stack, task, ann, { kind: 'claim' });
    expect(await rowOf(members.stack, task)).toMatchObject({ assignee: { id: 'ann' } });
    expect(await members.listed(bob)).not.toContain(task.taskId);
    await expectAgreement(members.stack, task);
  });

  it('takes no notice of who leaves or joins a group afterwards (UT-066, UT-070)', async () => {
    const task = await raise();
    await people.knows({ clerks: ['zoe'] });
    expect(await members.listed(ann)).toContain(task.taskId);
    expect(await members.seen(task, claimant)).toBeNull();
    await send(members.stack, task, bob, { kind: 'claim' });
    await send(members.stack, task, bob, { kind: 'release', expectedRevision: 2 });
    expect(await members.listed(ann)).toContain(task.taskId);
    expect(await members.listed(claimant)).not.toContain(task.taskId);
  });

  it('lists for each mode those who may claim, and for no other (UT-069, UT-321)', async () => {
    const both = person('ann', { groups: [CLERKS] });
    const snapshot = await raise();
    const live = await members.stack.raise({ title: 'Live', candidateGroups: [CLERKS] });
    const among = async (by: typeof ann) => {
      const listed = await members.listed(by);
      return [snapshot, live].map(({ taskId }) => listed.includes(taskId));
    };
    const mayClaim = (by: typeof ann) =>
      Promise.all([snapshot, live].map(async (task) => (await members.seen(task, by)) !== null));
    for (const [by, expected] of [
      [ann, [true, false]],
      [claimant, [false, true]],
      [both, [true, true]],
      [person('nobody'), [false, false]],
    ] as const) {
      expect(await among(by)).toEqual(expected);
      expect(await mayClaim(by)).toEqual(expected);
    }
  });

  it('lets an exclusion win over membership, in lists, totals, claims and assignment (UT-073, UT-072)', async () => {
    const before = await members.total(ann);
    const task = await raise({ excludedUsers: [ann.subject] });
    expect(await members.listed(ann)).not.toContain(task.taskId);
    expect(await members.total(ann)).toBe(before);
    expect(await members.seen(task, ann)).toBeNull();
    expect(await refusal(send(members.stack, task, ann, { kind: 'claim' }))).toBe('not-found');
    const assign = { kind: 'assign', assignee: ann.subject, reason: 'cover' } as const;
    expect(await refusal(send(members.stack, task, manager, assign))).toBe('excluded-assignee');
    expect(await members.listed(bob)).toContain(task.taskId);
  });

  it('counts the users it found with those configured, each once, and the groups (UT-044, UT-066)', async () => {
    const task = await raise({ candidateUsers: [user('ann'), user('max')] });
    expect(await members.seen(task, person('max'))).toMatchObject({
      candidateSummary: '3 users, 1 group',
    });
    const few = await raise({ candidateGroups: [PAYERS] });
    expect(await members.seen(few, person('pia'))).toMatchObject({
      candidateSummary: '1 user, 1 group',
    });
  });

  it('needs no directory for configured users alone (UT-068)', async () => {
    people.isMissing();
    const task = await raise({ candidateGroups: [], candidateUsers: [ann.subject] });
    expect(await codes(task)).toEqual([]);
    expect(await members.seen(task, ann)).toMatchObject({ candidateSummary: '1 user' });
    await send(members.stack, task, ann, { kind: 'claim' });
  });

  it.each([
    ['fails', () => people.fails(), 'snapshot-resolution-failed'],
    ['does not know the group', () => people.knows({}), 'snapshot-resolution-failed'],
    ['is missing', () => Promise.resolve(people.isMissing()), 'snapshot-directory-missing'],
  ])(
    'leaves the task to managers when the directory %s, until a retry finds the members (UT-067, UT-070, UT-390)',
    async (_what, breakIt, code) => {
      await breakIt();
      const task = await raise();
      expect(await rowOf(members.stack, task)).toMatchObject({
        status: 'Unassigned',
        blocked: true,
        candidateUserCount: 0,
        candidateGroupCount: 1,
      });
      expect(await codes(task)).toEqual(['no-assignment', code]);
      for (const by of [ann, claimant]) {
        expect(await members.seen(task, by)).toBeNull();
        expect(await members.listed(by)).not.toContain(task.taskId);
        expect(await refusal(send(members.stack, task, by, { kind: 'claim' }))).toBe('not-found');
      }
      expect(await members.listed(manager, 'needs-attention')).toContain(task.taskId);
      expect(await members.seen(task, manager)).toMatchObject({ healthCode: code });
      await retry(task);
      expect(await codes(task)).toEqual(['no-assignment', code]);
      await people.knows({ clerks: ['ann'] });
      await retry(task);
      expect(await rowOf(members.stack, task)).toMatchObject({
        status: 'Available',
        blocked: false,
      });
      expect(await codes(task)).toEqual([]);
      expect(await members.seen(task, ann)).toMatchObject({ candidateSummary: '1 user, 1 group' });
      expect(await members.seen(task, claimant)).toBeNull();
      expect(await eventsOf(members.stack, task)).toEqual([
        ['Created', 1],
        ['ResolutionRetried', 2],
        ['ResolutionRetried', 3],
      ]);
      await send(members.stack, task, ann, { kind: 'claim', expectedRevision: 3 });
      await expectAgreement(members.stack, task);
    },
  );

  it('keeps the members of the groups that did resolve (UT-067, UT-390)', async () => {
    await people.knows({ clerks: ['ann'] });
    const task = await raise({ candidateGroups: [CLERKS, PAYERS] });
    expect(await rowOf(members.stack, task)).toMatchObject({ status: 'Available', blocked: true });
    expect(await codes(task)).toEqual(['snapshot-resolution-failed']);
    expect(await members.seen(task, ann)).toBeNull();
    await people.fails();
    await retry(task);
    expect(await members.seen(task, manager)).toMatchObject({
      candidateSummary: '1 user, 2 groups',
    });
    await people.knows({ clerks: ['bob'], payers: ['pia'] });
    await retry(task);
    expect(await codes(task)).toEqual([]);
    expect(await members.seen(task, person('pia'))).toMatchObject({
      candidateSummary: '2 users, 2 groups',
    });
    // The retry asked for the original groups: what they hold now is what counts from here on.
    expect(await members.seen(task, ann)).toBeNull();
    expect(await members.seen(task, bob)).not.toBeNull();
  });

  it('is Unassigned when the groups turn out to be empty, or all members are excluded (UT-071)', async () => {
    await people.knows({ clerks: [], payers: ['pia'] });
    const empty = await raise();
    const excluded = await raise({ candidateGroups: [PAYERS], excludedUsers: [user('pia')] });
    for (const task of [empty, excluded]) {
      expect(await rowOf(members.stack, task)).toMatchObject({
        status: 'Unassigned',
        blocked: false,
      });
      expect(await codes(task)).toEqual(['no-assignment']);
    }
  });

  it('never enumerates a healthy snapshot again (UT-070)', async () => {
    const form = { providerName: 'not-installed', key: 'review' };
    const task = await raise({ form });
    expect(await codes(task)).toEqual(['form-provider-missing']);
    const asked = people.asked();
    await people.knows({ clerks: ['zoe'] });
    await retry(task);
    expect(people.asked()).toBe(asked);
    expect(await members.seen(task, manager)).toMatchObject({
      candidateSummary: '2 users, 1 group',
    });
    const sources = await members.stack.database.userTaskCandidate.findMany({
      where: { taskId: task.taskId, source: 'SnapshotMember' },
      orderBy: { participantId: 'asc' },
    });
    expect(sources.map(({ participantId }) => participantId)).toEqual(['ann', 'bob']);
  });

  it('becomes claimable again for members alone once it is released (UT-101, UT-390)', async () => {
    const task = await raise();
    await send(members.stack, task, manager, {
      kind: 'assign',
      assignee: user('max'),
      reason: 'knows it',
    });
    await send(members.stack, task, person('max'), { kind: 'release', expectedRevision: 2 });
    await rowThatIs(members.stack, task, 'Available');
    expect(await members.listed(bob)).toContain(task.taskId);
    expect(await members.listed(claimant)).not.toContain(task.taskId);
  });
});
