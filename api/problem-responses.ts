import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { PROBLEMS, type ProblemCode } from './problem';

const problemWire = z
  .strictObject({
    type: z.string().meta({ description: '`/problems/` and the code.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'Fit to show.' }),
    instance: z.string().meta({ description: '`urn:uuid:` of this request, which the log names.' }),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    message: z.string().meta({ description: 'The same as `detail`.' }),
    errors: z
      .array(
        z.strictObject({
          pointer: z.string().meta({
            description: 'JSON pointer (RFC 6901) into the body, or the name of a parameter.',
          }),
          detail: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem document; every failure is one.' });

/** Failures that any route for signed-in callers may answer with. */
export const COMMON_PROBLEMS = [
  'unauthenticated',
  'permission-denied',
  'rate-limited',
  'internal',
  'unavailable',
] as const satisfies readonly ProblemCode[];

const HEADERS: Readonly<Partial<Record<number, z.ZodObject>>> = {
  401: z.object({ 'WWW-Authenticate': z.string().meta({ description: 'Always `Bearer`.' }) }),
  429: z.object({ 'Retry-After': z.string().meta({ description: 'Seconds.' }) }),
  503: z.object({ 'Retry-After': z.string().meta({ description: 'Seconds.' }) }),
  504: z.object({
    Location: z.string().meta({ description: 'Where the outcome will be readable.' }),
  }),
};

/**
 * The failures of a route as OpenAPI describes them, by status.
 * @param withBody - whether the route reads a body, which may be unparsable
 */
export function problemResponses(
  codes: readonly ProblemCode[],
  withBody = false,
): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes)
    byStatus.set(PROBLEMS[code].status, [...(byStatus.get(PROBLEMS[code].status) ?? []), code]);
  if (withBody) {
    byStatus.set(400, ['invalid-request']);
    byStatus.set(415, ['unsupported-media-type']);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, listed]) => [String(status), responseOf(status, listed)]),
  );
}

function responseOf(status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const headers = HEADERS[status];
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
    content: { 'application/problem+json': { schema: problemWire } },
    ...(headers === undefined ? {} : { headers }),
  };
}
