import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { createPayloadCodec } from '../../platform/payload-codec';
import type { PrismaClient } from '../../prisma/generated/client';
import { testKeyRing } from '../harness/task-stack';

/** Where a canary was found: `table.column`, once for each canary. */
export interface Finding {
  readonly column: string;
  readonly canary: string;
}

/** Looks for the canaries in every column of every table of the database. */
export async function searchTables(
  database: PrismaClient,
  canaries: readonly string[],
): Promise<readonly Finding[]> {
  const columns = await database.$queryRaw<{ table: string; column: string }[]>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'`;
  const found: Finding[] = [];
  for (const { table, column } of columns) {
    const values = await database.$queryRawUnsafe<{ value: string | null }[]>(
      `select "${column}"::text as value from "${table}"`,
    );
    const text = values.map(({ value }) => value ?? '').join('\n');
    found.push(
      ...foundIn(text, canaries).map((canary) => ({ column: `${table}.${column}`, canary })),
    );
  }
  return found;
}

/** The canaries that stand in a text, as they are or within something in base64. */
export function foundIn(text: string, canaries: readonly string[]): readonly string[] {
  return canaries.filter((canary) => formsOf(canary).some((form) => text.includes(form)));
}

/** The text itself and what becomes of it in base64, whatever stands before it. */
function formsOf(text: string): readonly string[] {
  const encoded = [0, 1, 2].map((before) =>
    Buffer.from('.'.repeat(before) + text)
      .toString('base64')
      // The first and last characters hold bits of the neighbours too.
      .slice(before === 0 ? 0 : before + 1, -4),
  );
  return [text, ...encoded];
}

/** All that Temporal keeps of a workflow and shows to whoever may look, as text and without any key. */
export async function rawText(client: Client, workflowId: string): Promise<string> {
  const { namespace } = client.options;
  const execution = { workflowId };
  const described = await client.workflowService.describeWorkflowExecution({
    namespace,
    execution,
  });
  return textOf([described, ...(await histories(client, workflowId))]);
}

/** The same with the payloads decrypted: what the search would find if nothing were encrypted. */
export async function decryptedText(client: Client, workflowId: string): Promise<string> {
  const payloads = (await histories(client, workflowId)).flatMap(payloadsIn);
  const decoded = await createPayloadCodec(testKeyRing()).decode(payloads);
  return textOf(decoded);
}

/** The histories of all runs under the id, as they come off the wire. */
async function histories(client: Client, workflowId: string): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    let nextPageToken: Uint8Array | null = null;
    do {
      const page: Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>> =
        await client.workflowService.getWorkflowExecutionHistory({
          namespace: client.options.namespace,
          execution: { workflowId, runId },
          nextPageToken,
        });
      events.push(...(page.history?.events ?? []));
      nextPageToken = page.nextPageToken;
    } while (nextPageToken.length > 0);
  }
  if (events.length === 0) throw new Error(`no history of ${workflowId}`);
  return events;
}

/** Every text and every byte in it, bytes read as text. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, member]) => `${key}\n${textOf(member)}`)
    .join('\n');
}

function payloadsIn(value: unknown): readonly Payload[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if ('metadata' in value && 'data' in value && value.data instanceof Uint8Array) {
    return [value as Payload];
  }
  return Object.values(value).flatMap(payloadsIn);
}
