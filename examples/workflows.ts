/** What the worker of the examples registers. */
export { fourEyesPayment } from './four-eyes-payment';
export { invoiceApproval } from './invoice-approval';
export { permitCase } from './permit-case';
