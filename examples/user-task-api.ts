import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const participantSchema = z.object({ type: z.string(), provider: z.string(), id: z.string() });

const taskSchema = z.object({
  id: z.string(),
  title: z.string(),
  reference: z.string().nullable(),
  status: z.string(),
  revision: z.number(),
  assignee: participantSchema.nullable(),
  workflowInstanceId: z.string(),
  allowedActions: z.array(z.string()),
});
const pageSchema = z.object({
  items: z.array(taskSchema),
  nextCursor: z.string().nullish(),
  totalCount: z.number().nullish(),
});
const eventsSchema = z.object({
  items: z.array(z.object({ kind: z.string(), actorDisplayName: z.string().nullable() })),
});
const commandSchema = z.object({ revision: z.number() });
const operationSchema = z.object({
  status: z.enum(['pending', 'accepted', 'completed', 'rejected', 'failed']),
  revision: z.number().nullable(),
});
const problemSchema = z.object({ code: z.string(), detail: z.string().nullish() });

/** A task as a list shows it. */
export type ListedTask = z.infer<typeof taskSchema>;

/** An answer that is neither success nor worth another try. */
export class RefusedError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(request: string, status: number, code: string, detail: string) {
    super(`${request}: ${status} ${code} ${detail}`);
    this.status = status;
    this.code = code;
  }
}

/** What became of a command: the task's revision, and whether it took more than one request. */
export interface Done {
  readonly revision: number;
  readonly retried: boolean;
}

/** The calls of one person, as the API knows them by their token. */
export interface UserTaskApi {
  /** Parameters as in the API; a list repeats the parameter. */
  list(
    query: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<z.infer<typeof pageSchema>>;
  /** The first 200 events, oldest first. */
  events(taskId: string): Promise<z.infer<typeof eventsSchema>['items']>;
  claim(taskId: string, command: Readonly<Record<string, unknown>> & Command): Promise<Done>;
  complete(taskId: string, command: Readonly<Record<string, unknown>> & Command): Promise<Done>;
}

interface Command {
  readonly operationId: string;
  readonly expectedRevision: number;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly retried: boolean;
}

/**
 * Calls the API for one person and does not give up while it is away: what meets no server, an outage (503), an unknown
 * outcome (504) or a limit (429) is sent again, commands under the same operation id, so that nothing happens twice.
 * @param options.patienceMs - for how long one call is tried
 */
export function createUserTaskApi(options: {
  readonly baseUrl: string;
  readonly token: string;
  readonly patienceMs: number;
}): UserTaskApi {
  const send = (method: string, path: string, body?: unknown) =>
    sendPatiently(options, method, path, body);
  const read = async (path: string): Promise<unknown> =>
    successOf(path, await send('GET', path)).body;
  const command = async (taskId: string, verb: string, body: Command): Promise<Done> => {
    const path = `/user-tasks/${taskId}/${verb}`;
    const answer = await send('POST', path, body);
    if (isSuccess(answer)) return { ...commandSchema.parse(answer.body), retried: answer.retried };
    // The answer to an earlier try was lost, and this one met what that try had done.
    const earlier = answer.retried ? await outcomeOf(read, taskId, body.operationId) : null;
    if (earlier !== null) return { revision: earlier, retried: true };
    throw refusedBy(`POST ${path}`, answer);
  };
  return {
    list: async (query) => pageSchema.parse(await read(`/user-tasks?${searchOf(query)}`)),
    events: async (taskId) =>
      eventsSchema.parse(await read(`/user-tasks/${taskId}/events?limit=200`)).items,
    claim: (taskId, body) => command(taskId, 'claim', body),
    complete: (taskId, body) => command(taskId, 'complete', body),
  };
}

async function outcomeOf(
  read: (path: string) => Promise<unknown>,
  taskId: string,
  operationId: string,
): Promise<number | null> {
  const path = `/user-tasks/${taskId}/operations/${encodeURIComponent(operationId)}?wait=30`;
  try {
    const { status, revision } = operationSchema.parse(await read(path));
    return status === 'accepted' || status === 'completed' ? revision : null;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null;
    throw error;
  }
}

function searchOf(query: Readonly<Record<string, string | readonly string[]>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of typeof value === 'string' ? [value] : value) search.append(name, item);
  }
  return search.toString();
}

async function sendPatiently(
  { baseUrl, token, patienceMs }: { baseUrl: string; token: string; patienceMs: number },
  method: string,
  path: string,
  body: unknown,
): Promise<Answer> {
  const deadline = Date.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendOnce(`${baseUrl}${path}`, token, method, body);
    const retried = attempt > 1;
    if (answer !== null && !isPassing(answer)) return { ...answer, retried };
    if (Date.now() > deadline) {
      if (answer !== null) throw refusedBy(`${method} ${path}`, { ...answer, retried });
      throw new Error(`${baseUrl} does not answer.`);
    }
    await sleep(answer?.retryAfterMs ?? Math.min(2_000, 50 * 2 ** Math.min(attempt, 6)));
  }
}

type Received = Omit<Answer, 'retried'> & { readonly retryAfterMs: number | null };

/** Null when no answer came: nobody can say whether the request arrived. */
async function sendOnce(
  url: string,
  token: string,
  method: string,
  body: unknown,
): Promise<Received | null> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) ? Math.max(100, seconds * 1_000) : null;
    return {
      status: response.status,
      body: text === '' ? null : (JSON.parse(text) as unknown),
      retryAfterMs,
    };
  } catch {
    return null;
  }
}

/** Above the time that the API itself waits for an outcome, so that its own answer comes first. */
const REQUEST_TIMEOUT_MS = 40_000;

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Whether the same request may succeed later. An expired command was not accepted, and its id is free again. */
function isPassing({ status, body }: Received): boolean {
  return (
    [429, 500, 502, 503, 504].includes(status) ||
    (status === 409 && problemOf(body).code === 'command-expired')
  );
}

function successOf(path: string, answer: Answer): Answer {
  if (!isSuccess(answer)) throw refusedBy(`GET ${path}`, answer);
  return answer;
}

function refusedBy(request: string, { status, body }: Answer): RefusedError {
  const { code, detail } = problemOf(body);
  return new RefusedError(request, status, code, detail ?? '');
}

function problemOf(body: unknown): z.infer<typeof problemSchema> {
  const problem = problemSchema.safeParse(body);
  return problem.success ? problem.data : { code: 'no-problem-document', detail: null };
}
