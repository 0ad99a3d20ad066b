import type { SharedWithTeardown } from './global-setup';

/** Stops the services; says nothing, so that jest's summary stays the last lines. */
module.exports = async function globalTeardown(): Promise<void> {
  await (globalThis as SharedWithTeardown).countersignTestServices?.stop();
};
