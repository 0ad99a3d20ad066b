import { isRejection } from '../../domain/user-tasks/definition';
import { hashesOf } from '../../domain/user-tasks/decide/decide';
import { refuseSubmission } from '../../domain/user-tasks/decide/complete';
import { validateSubmission } from '../../forms/validate-submission';
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
    prepareCompletion: async ({ tenantId, command, form, schema }) => {
      const { actionKey, data } = command;
      const actions = [{ key: actionKey, label: actionKey, metadata: null, schema }];
      const refusal = refuseSubmission(
        { actions, formReference: form?.requested ?? null, form },
        actionKey,
        data,
      );
      if (refusal !== null) return refusal;
      const validated = await validateSubmission(forms, {
        tenantId,
        form,
        schema,
        actionKey,
        data,
      });
      if (isRejection(validated)) return validated;
      return { ...command, data: validated.data, receivedHash: hashesOf(command).requestHash };
    },
    resolve: (request) => resolve(deps, request),
  };
}
