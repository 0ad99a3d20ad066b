import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { DefaultLogger } from '@temporalio/worker';
import type { Person } from '../../domain/user-tasks/actor';
import type { Json } from '../../domain/json';
import type { FormProvider } from '../../forms/form-provider';
import { tokenFor, type Answer, type Sent } from '../api/start-api';
import { createHttpStack, type HttpStack } from '../harness/http-stack';
import { within } from '../harness/within';
import { Dispatching } from '../notifications/dispatching';
import { openStream, type StreamClient } from '../notifications/api-process';
import { startReceiver, type Receiver } from '../notifications/receiver';
import { acmeForms } from './acme-forms';
import { decryptedText, foundIn, rawText, searchTables } from './canary-search';
import type { ReviewStart } from './owners';
import { ACCOUNTS_PAYABLE, m, participant, w1, w2, x } from './people';

const canary = (place: string): string => `canary-${place}-${randomUUID().slice(0, 8)}`;

/** What is planted, by where. */
const PLANTED = {
  instructions: canary('instructions'),
  note: canary('note'),
  iban: canary('iban'),
  pin: canary('pin'),
  metadata: canary('metadata'),
  variable: canary('variable'),
  accepted: canary('accepted'),
  acceptedIban: canary('accepted-iban'),
  invalid: canary('invalid'),
  stale: canary('stale'),
  signalled: canary('signalled'),
  signalledStale: canary('signalled-stale'),
  signalledInvalid: canary('signalled-invalid'),
  unreadable: canary('unreadable'),
  refusedStart: canary('refused-start'),
  failing: canary('failing'),
  quoted: canary('quoted'),
  quotedSignal: canary('quoted-signal'),
  credential: canary('credential'),
  released: canary('released'),
  assigned: canary('assigned'),
  cancelled: canary('cancelled'),
} as const;
const CANARIES: readonly string[] = Object.values(PLANTED);

interface Life {
  readonly id: string;
  readonly path: string;
  readonly ownerId: string;
}

describe('what is protected', () => {
  let stack: HttpStack;
  let receiver: Receiver;
  let dispatching: Dispatching;
  let streams: readonly StreamClient[];
  let webhookSecret: string;
  /** While true, the provider fails and quotes what it was given. */
  let failing = false;
  const sdkLog: string[] = [];
  const lives: Life[] = [];
  /** Every answer but those that are meant to show what is protected. */
  const answers: Answer[] = [];

  const forms: FormProvider = {
    ...acmeForms({ template: PLANTED.metadata }),
    resolve: async (tenantId, reference) => {
      if (failing) throw new Error(`no login with ${PLANTED.credential}`);
      return acmeForms({ template: PLANTED.metadata }).resolve(tenantId, reference);
    },
    validateAndNormalize: async (tenantId, form, actionKey, data) => {
      if (failing) throw new Error(`cannot judge ${JSON.stringify(data)}`);
      return acmeForms().validateAndNormalize(tenantId, form, actionKey, data);
    },
  };

  const ask = async (
    by: Person,
    method: string,
    path: string,
    json?: unknown,
    sent: Sent = {},
  ): Promise<Answer> => {
    const body = json === undefined ? sent : { json, ...sent };
    const answer = await stack.node.api.send(method, path, by, body);
    answers.push(answer);
    return answer;
  };
  const post = (by: Person, path: string, json: object) => ask(by, 'POST', path, json);
  const signal = (by: Person, path: string, json: object) =>
    ask(by, 'POST', path, json, { headers: { prefer: 'respond-async' } });
  const settled = (by: Person, { path }: Life, operationId: string): Promise<Answer> =>
    within(20_000, async () => {
      const answer = await ask(by, 'GET', `${path}/operations/${operationId}?wait=20`);
      return answer.status === 200 && answer;
    });
  const completion = (expectedRevision: number, operationId: string, data: Json) => ({
    expectedRevision,
    operationId,
    actionKey: 'approved',
    data,
  });

  async function raised(more: Partial<ReviewStart['input']> = {}): Promise<Life> {
    const ownerId = `owner-${randomUUID()}`;
    const input = {
      title: 'Pay invoice',
      instructions: PLANTED.instructions,
      candidateGroups: [ACCOUNTS_PAYABLE],
      form: { providerName: 'acme-forms', key: 'payment' },
      taskData: { note: PLANTED.note, iban: PLANTED.iban, pin: PLANTED.pin },
      enableCancellationOutcome: true,
      ...more,
    };
    const start = { tenantId: 'acme', taskQueue: stack.taskQueue, input };
    await stack.client.workflow.start('invoice-review', {
      workflowId: ownerId,
      taskQueue: stack.taskQueue,
      args: [{ ...start, variable: PLANTED.variable }],
    });
    const [task] = await stack.tasksOf(ownerId, 1);
    const life = { id: task!.taskId, path: `/user-tasks/${task!.taskId}`, ownerId };
    lives.push(life);
    return life;
  }

  async function claimed(more: Partial<ReviewStart['input']> = {}): Promise<Life> {
    const life = await raised(more);
    await post(w1, `${life.path}/claim`, { expectedRevision: 1 });
    return life;
  }

  const holds = async (life: Life, status: string) =>
    within(20_000, async () => {
      const row = await stack.database.userTask.findFirst({ where: { id: life.id } });
      return row?.status === status;
    });

  /** Completed by an update, after everything that is refused. */
  async function byUpdate(): Promise<void> {
    const life = await claimed();
    const { path } = life;
    const complete = (body: object) => post(w1, `${path}/complete`, body);
    expect((await complete(completion(2, 'a', { iban: [PLANTED.invalid] }))).status).toBe(422);
    expect((await complete(completion(1, 'b', { note: PLANTED.stale }))).status).toBe(409);
    expect((await complete({ wrong: PLANTED.invalid })).status).toBe(422);
    const field = { fieldKey: 'iban' };
    const revealed = await stack.as(w1).post(`${path}/reveal`, field);
    expect(revealed.body).toEqual({ ...field, value: PLANTED.iban });
    await post(w1, `${path}/reveal`, { fieldKey: 'pin' });
    const data = { note: PLANTED.accepted, iban: PLANTED.acceptedIban };
    expect((await complete(completion(2, 'c', data))).status).toBe(202);
    expect((await complete(completion(2, 'd', { note: PLANTED.stale }))).status).toBe(409);
    await holds(life, 'Completed');
  }

  /** Completed by a signal, after signals that are refused. */
  async function bySignal(): Promise<void> {
    const life = await claimed();
    const task = stack.client.workflow.getHandle(`user-task/acme/${life.id}`);
    const raw = (operationId: string, data: unknown, revision: unknown = 2) =>
      task.signal('complete', {
        ...completion(0, operationId, data as Json),
        expectedRevision: revision,
        actor: w1,
      });
    await raw('invalid', { iban: [PLANTED.signalledInvalid] });
    await raw('unreadable', { note: PLANTED.unreadable }, PLANTED.unreadable);
    await signal(w1, `${life.path}/complete`, completion(9, 's', { note: PLANTED.signalledStale }));
    expect((await settled(m, life, 'invalid')).body).toMatchObject({ errorCode: 'form-invalid' });
    expect((await settled(m, life, 'unreadable')).body).toMatchObject({ status: 'rejected' });
    expect((await settled(w1, life, 's')).body).toMatchObject({ status: 'rejected' });
    await stack.stopWorker();
    await signal(w1, `${life.path}/complete`, completion(2, 'ok', { note: PLANTED.signalled }));
    // Until it is decided it may have to be sent again.
    expect(await searchTables(stack.database, [PLANTED.signalled])).toEqual([
      { column: 'user_task_operations.command', canary: PLANTED.signalled },
    ]);
    await stack.startWorker();
    await settled(w1, life, 'ok');
    await holds(life, 'Completed');
  }

  async function byTimeout(): Promise<void> {
    const life = await raised({
      dueAt: 'PT1S',
      enableTimeoutOutcome: true,
      assignee: participant('user', 'w1'),
    });
    await holds(life, 'TimedOut');
  }

  /** Handed around with reasons, then cancelled. */
  async function byCancellation(): Promise<void> {
    const life = await claimed();
    const { path } = life;
    const step = (verb: string, by: Person, json: object) => post(by, `${path}/${verb}`, json);
    await step('release', w1, { expectedRevision: 2, reason: PLANTED.released });
    const assignee = { id: 'w2' };
    await step('assign', m, { expectedRevision: 3, assignee, reason: PLANTED.assigned });
    // Refused, and remembered without its reason.
    await step('assign', m, { expectedRevision: 1, assignee, reason: PLANTED.stale });
    await step('cancel', w2, { expectedRevision: 4, operationId: 'x', reason: PLANTED.stale });
    const reason = PLANTED.cancelled;
    expect(
      (await step('cancel', m, { expectedRevision: 4, operationId: 'y', reason })).status,
    ).toBe(202);
    await holds(life, 'Cancelled');
  }

  /** Completed while everything fails once that can fail. */
  async function throughFailures(): Promise<void> {
    const life = await claimed();
    const complete = (body: object) => post(w1, `${life.path}/complete`, body);
    stack.apiDatabase.cut();
    expect((await complete(completion(2, 'e', { note: PLANTED.failing }))).status).toBe(503);
    stack.apiDatabase.restore();
    stack.workerDatabase.cut();
    await signal(w1, `${life.path}/complete`, completion(2, 'g', { note: PLANTED.failing }));
    const logged = () => sdkLog.some((line) => line.includes('Activity failed'));
    await within(20_000, logged);
    stack.workerDatabase.restore();
    await settled(w1, life, 'g');
    await holds(life, 'Completed');
  }

  /** The form provider fails and quotes what it was given, and what it keeps for itself. */
  async function quotingProvider(): Promise<void> {
    const life = await claimed();
    failing = true;
    const update = completion(2, 'h', { note: PLANTED.quoted });
    expect((await post(w1, `${life.path}/complete`, update)).status).toBe(503);
    const workflowId = `user-task/acme/${life.id}`;
    const task = stack.client.workflow.getHandle(workflowId);
    const failures = (): number =>
      sdkLog.filter((line) => line.includes('Activity failed') && line.includes(life.id)).length;
    await task.signal('complete', {
      ...completion(2, 'i', { note: PLANTED.quotedSignal }),
      actor: w1,
    });
    await within(20_000, () => failures() > 0);
    // The last failure of an activity that is tried again is shown to operators.
    expect(foundIn(await rawText(stack.client, workflowId), CANARIES)).toEqual([]);
    const raising = raised();
    await within(20_000, () => sdkLog.some((line) => /Activity failed[^]*'resolve'/.test(line)));
    failing = false;
    await raising;
    await holds(life, 'Completed');
  }

  async function refusedStart(): Promise<void> {
    const start = {
      tenantId: 'acme',
      taskQueue: stack.taskQueue,
      input: { title: 'x', priority: PLANTED.refusedStart, instructions: PLANTED.refusedStart },
    };
    const ownerId = `owner-${randomUUID()}`;
    const refused = stack.client.workflow.execute('invoice-review', {
      workflowId: ownerId,
      taskQueue: stack.taskQueue,
      args: [start],
    });
    await expect(refused).rejects.toThrow();
    const { events } = await stack.client.workflow.getHandle(ownerId).fetchHistory();
    const initiated = events?.find(
      (event) => event.startChildWorkflowExecutionInitiatedEventAttributes,
    );
    const child = initiated?.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
    refusedIds.push(ownerId, child!);
  }
  const refusedIds: string[] = [];

  async function readAround(): Promise<void> {
    for (const { path } of lives) {
      for (const by of [w1, w2, m, x]) {
        for (const more of ['/events', '/capabilities', '/operations/c', '/operations/ok']) {
          await ask(by, 'GET', path + more);
        }
      }
      for (const by of [w2, x]) {
        const other = await stack.node.api.get(path, by);
        // The assignee of the cancelled task, who may not read it any more.
        answers.push(other);
      }
    }
    for (const query of ['?scope=history', '?scope=available', '?scope=assigned']) {
      for (const by of [w1, w2]) await ask(by, 'GET', `/user-tasks${query}`);
    }
    await ask(m, 'GET', '/user-tasks?scope=all&includeTotalCount=true');
    for (const text of CANARIES) {
      const found = await stack.as(m).list(`?scope=all&includeTotalCount=true&search=${text}`);
      expect(found).toMatchObject({ items: [], totalCount: 0 });
    }
    await ask(m, 'GET', '/user-task-webhooks');
    await ask(m, 'GET', '/metrics');
    await ask(m, 'GET', '/openapi.json');
  }

  beforeAll(async () => {
    receiver = await startReceiver();
    stack = await createHttpStack({
      formProviders: [forms],
      worker: { workflowsPath: require.resolve('./owners') },
      sdkLogger: new DefaultLogger('DEBUG', (entry) => sdkLog.push(inspect(entry, { depth: 20 }))),
    });
    dispatching = new Dispatching(stack.database);
    const created = await stack.as(m).post('/user-task-webhooks', { url: receiver.url });
    webhookSecret = created.body['secret'] as string;
    streams = await Promise.all(
      [m, w1].map(async (by) =>
        openStream(stack.node.api, await tokenFor(stack.node.api.issuer, by)),
      ),
    );
    await byUpdate();
    await bySignal();
    await byTimeout();
    await byCancellation();
    await throughFailures();
    await quotingProvider();
    await refusedStart();
    await dispatching.dispatch();
    await readAround();
  }, 240_000);
  afterAll(async () => {
    await Promise.all(streams.map((stream) => stream.close()));
    await stack.close();
    await receiver.close();
  });

  it('stands in protected columns and nowhere else in the database (UT-038, UT-098, UT-145, UT-157)', async () => {
    const found = await searchTables(stack.database, [...CANARIES, webhookSecret]);
    const columns = (...names: (keyof typeof PLANTED)[]) => names.map((name) => PLANTED[name]);
    const byColumn: Record<string, string[]> = {};
    for (const { column, canary: each } of found) (byColumn[column] ??= []).push(each);
    expect(byColumn).toEqual({
      'user_task_protected.instructions': columns('instructions'),
      'user_task_protected.task_data': columns('note', 'iban', 'pin'),
      'user_task_protected.form': columns('metadata'),
      'user_task_protected.response': columns(
        'accepted',
        'acceptedIban',
        'signalled',
        'failing',
        'quotedSignal',
      ),
      'user_task_events.reason': columns('released', 'assigned', 'cancelled'),
    });
  });

  it('is in no answer but the detail of those who may read it (UT-047, UT-158, UT-217)', () => {
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses]).toEqual(expect.arrayContaining([200, 202, 404, 409, 422, 503]));
    const told = answers.map(({ text }) => text).join('\n');
    expect(foundIn(told, [...CANARIES, webhookSecret])).toEqual([]);
  });

  it('is shown to the completer but for what is masked and what the provider keeps (UT-094, UT-095, UT-098)', async () => {
    const { text } = await stack.as(w1).get(lives[0]!.path);
    expect(foundIn(text, CANARIES)).toEqual([PLANTED.instructions, PLANTED.note, PLANTED.accepted]);
    const managed = await stack.as(m).get(lives[3]!.path);
    expect(foundIn(managed.text, CANARIES)).toEqual([PLANTED.instructions, PLANTED.note]);
  });

  it('is in no line that API or worker have logged, no more than tokens and hashes (UT-047, UT-098, UT-145)', async () => {
    const logged = stack.node.logged() + sdkLog.join('\n');
    expect(logged.length).toBeGreaterThan(10_000);
    const operations = await stack.database.userTaskOperation.findMany();
    const hashes = operations.flatMap((each) => [each.requestHash, each.receivedHash]);
    const secrets = [...hashes.filter((hash) => hash !== ''), webhookSecret];
    expect(foundIn(logged, [...CANARIES, ...secrets])).toEqual([]);
    expect(logged).not.toMatch(/eyJ[\w-]{9,}\.eyJ/);
  });

  it('is in no webhook message and on no live stream (UT-269, UT-157)', async () => {
    const [managers, workers] = streams;
    await managers!.messages(20);
    await workers!.messages(20);
    expect(receiver.received.length).toBeGreaterThan(20);
    const told = receiver.received.map(({ text, headers }) => text + JSON.stringify(headers));
    expect(foundIn(told.join('\n'), [...CANARIES, webhookSecret])).toEqual([]);
    expect(foundIn(managers!.text() + workers!.text(), CANARIES)).toEqual([]);
  });

  it('stands nowhere in clear text in Temporal, neither with the task nor with its owner (UT-386, UT-145)', async () => {
    const found: string[] = [];
    const ids = lives.flatMap(({ id, ownerId }) => [`user-task/acme/${id}`, ownerId]);
    for (const workflowId of [...ids, ...refusedIds]) {
      const raw = await rawText(stack.client, workflowId);
      expect(raw.length).toBeGreaterThan(1_000);
      expect(foundIn(raw, CANARIES)).toEqual([]);
      found.push(...foundIn(await decryptedText(stack.client, workflowId), CANARIES));
    }
    // The search would find them: all that was sent to Temporal is there once it is decrypted.
    const unsent = [PLANTED.invalid, PLANTED.stale, PLANTED.quoted, PLANTED.credential];
    const sent = CANARIES.filter((each) => !unsent.includes(each));
    expect(found).toEqual(expect.arrayContaining(sent));
    expect(foundIn(found.join('\n'), [PLANTED.invalid, PLANTED.stale, PLANTED.quoted])).toEqual([]);
  });

  it('keeps handles, hashes and runs out of every answer (UT-047)', async () => {
    const [tasks, operations] = [
      await stack.database.userTask.findMany(),
      await stack.database.userTaskOperation.findMany(),
    ];
    const internal = [
      ...tasks.flatMap((task) => [
        task.workflowId,
        task.runId,
        task.ownerRunId,
        task.materializationKey,
      ]),
      ...operations.flatMap(({ requestHash, receivedHash }) => [requestHash, receivedHash]),
    ].filter((text) => text !== '');
    const details = await Promise.all(lives.map(({ path }) => stack.as(m).get(path)));
    const told = [...answers, ...details].map(({ text }) => text).join('\n');
    expect(internal.filter((text) => told.includes(text))).toEqual([]);
  });
});
