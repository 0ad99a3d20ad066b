import { z } from 'zod';
import { DUE_AT_FORMS, parseDueAt, type DueAtInput } from '../../domain/due-at';
import { isJson, isStorableText, type Json } from '../../domain/json';
import { COMMAND_LIMITS } from '../../domain/user-tasks/commands';
import { TEXT_LIMITS } from '../../domain/user-tasks/definition';
import { isOperationId } from '../../domain/user-tasks/parse-command';
import { PARTICIPANT_LIMITS } from '../../domain/user-tasks/participant';

/** Text of at most `limit` characters that can be stored. @see UT-288 */
export function text(limit: number): z.ZodString {
  return z
    .string()
    .max(limit)
    .refine(isStorableText, 'must not contain U+0000 or half of a surrogate pair');
}

/** How the document says that a text must not be blank. */
const NOT_BLANK = { minLength: 1, pattern: '\\S' };

/** Revisions are 32-bit in rows. */
const expectedRevision = z.int().min(0).max(2_147_483_647).meta({
  description:
    'Revision of the task that you have seen; if it has changed since, the answer is `revision-conflict`.',
  example: 1,
});

const operationId = text(COMMAND_LIMITS.operationId)
  .refine(isOperationId, 'must not be blank')
  .meta({
    description:
      'Your key for this submission: repeat it when you repeat the request, and nothing happens twice.',
    example: 'OP-1',
    override: NOT_BLANK,
  });

const optionalOperationId = operationId.nullish().meta({
  description:
    'Your key for this submission; one is made when there is none, but then the request cannot be repeated safely.',
});

const reason = text(COMMAND_LIMITS.reason).nullish();

export const claimBody = z.strictObject({ expectedRevision, operationId: optionalOperationId });

export const releaseBody = z.strictObject({
  expectedRevision,
  operationId: optionalOperationId,
  reason: reason.meta({
    description: 'Kept with the event, for managers’ audits; the timeline does not show it.',
  }),
});

const participantType = z.enum(['user', 'group']);

export const assignBody = z.strictObject({
  expectedRevision,
  operationId: optionalOperationId,
  assignee: z
    .strictObject({
      provider: text(PARTICIPANT_LIMITS.provider)
        .min(1)
        .nullish()
        .meta({ description: 'Your own provider unless given.' }),
      type: participantType.optional(),
      kind: participantType.optional().meta({ description: 'The same as `type`.' }),
      id: text(PARTICIPANT_LIMITS.id).meta({ override: NOT_BLANK }),
      displayName: text(PARTICIPANT_LIMITS.displayName).nullish(),
    })
    .refine(
      ({ type, kind }) => type === undefined || kind === undefined || type === kind,
      'type and kind must not differ',
    )
    .meta({ description: 'A user of your tenant. Need not be a candidate.' }),
  reason,
});

export const updateBody = z.strictObject({
  expectedRevision,
  operationId: optionalOperationId,
  priority: z.number().optional().meta({ description: 'Integer from 0 to 100.', example: 75 }),
  dueAt: z
    .union([
      z.string().meta({ example: '2026-05-01T09:00:00Z' }),
      z.strictObject({ localDate: z.string(), timeZone: z.string() }),
    ])
    .transform((given, context): DueAtInput => {
      const read = parseDueAt(given);
      if (read !== null) return read;
      context.addIssue({ code: 'custom', message: `must be ${DUE_AT_FORMS}` });
      return z.NEVER;
    })
    .nullable()
    .optional()
    .meta({
      description: `When it should be done: ${DUE_AT_FORMS}, a date alone meaning until that day has ended; null takes the due date away. The answer tells the instant that was understood.`,
    }),
});

export const completeBody = z.strictObject({
  expectedRevision,
  operationId,
  actionKey: text(TEXT_LIMITS.actionKey).meta({
    description: 'Key of one of the task’s actions.',
    example: 'approve',
  }),
  data: z
    .unknown()
    .transform((given, context): Json => {
      const data = given ?? null;
      if (isJson(data)) return data;
      context.addIssue({ code: 'custom', message: 'is nested too deeply' });
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'Data for the action’s form, at most 256 KiB; absent or null for an action without form.',
    }),
});

export const cancelBody = z.strictObject({
  expectedRevision,
  operationId,
  reason: reason.meta({ description: 'Why; must not be blank.' }),
});
