import { defineTask, group, user, userTask } from '../client/workflow';

/**
 * A permit application walks through its activities, one user task after the other: each is offered to a group, or to
 * one person where no group is known.
 *
 * Run it: `npm start`, then `npm run example:permits -- FILE.csv` with an event log.
 */

const permitActivity = defineTask({
  taskType: 'permit-activity',
  actions: { done: { label: 'Done' } },
});

/** Name under which the municipality's directory knows its people. */
export const MUNICIPALITY = 'municipality';

/** One step of a case. */
export interface PermitActivity {
  readonly name: string;
  /** Group to which it is offered, or `EMPTY`: then it is offered to `person`. */
  readonly group: string;
  readonly person: string;
}

/** A case with its steps, in order. */
export interface PermitCase {
  readonly caseId: string;
  readonly activities: readonly PermitActivity[];
}

/** What became of one step. */
export interface ActivityDone {
  readonly activity: string;
  /** Id of the person who completed it. */
  readonly completedBy: string;
  /** UTC, RFC 3339. */
  readonly completedAt: string;
  readonly taskId: string;
}

/** Where no group is known. */
export const NO_GROUP = 'EMPTY';

/** The reference by which the task of one step is found in lists; steps count from 1. */
export function stepReference(caseId: string, step: number): string {
  return `${caseId} step ${step}`;
}

/** Walks through the activities of a case and returns who did what. */
export async function permitCase(permit: PermitCase): Promise<readonly ActivityDone[]> {
  const done: ActivityDone[] = [];
  for (const [index, activity] of permit.activities.entries()) {
    const offeredTo =
      activity.group === NO_GROUP
        ? { candidateUsers: [user(MUNICIPALITY, activity.person)] }
        : { candidateGroups: [group(MUNICIPALITY, activity.group)] };
    const { taskId, completedBy, completedAt } = await userTask(
      permitActivity,
      {
        title: activity.name,
        reference: stepReference(permit.caseId, index + 1),
        ...offeredTo,
      },
      { instanceReference: permit.caseId },
    );
    done.push({ activity: activity.name, completedBy: completedBy.id, completedAt, taskId });
  }
  return done;
}
