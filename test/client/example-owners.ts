import { workflowInfo } from '@temporalio/workflow';
import { configureUserTasks } from '../../client/workflow';
import * as examples from '../../examples/workflows';
import { TENANT } from '../builders/people';
import { OWNERS_SUFFIX } from './owners-suffix';

function configureForTest(): void {
  const taskQueue = workflowInfo().taskQueue.slice(0, -OWNERS_SUFFIX.length);
  configureUserTasks({ tenantId: TENANT, taskQueue });
}

type Arguments<K extends keyof typeof examples> = Parameters<(typeof examples)[K]>;

export function invoiceApproval(...args: Arguments<'invoiceApproval'>) {
  configureForTest();
  return examples.invoiceApproval(...args);
}

export function fourEyesPayment(...args: Arguments<'fourEyesPayment'>) {
  configureForTest();
  return examples.fourEyesPayment(...args);
}

export function permitCase(...args: Arguments<'permitCase'>) {
  configureForTest();
  return examples.permitCase(...args);
}
