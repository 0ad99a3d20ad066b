import type { TaskInputs } from '../../domain/user-tasks/definition';
import { user } from '../builders/people';

/** Inputs with something in every field; what is protected holds the word `canary`. */
export const INPUTS: Partial<TaskInputs> = {
  summary: 'Two pages',
  reference: 'INV-4711',
  tags: ['urgent'],
  taskType: 'invoice-approval',
  requester: user('requester'),
  candidateUsers: [user('peer')],
  instructions: 'Check the canary-instructions.',
  taskData: { amount: 12.5, note: 'canary-data' },
  actions: [
    { key: 'approve', label: 'Approve', metadata: { colour: 'green' }, schema: { type: 'object' } },
    { key: 'reject', label: 'Reject', metadata: null, schema: null },
  ],
  enableCancellationOutcome: true,
};
