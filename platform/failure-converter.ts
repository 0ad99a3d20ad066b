import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves message and stack of every failure into a payload, which the codec encrypts: a failure's text may quote what is
 * protected. Temporal loads this module by its path, also into the workflow sandbox.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
