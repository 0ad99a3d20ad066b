import {
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { instantOf, type Instant } from '../../domain/instant';
import type { UserTaskResult } from '../../domain/user-tasks/receipt';

/** Whether the workflow that is a task runs, has ended by itself, or was ended from outside. */
export type Closure = 'running' | 'ended' | 'killed';

const ASK_TIMEOUT_MS = 10_000;

/** When a workflow was ended from outside; null when it runs, has ended by itself, or is kept no more. Asks no worker. */
export async function killedAt(
  client: Client,
  workflowId: string,
  timeoutMs = ASK_TIMEOUT_MS,
): Promise<Instant | null> {
  const description = await describeWorkflow(client, workflowId, undefined, timeoutMs);
  if (description === null || closureOfStatus(description.status.name) !== 'killed') return null;
  return closedAt(description);
}

/** What Temporal tells of a run, the latest unless named; null when it keeps it no more. */
export async function describeWorkflow(
  client: Client,
  workflowId: string,
  runId?: string,
  timeoutMs = ASK_TIMEOUT_MS,
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.getHandle(workflowId, runId).describe(),
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** What a status of Temporal means for a task. */
export function closureOfStatus(status: WorkflowExecutionDescription['status']['name']): Closure {
  if (status === 'RUNNING' || status === 'CONTINUED_AS_NEW' || status === 'PAUSED')
    return 'running';
  return status === 'COMPLETED' || status === 'CANCELLED' ? 'ended' : 'killed';
}

/** How a closed workflow ended, as its history tells without any worker. */
export type WorkflowEnd =
  | { readonly kind: 'answered'; readonly result: UserTaskResult }
  | { readonly kind: 'withdrawn' | 'killed'; readonly at: Instant };

/** Reads the end of a workflow that has closed; null when Temporal keeps it no more. */
export async function readEnd(client: Client, workflowId: string): Promise<WorkflowEnd | null> {
  const description = await describeWorkflow(client, workflowId);
  if (description === null) return null;
  const at = closedAt(description);
  const closure = closureOfStatus(description.status.name);
  if (closure === 'running') throw new Error(`${workflowId} has not ended`);
  if (closure === 'killed') return { kind: 'killed', at };
  const handle = client.workflow.getHandle(workflowId, description.runId);
  try {
    const result = await client.withDeadline(
      Date.now() + ASK_TIMEOUT_MS,
      () => handle.result() as Promise<UserTaskResult>,
    );
    return { kind: 'answered', result };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const killed =
      error.cause instanceof TerminatedFailure || error.cause instanceof TimeoutFailure;
    return { kind: killed ? 'killed' : 'withdrawn', at };
  }
}

function closedAt({ closeTime, startTime }: WorkflowExecutionDescription): Instant {
  return instantOf((closeTime ?? startTime).getTime());
}
