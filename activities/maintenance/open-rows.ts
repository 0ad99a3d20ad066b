import type { PrismaClient } from '../../prisma/generated/client';
import type { Page, PageRequest, TaskKey } from './maintenance-activities';

/** Open rows that nothing has touched for a while, from the index of open tasks and in its order. */
export async function listOpenRows(
  database: PrismaClient,
  {
    tenantId,
    after,
    limit,
    untouchedForMs,
  }: PageRequest<TaskKey> & { readonly untouchedForMs: number },
): Promise<Page<TaskKey, TaskKey>> {
  const parameters: unknown[] = [limit, untouchedForMs / 1000];
  const conditions = [
    `completed_at is null`,
    `updated_at < now() - make_interval(secs => $2::double precision)`,
  ];
  const given = (value: unknown): string => `$${parameters.push(value)}`;
  if (tenantId !== null) conditions.push(`tenant_id = ${given(tenantId)}`);
  if (after !== null)
    conditions.push(`(tenant_id, id) > (${given(after.tenantId)}, ${given(after.taskId)})`);
  const items = await database.$queryRawUnsafe<TaskKey[]>(
    `select tenant_id as "tenantId", id as "taskId" from user_tasks where ${conditions.join(' and ')}
     order by tenant_id, id limit $1::integer`,
    ...parameters,
  );
  return { items, next: items.length < limit ? null : (items.at(-1) ?? null) };
}
