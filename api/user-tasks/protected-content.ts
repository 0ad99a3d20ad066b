import { isRecord, type Json } from '../../domain/json';
import type { ActionDefinition } from '../../domain/user-tasks/action';
import type { FormField, PinnedForm } from '../../domain/user-tasks/form';
import { fieldsOfSchemas } from '../../forms/fields-of-schema';
import type { TaskView } from './task-view';
import type { Reading } from './visible-task';

/** What of a task is kept apart and shown only to those who may read it. @see UT-038 */
export interface ProtectedContent {
  readonly instructions: string | null;
  readonly taskData: Json;
  readonly actions: readonly ActionDefinition[];
  readonly form: PinnedForm | null;
  readonly response: Json;
}

/** Reads it; null when the task has none, which is so only for a moment while it is purged. */
export async function loadProtected(
  database: Reading['database'],
  { tenantId, id }: Pick<TaskView, 'tenantId' | 'id'>,
): Promise<ProtectedContent | null> {
  const row = await database.userTaskProtected.findUnique({
    where: { tenantId_taskId: { tenantId, taskId: id } },
  });
  if (row === null) return null;
  return {
    instructions: row.instructions,
    taskData: row.taskData as Json,
    actions: row.actions as unknown as readonly ActionDefinition[],
    form: row.form as unknown as PinnedForm | null,
    response: row.response as Json,
  };
}

/** The fields of the task's form: the provider's, or those of its actions' own schemas. */
export function fieldsOf({ form, actions }: ProtectedContent): readonly FormField[] {
  return form?.fields ?? fieldsOfSchemas(actions.map(({ schema }) => schema));
}

/** `value` without the members that the form masks. @see UT-095 */
export function withoutMasked(value: Json, content: ProtectedContent): Json {
  if (!isRecord(value)) return value;
  const masked = new Set(
    fieldsOf(content)
      .filter((field) => field.masked)
      .map(({ key }) => key),
  );
  return Object.fromEntries(Object.entries(value).filter(([key]) => !masked.has(key)));
}

/** The member of the task's data by this name, or null. */
export function memberOf(value: Json, key: string): Json {
  return isRecord(value) && Object.hasOwn(value, key) ? (value[key] ?? null) : null;
}
