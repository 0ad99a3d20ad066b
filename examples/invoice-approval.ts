import { z } from 'zod';
import { defineTask, group, user, userTask, type Participant } from '../client/workflow';

/**
 * An invoice is approved, rejected or sent back with a question. Nobody in accounts payable answers in time: the
 * finance managers are asked instead, and wait for nobody.
 *
 * Run it: `npm start`, which starts one of these, and `npm run example:worker` beside it.
 */

const approval = defineTask({
  taskType: 'invoice-approval',
  actions: {
    approve: {
      label: 'Approve',
      schema: z.object({ amount: z.number().positive(), costCentre: z.string().default('none') }),
    },
    reject: { label: 'Reject', schema: z.object({ reason: z.string().min(1) }) },
    ask: { label: 'Ask the submitter', schema: z.object({ question: z.string().min(1) }) },
  },
});

const clarification = defineTask({
  taskType: 'invoice-clarification',
  actions: { answer: { label: 'Answer', schema: z.object({ answer: z.string().min(1) }) } },
});

/** What starts an approval. Texts are shown to people; the amount is in the invoice's currency. */
export interface Invoice {
  readonly number: string;
  readonly supplier: string;
  readonly amount: number;
  readonly currency: string;
  /** User id of who submitted it: answers questions and may not approve. */
  readonly submittedBy: string;
  /** How long accounts payable has, in milliseconds. */
  readonly timeLimitMs: number;
}

/** How an approval ended. */
export type InvoiceDecision =
  | {
      readonly approved: true;
      readonly amount: number;
      readonly by: string;
      readonly escalated: boolean;
    }
  | {
      readonly approved: false;
      readonly reason: string;
      readonly by: string;
      readonly escalated: boolean;
    };

/** Name under which the directory of this example knows its people. */
const DIRECTORY = 'default';
export const ACCOUNTS_PAYABLE = group(DIRECTORY, 'accounts-payable', 'Accounts payable');
export const FINANCE_MANAGERS = group(DIRECTORY, 'finance-managers', 'Finance managers');

/** Asks until somebody has approved or rejected the invoice. */
export async function invoiceApproval(invoice: Invoice): Promise<InvoiceDecision> {
  const submitter = user(DIRECTORY, invoice.submittedBy);
  const conversation: { question: string; answer: string }[] = [];
  let escalated = false;
  for (;;) {
    const answer = await userTask(
      approval,
      {
        title: `Approve invoice ${invoice.number} of ${invoice.supplier}`,
        reference: invoice.number,
        candidateGroups: [escalated ? FINANCE_MANAGERS : ACCOUNTS_PAYABLE],
        excludedUsers: [submitter],
        requester: submitter,
        priority: escalated ? 90 : 50,
        dueAt: new Date(Date.now() + invoice.timeLimitMs),
        enableTimeoutOutcome: !escalated,
        taskData: { ...invoice, conversation },
      },
      { instanceReference: invoice.number },
    );
    switch (answer.action) {
      case 'approve':
        return { approved: true, amount: answer.data.amount, by: answer.completedBy.id, escalated };
      case 'reject':
        return {
          approved: false,
          reason: answer.data.reason,
          by: answer.completedBy.id,
          escalated,
        };
      case 'ask':
        conversation.push(await clarify(invoice, submitter, answer.data.question));
        break;
      case 'Timeout':
        escalated = true;
        break;
    }
  }
}

async function clarify(
  invoice: Invoice,
  submitter: Participant,
  question: string,
): Promise<{ question: string; answer: string }> {
  const { data } = await userTask(
    clarification,
    {
      title: `A question about invoice ${invoice.number}`,
      reference: invoice.number,
      assignee: submitter,
      instructions: question,
    },
    { instanceReference: invoice.number },
  );
  return { question, answer: data.answer };
}
