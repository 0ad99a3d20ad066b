import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { taskWorkflowId } from '../../domain/ids';
import { snapshotQuery } from '../../workflows/messages';
import type { SnapshotReader } from './rebuild';

/** Asks tasks by query, open ones and those closed ones that Temporal still keeps. Needs a worker that answers. */
export function createSnapshotReader(client: Client, timeoutMs = 10_000): SnapshotReader {
  return async (tenantId, taskId) => {
    const handle = client.workflow.getHandle(taskWorkflowId(tenantId, taskId));
    try {
      return await client.withDeadline(Date.now() + timeoutMs, () => handle.query(snapshotQuery));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  };
}
