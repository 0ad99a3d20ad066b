import { executeCommand } from '../../api/user-tasks/execute-command';
import { startApi, type ApiUnderTest } from '../../test/api/start-api';
import { TENANT } from '../../test/builders/people';
import { createOwnerStack, type OwnerStack } from '../../test/client/owner-stack';
import { MUNICIPALITY, type PermitCase } from '../permit-case';
import { createUserTaskApi, type UserTaskApi } from '../user-task-api';
import type { EventLog } from './event-log';
import { runPermits, type PermitsRun } from './run-permits';
import { verifyCase } from './verify-case';

let owners: OwnerStack;
let api: ApiUnderTest;
beforeAll(async () => {
  owners = await createOwnerStack(require.resolve('../../test/client/example-owners'));
  api = await startApi({
    database: owners.stack.database,
    executeCommand: (request) => executeCommand(owners.stack.deps, request),
  });
}, 120_000);
afterAll(async () => {
  await api.close();
  await owners.close();
});

function caseOf(caseId: string, ...steps: readonly [string, string, string][]): PermitCase {
  return { caseId, activities: steps.map(([name, group, person]) => ({ name, group, person })) };
}

const cases = [
  caseOf(
    'case-1',
    ['Receive', 'Group 1', 'Ann'],
    ['Check', 'Group 4', 'Ben'],
    ['Receive', 'Group 1', 'Ann'],
  ),
  caseOf('case-2', ['Receive', 'EMPTY', 'Cleo'], ['Check', 'Bürgeramt; "Nord", 1', 'Ben']),
  caseOf('case-3', ['Receive', 'Group 1', 'Ben']),
  caseOf(
    'case-4',
    ['Receive', 'EMPTY', 'Ann'],
    ['Decide', 'EMPTY', 'Ben'],
    ['Close', 'Group 4', 'Ben'],
  ),
];
const log: EventLog = {
  cases,
  people: new Map([
    ['Ann', ['Group 1']],
    ['Ben', ['Group 4', 'Bürgeramt; "Nord", 1', 'Group 1']],
    ['Cleo', []],
  ]),
};

async function apiAs(
  subject: string,
  groups: readonly string[],
  grants: readonly string[],
): Promise<UserTaskApi> {
  const identity = {
    subject,
    name: subject,
    provider: MUNICIPALITY,
    tenantId: TENANT,
    groups,
    grants,
  };
  return createUserTaskApi({
    baseUrl: api.url,
    token: await api.issuer.token(identity),
    patienceMs: 10_000,
  });
}

async function runOf(runId: string, given: EventLog = log): Promise<PermitsRun> {
  const grants = ['user-tasks:view', 'user-tasks:claim', 'user-tasks:complete'];
  const people = new Map<string, UserTaskApi>();
  for (const [person, groups] of given.people)
    people.set(person, await apiAs(person, groups, grants));
  return {
    log: given,
    client: owners.stack.client,
    taskQueue: owners.taskQueue,
    manager: await apiAs('manager', [], ['user-tasks:view', 'user-tasks:supervise']),
    apiOf: (person) => people.get(person)!,
    workflowIdOf: (caseId) => `permit/${runId}/${caseId}`,
    patienceMs: 10_000,
    concurrency: 3,
    onProgress: () => undefined,
  };
}

describe('the permits example', () => {
  it('takes every case through exactly its activities by exactly its people (UT-100, UT-103, UT-261)', async () => {
    const report = await runPermits(await runOf('first'));
    expect(report.wrong).toEqual([]);
    expect(report).toMatchObject({ cases: 4, activities: 9, retried: 0 });
    expect(report.claim.count).toBe(9);
    expect(report.complete.max).toBeGreaterThan(0);
  });

  it('says where results, rows and events are not as in the log', async () => {
    const run = await runOf('second');
    const [permit] = cases;
    await runPermits({ ...run, log: { ...log, cases: [permit!] } });
    const result = await owners.stack.client.workflow
      .getHandle(run.workflowIdOf('case-1'))
      .result();
    const other = caseOf('case-1', ['Receive', 'Group 1', 'Ben'], ['Decide', 'Group 4', 'Ben']);
    const wrong = await verifyCase({ permit: other, result }, run);
    expect(wrong).toEqual(
      expect.arrayContaining([
        'case-1: steps in the result: 3 instead of 2',
        'case-1: rows: 3 instead of 2',
        'case-1 step 1: person in the result: Ann instead of Ben',
        'case-1 step 1: person in the row: Ann instead of Ben',
        // Ben never held it, so its timeline is empty to him.
        'case-1 step 1: people in the events:  instead of Ben',
        'case-1 step 2: activity in the result: Check instead of Decide',
        'case-1 step 2: title of the row: Check instead of Decide',
      ]),
    );
  });

  it('reports a case whose person is no member of the group, and goes on with the others', async () => {
    const possible = caseOf('case-5', ['Receive', 'EMPTY', 'Cleo']);
    const given = {
      cases: [cases[2]!, possible],
      people: new Map([
        ['Ben', ['Group 4']],
        ['Cleo', []],
      ]),
    };
    const run = { ...(await runOf('third', given)), patienceMs: 5_000 };
    const report = await runPermits(run);
    expect(report.cases).toBe(1);
    expect(report.wrong).toEqual([expect.stringContaining('was never offered to Ben')]);
    await owners.stack.client.workflow.getHandle(run.workflowIdOf('case-3')).terminate();
  });
});
