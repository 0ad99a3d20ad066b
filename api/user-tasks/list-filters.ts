import type { ListFilters } from './list-query';
import type { SqlParameters } from './sql-parameters';

const DAY_MS = 86_400_000;

/** Safe fields that a search looks into, each for itself. Protected content is never examined. @see UT-253 */
const SEARCHED = [
  't.title',
  't.summary',
  't.reference',
  't.task_type',
  't.owner_definition_name',
  't.owner_instance_reference',
  `t.requester->>'displayName'`,
  `t.requester->>'id'`,
] as const;

/** The conditions on the task `t` that the filters of a list mean. @see UT-250..253 */
export function filterConditions(
  filters: ListFilters,
  now: Date,
  parameters: SqlParameters,
): readonly string[] {
  const conditions: string[] = [];
  const equal = (column: string, value: string | null): void => {
    if (value !== null) conditions.push(`${column} = ${parameters.add(value, 'text')}`);
  };
  const equalInAnyCase = (column: string, value: string | null): void => {
    if (value !== null)
      conditions.push(`lower(${column}) = lower(${parameters.add(value, 'text')})`);
  };
  if (filters.statuses !== null)
    conditions.push(`t.status = any(${parameters.add([...filters.statuses], 'text[]')})`);
  if (filters.priorityFrom !== null)
    conditions.push(`t.priority >= ${parameters.add(filters.priorityFrom, 'integer')}`);
  if (filters.priorityTo !== null)
    conditions.push(`t.priority <= ${parameters.add(filters.priorityTo, 'integer')}`);
  conditions.push(...dueConditions(filters, now, parameters));
  equal('t.owner_definition_id', filters.workflowDefinitionId);
  equal('t.owner_workflow_id', filters.workflowInstanceId);
  equalInAnyCase('t.reference', filters.reference);
  equalInAnyCase('t.task_type', filters.taskType);
  if (filters.search !== null)
    conditions.push(searchCondition(parameters.add(patternOf(filters.search), 'text')));
  return conditions;
}

/** @see UT-126, UT-251, UT-252 */
function dueConditions(
  filters: ListFilters,
  now: Date,
  parameters: SqlParameters,
): readonly string[] {
  const at = (instant: string): string => parameters.add(instant, 'timestamptz');
  const dayStart = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const within = (days: number): readonly string[] => [
    `t.due_at >= ${at(new Date(dayStart).toISOString())}`,
    `t.due_at < ${at(new Date(dayStart + days * DAY_MS).toISOString())}`,
  ];
  switch (filters.due) {
    case 'overdue':
      return [`t.due_at <= coalesce(t.completed_at, ${at(now.toISOString())})`];
    case 'today':
      return within(1);
    case 'thisWeek':
      return within(7);
    case 'noDueDate':
      return ['t.due_at is null'];
    case null:
      return [
        ...(filters.from === null ? [] : [`t.due_at >= ${at(filters.from)}`]),
        ...(filters.to === null ? [] : [`t.due_at <= ${at(filters.to)}`]),
      ];
  }
}

function searchCondition(pattern: string): string {
  const fields = SEARCHED.map((field) => `${field} ilike ${pattern}`);
  return `(${fields.join(' or ')} or exists (select from unnest(t.tags) as tag where tag ilike ${pattern}))`;
}

/** The text itself, whatever characters it holds, anywhere in a field. */
function patternOf(search: string): string {
  return `%${search.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
