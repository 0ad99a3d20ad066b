import { defineTask, group, userTask } from '../client/workflow';

/**
 * A payment needs two different people: the second may be anybody of the treasury but the first. A manager may stop it
 * at either step.
 *
 * Run it: `npm start`, `npm run example:worker`, then `temporal workflow start --type fourEyesPayment
 * --task-queue countersign-examples --input '{"id":"P-1","amount":100,"currency":"EUR","to":"…"}'`.
 */

const release = defineTask({
  taskType: 'payment-release',
  actions: { release: { label: 'Release the payment' }, refuse: { label: 'Refuse' } },
  enableCancellationOutcome: true,
});

/** The payment to release. */
export interface Payment {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly to: string;
}

/** How it ended, and whose eyes saw it, in order. */
export interface PaymentRelease {
  readonly status: 'released' | 'refused' | 'stopped';
  readonly by: readonly string[];
}

export const TREASURY = group('default', 'treasury', 'Treasury');

/** Asks two people, one after the other. */
export async function fourEyesPayment(payment: Payment): Promise<PaymentRelease> {
  const input = {
    title: `Release payment ${payment.id}: ${payment.amount} ${payment.currency}`,
    reference: payment.id,
    candidateGroups: [TREASURY],
    taskData: { ...payment },
  };
  const first = await userTask(release, input);
  if (first.action !== 'release')
    return { status: endOf(first.action), by: [first.completedBy.id] };
  const second = await userTask(release, { ...input, excludedUsers: [first.completedBy] });
  const by = [first.completedBy.id, second.completedBy.id];
  return { status: second.action === 'release' ? 'released' : endOf(second.action), by };
}

function endOf(action: 'refuse' | 'Cancelled'): PaymentRelease['status'] {
  return action === 'refuse' ? 'refused' : 'stopped';
}
