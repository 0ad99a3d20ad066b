import { isRejection } from '../../domain/user-tasks/definition';
import { hashesOf } from '../../domain/user-tasks/decide/decide';
import { refuseSubmission } from '../../domain/user-tasks/decide/complete';
import { validateData } from '../../forms/validate-data';
import type { PrismaClient } from '../../prisma/generated/client';
import { project, projectCreation } from './project';
import type { SnapshotReader } from './rebuild';
import { rebuild } from './rebuild';
import type { UserTaskActivities } from './user-task-activities';

/** The effects of user tasks over a database and a way to ask a task what it holds. */
export function createUserTaskActivities(database: PrismaClient, readSnapshot: SnapshotReader): UserTaskActivities {
  return {
    projectCreation: async (receipt) => ({ materializedBy: await projectCreation(database, receipt) }),
    project: async (receipts) => {
      for (const receipt of receipts) {
        const outcome = await project(database, receipt);
        if (outcome === 'absent' || outcome === 'other-run') await rebuild(database, receipt, readSnapshot);
      }
    },
    prepareCompletion: async ({ command, schema }) => {
      const actions = [{ key: command.actionKey, label: command.actionKey, metadata: null, schema }];
      const refusal = refuseSubmission({ actions }, command.actionKey, command.data);
      if (refusal !== null) return refusal;
      const validated = validateData(schema, command.data);
      if (isRejection(validated)) return validated;
      return { ...command, data: validated.data, receivedHash: hashesOf(command).requestHash };
    },
  };
}
