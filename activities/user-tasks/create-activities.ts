import { prepareCompletion } from '../../forms/prepare-completion';
import { recordRefusedSignal } from './audit-event';
import { project, projectCreation } from './project';
import { rebuild, type SnapshotReader } from './rebuild';
import { resolve, type ResolveDependencies } from './resolve';
import type { UserTaskActivities } from './user-task-activities';

/** What the effects of user tasks need: a database, form providers, a directory, and a way to ask a task what it holds. */
export interface ActivityDependencies extends ResolveDependencies {
  readonly readSnapshot: SnapshotReader;
}

/** The effects of user tasks. */
export function createUserTaskActivities(deps: ActivityDependencies): UserTaskActivities {
  const { database, readSnapshot, forms } = deps;
  return {
    projectCreation: async (receipt) => ({
      materializedBy: await projectCreation(database, receipt),
    }),
    project: async (receipts) => {
      for (const receipt of receipts) {
        const outcome = await project(database, receipt);
        if (outcome === 'absent' || outcome === 'other-run')
          await rebuild(database, receipt, readSnapshot);
        await recordRefusedSignal(database, receipt);
      }
    },
    prepareCompletion: (request) => prepareCompletion(forms, request),
    resolve: (request) => resolve(deps, request),
  };
}
