import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Permission } from '../../domain/user-tasks/grants';
import type { Person } from '../../domain/user-tasks/actor';
import type { CommandKind } from '../../domain/user-tasks/commands';
import { personOf } from '../authenticate';
import { parseBody, taskIdOf } from '../parse-request';
import type { ProblemCode } from '../problem';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import type { CommandAnswer, CommandDraft, CommandRequest } from './execute-command';
import { operationAddress } from './operation-address';
import { presentSummary } from './present';
import { commandResultWire, pendingCommandWire } from './wire';

/** What command routes need: the way to the task. */
export interface CommandRouteDependencies {
  /** Carries a command to its task and back. @throws {Problem} for every refusal */
  readonly executeCommand: (request: CommandRequest) => Promise<CommandAnswer>;
}

/** What sets one verb's route apart. */
export interface CommandRouteSpec<S extends z.ZodType> {
  readonly kind: CommandKind;
  readonly method: 'post' | 'patch';
  readonly path: string;
  readonly permission: Permission;
  readonly summary: string;
  readonly description: string;
  readonly body: S;
  /** Refusals beside those that every command may meet. */
  readonly problems: readonly ProblemCode[];
  readonly command: (body: z.output<S>, person: Person) => CommandDraft;
}

const COMMAND_PROBLEMS = [
  ...COMMON_PROBLEMS,
  'not-found',
  'invalid-request',
  'revision-conflict',
  'idempotency-conflict',
  'terminal',
  'transition-in-progress',
  'command-expired',
  'payload-too-large',
  'outcome-unknown',
] as const satisfies readonly ProblemCode[];

/** The path parameter of every route of one task. */
export const taskPath = z.object({
  taskId: z
    .string()
    .meta({ description: 'Id of the task.', example: 'task_6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55' }),
});

/** Terminal commands are accepted; what came of them shows in the task. @see UT-221 */
const ACCEPTED_KINDS: readonly CommandKind[] = ['complete', 'cancel', 'retryResolution'];

/**
 * The route of one verb: reads the body, makes a command of it, has it executed, presents the answer. What every verb
 * has in common stands here; `claim.ts` and its siblings say what is their own.
 * @see UT-221, UT-410
 */
export function commandRoute<S extends z.ZodType>(
  deps: CommandRouteDependencies,
  spec: CommandRouteSpec<S>,
): Route {
  return {
    method: spec.method,
    path: spec.path,
    permission: spec.permission,
    operation: operationOf(spec),
    handle: async (request, response) => {
      const person = personOf(request);
      const taskId = taskIdOf(request);
      const command = spec.command(parseBody(spec.body, request), person);
      const answer = await deps.executeCommand({
        person,
        taskId,
        command,
        respondAsync: prefersAsync(request),
      });
      if (answer.kind === 'pending') respondPending(response, taskId, answer.operationId);
      else respondDone(response, answer, person);
    },
  };
}

/** @see RFC 7240 */
function prefersAsync(request: Request): boolean {
  const preferences = (request.headers['prefer'] ?? '').toString().split(',');
  return preferences.some(
    (preference) => preference.split(';')[0]?.trim().toLowerCase() === 'respond-async',
  );
}

function respondPending(response: Response, taskId: string, operationId: string): void {
  response.setHeader('Location', operationAddress(taskId, operationId));
  response.setHeader('Preference-Applied', 'respond-async');
  response
    .status(202)
    .json({ operationId, status: 'pending' } satisfies z.output<typeof pendingCommandWire>);
}

function respondDone(
  response: Response,
  answer: Extract<CommandAnswer, { kind: 'done' }>,
  person: Person,
): void {
  const task = presentSummary(answer.view, person, new Date());
  const { operationId, status } = answer;
  response
    .status(status === 'accepted' ? 202 : 200)
    .json({ operationId, status, revision: task.revision, task } satisfies z.output<
      typeof commandResultWire
    >);
}

function operationOf<S extends z.ZodType>(spec: CommandRouteSpec<S>): Route['operation'] {
  const accepted = ACCEPTED_KINDS.includes(spec.kind);
  const done = {
    'application/json': {
      schema: accepted ? z.union([commandResultWire, pendingCommandWire]) : commandResultWire,
    },
  };
  const pending = {
    description: accepted
      ? 'Accepted; the task says what came of it. With `Prefer: respond-async` it is on its way.'
      : 'On its way (`Prefer: respond-async`).',
    headers: z.object({
      Location: z
        .string()
        .optional()
        .meta({ description: 'With `Prefer: respond-async`: where the outcome will be readable.' }),
      'Preference-Applied': z
        .string()
        .optional()
        .meta({ description: '`respond-async` when it was honoured.' }),
    }),
    content: accepted ? done : { 'application/json': { schema: pendingCommandWire } },
  };
  return {
    operationId: `${spec.kind}UserTask`,
    tags: ['Commands'],
    summary: spec.summary,
    description: spec.description,
    requestParams: {
      path: taskPath,
      header: z.object({
        Prefer: z.string().optional().meta({
          description: '`respond-async` sends the command and does not wait for its outcome.',
        }),
      }),
    },
    requestBody: { required: true, content: { 'application/json': { schema: spec.body } } },
    responses: {
      ...(accepted ? {} : { '200': { description: 'Done.', content: done } }),
      '202': pending,
      ...problemResponses([...COMMAND_PROBLEMS, ...spec.problems], true),
    },
  };
}
