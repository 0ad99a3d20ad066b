import { defineTask, userTask as raise, type UserTaskInput } from '../../client/workflow';

export * from '../workflows/owners';
export { invoiceReview as 'invoice-review' };

/** What an invoice review is started with. */
export interface ReviewStart {
  readonly tenantId: string;
  readonly taskQueue: string;
  readonly input: UserTaskInput & {
    readonly enableTimeoutOutcome?: boolean;
    readonly enableCancellationOutcome?: boolean;
  };
  /** The owner's correlation id. */
  readonly correlation?: string;
}

const review = defineTask({
  taskType: 'invoice-approval',
  actions: {
    approved: { label: 'Approve', metadata: { colour: 'green' } },
    rejected: { label: 'Reject' },
  },
});

/** Has one invoice reviewed and goes the way that the answer tells it. */
async function invoiceReview(start: ReviewStart): Promise<unknown> {
  const { tenantId, taskQueue, input, correlation } = start;
  const answer = await raise(review, input, {
    tenantId,
    taskQueue,
    ...(correlation === undefined ? {} : { instanceReference: correlation }),
  });
  switch (answer.action) {
    case 'approved':
      return { branch: 'pay', answer };
    case 'rejected':
      return { branch: 'send back', answer };
    default:
      return { branch: answer.action, answer };
  }
}
