import { stepReference, type PermitActivity } from '../permit-case';
import type { ListedTask, UserTaskApi } from '../user-task-api';
import type { CaseDone } from './run-case';

/** The three sources beside each other. */
export interface Sources {
  /** The API as a manager of the tenant, who sees every row. */
  readonly manager: UserTaskApi;
  readonly apiOf: (person: string) => UserTaskApi;
  readonly workflowIdOf: (caseId: string) => string;
}

/** The timeline of a task that one person claimed and completed. */
const TIMELINE = ['Created', 'Claimed', 'CompletionRequested', 'Completed'];

/**
 * Compares what the log says about a case with what its workflow returned, with the rows of the list and with the
 * events of every task.
 * @returns what differs, one line each; nothing when all agree
 */
export async function verifyCase(done: CaseDone, sources: Sources): Promise<readonly string[]> {
  const { caseId, activities } = done.permit;
  const { items, totalCount } = await sources.manager.list({
    scope: 'all',
    workflowInstanceId: sources.workflowIdOf(caseId),
    limit: '200',
    includeTotalCount: 'true',
  });
  const wrong = [
    ...compare(`${caseId}: steps in the result`, done.result.length, activities.length),
    ...compare(`${caseId}: rows`, totalCount ?? items.length, activities.length),
    ...compare(
      `${caseId}: tasks in the result`,
      new Set(done.result.map((step) => step.taskId)).size,
      activities.length,
    ),
  ];
  for (const [index, activity] of activities.entries()) {
    const reference = stepReference(caseId, index + 1);
    const rows = items.filter((item) => item.reference === reference);
    wrong.push(
      ...compareResult(reference, activity, done.result[index]),
      ...compareRows(reference, activity, rows, done.result[index]?.taskId),
      ...(await compareEvents(reference, activity, rows[0], sources)),
    );
  }
  return wrong;
}

function compareResult(
  reference: string,
  activity: PermitActivity,
  step: CaseDone['result'][number] | undefined,
): readonly string[] {
  return [
    ...compare(`${reference}: activity in the result`, step?.activity, activity.name),
    ...compare(`${reference}: person in the result`, step?.completedBy, activity.person),
  ];
}

function compareRows(
  reference: string,
  activity: PermitActivity,
  rows: readonly ListedTask[],
  taskId: string | undefined,
): readonly string[] {
  const [row] = rows;
  return [
    ...compare(`${reference}: rows`, rows.length, 1),
    ...compare(`${reference}: task of the row`, row?.id, taskId),
    ...compare(`${reference}: title of the row`, row?.title, activity.name),
    ...compare(`${reference}: status of the row`, row?.status, 'Completed'),
    ...compare(`${reference}: person in the row`, row?.assignee?.id, activity.person),
  ];
}

/** Read as the person who did it, who may see the timeline. */
async function compareEvents(
  reference: string,
  { person }: PermitActivity,
  row: ListedTask | undefined,
  sources: Sources,
): Promise<readonly string[]> {
  if (row === undefined) return [];
  const events = await sources.apiOf(person).events(row.id);
  const people = events.slice(1).map((event) => event.actorDisplayName);
  return [
    ...compare(
      `${reference}: events`,
      events.map((event) => event.kind).join(', '),
      TIMELINE.join(', '),
    ),
    ...compare(`${reference}: people in the events`, [...new Set(people)].join(', '), person),
  ];
}

function compare(what: string, found: unknown, expected: unknown): readonly string[] {
  return found === expected ? [] : [`${what}: ${String(found)} instead of ${String(expected)}`];
}
