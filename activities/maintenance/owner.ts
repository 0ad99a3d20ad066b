import type { Client } from '@temporalio/client';
import { closureOfStatus, describeWorkflow } from '../user-tasks/closure';

/** The owner's run as the row of its task names it. */
interface Owner {
  readonly ownerWorkflowId: string;
  readonly ownerRunId: string;
  /** Id of the workflow that is the task. */
  readonly workflowId: string;
}

/**
 * Whether no workflow awaits the task any more: the run that raised it has ended, and no later run of its owner has
 * taken the wait over. (A reset ends the old run; where it goes back no further than the start of the task, the new run
 * awaits that same task.)
 * @see UT-396
 */
export async function isAbandoned(
  client: Client,
  { ownerWorkflowId, ownerRunId, workflowId }: Owner,
): Promise<boolean> {
  const raised = await describeWorkflow(client, ownerWorkflowId, ownerRunId);
  if (raised?.status.name === 'RUNNING' || raised?.status.name === 'PAUSED') return false;
  const latest = await describeWorkflow(client, ownerWorkflowId);
  if (latest === null || closureOfStatus(latest.status.name) !== 'running') return true;
  return !(latest.raw.pendingChildren ?? []).some((child) => child.workflowId === workflowId);
}
