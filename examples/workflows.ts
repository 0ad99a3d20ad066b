import { configureUserTasks } from '../client/workflow';

/** What the worker of the examples registers. */
export { fourEyesPayment } from './four-eyes-payment';
export { invoiceApproval } from './invoice-approval';
export { permitCase } from './permit-case';

/** Where Countersign runs the user tasks of these workflows, and in whose name. */
configureUserTasks({ tenantId: '', taskQueue: 'countersign' });
