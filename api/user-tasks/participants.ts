import { z } from 'zod';
import { personOf } from '../authenticate';
import { parseQuery } from '../parse-request';
import { COMMON_PROBLEMS, problemResponses } from '../problem-responses';
import type { Route } from '../route';
import { text } from './command-schema';
import { one } from './list-query';
import type { ReadDependencies } from './visible-task';
import { participantPageWire, participantOnWire } from './wire';

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 200;

const parameters = z.object({
  search: one
    .pipe(text(200))
    .optional()
    .meta({ description: 'Part of a name or id, in any case.' }),
  type: one.optional().meta({ description: '`user` or `group`; anything else does not filter.' }),
  cursor: one.pipe(text(2000)).optional().meta({ description: '`nextCursor` of the page before.' }),
  limit: one
    .optional()
    .meta({ description: `${DEFAULT_LIMIT} unless given, at most ${MAXIMUM_LIMIT}.` }),
});

interface Row {
  readonly provider: string;
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly displayName: string | null;
  readonly key: string;
  readonly name: string;
}

/**
 * `GET /user-task-participants`: whom a task may be assigned to, from what activities have brought out of the directory;
 * the directory itself is never asked here.
 * @see UT-241
 */
export function participantsRoute({ database }: ReadDependencies): Route {
  return {
    method: 'get',
    path: '/user-task-participants',
    permission: 'user-tasks/participants:view',
    operation: {
      operationId: 'listParticipants',
      tags: ['Participants'],
      summary: 'Find people and groups',
      requestParams: { query: parameters },
      responses: {
        '200': {
          description: 'One page, by name.',
          content: { 'application/json': { schema: participantPageWire } },
        },
        ...problemResponses([...COMMON_PROBLEMS, 'invalid-request']),
      },
    },
    handle: async (request, response) => {
      const { tenantId } = personOf(request).subject;
      const query = parseQuery(parameters, request);
      const limit = limitOf(query.limit);
      const after = decodeCursor(query.cursor);
      const type = query.type === 'user' || query.type === 'group' ? query.type : null;
      const search = `%${(query.search ?? '').trim().replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
      const rows = await database.$queryRawUnsafe<Row[]>(
        PAGE,
        tenantId,
        type,
        search,
        after?.name ?? null,
        after?.key ?? null,
        limit + 1,
      );
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      response.json({
        items: page.map((row) => participantOnWire({ ...row, tenantId })),
        nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last) : null,
      });
    },
  };
}

/** From 1 to the maximum; lists of tasks take what is below 1 for no limit given. @see UT-241, UT-249 */
function limitOf(given = ''): number {
  const limit = Number(given);
  if (given.trim() === '' || !Number.isInteger(limit)) return DEFAULT_LIMIT;
  return Math.min(Math.max(limit, 1), MAXIMUM_LIMIT);
}

function encodeCursor({ name, key }: Row): string {
  return Buffer.from(JSON.stringify([name, key])).toString('base64url');
}

/** An unreadable cursor means the first page. @see UT-257 */
function decodeCursor(
  cursor: string | undefined,
): { readonly name: string; readonly key: string } | null {
  try {
    const [name, key] = JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString()) as unknown[];
    return typeof name === 'string' && typeof key === 'string' ? { name, key } : null;
  } catch {
    return null;
  }
}

const PAGE = `
select p.provider, p.type, p.participant_id as id, p.display_name as "displayName", p.participant_key as key, p.name
from (select *, lower(coalesce(display_name, participant_id)) collate "C" as name from directory_participants) p
where p.tenant_id = $1 and ($2::text is null or p.type = $2)
  and (p.display_name ilike $3 or p.participant_id ilike $3)
  and ($4::text is null or (p.name, p.participant_key) > ($4 collate "C", $5))
order by p.name, p.participant_key limit $6::integer`;
