import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { createPayloadCodec } from './payload-codec';

/**
 * What every client and worker that has to do with user tasks connects with: JSON payloads and failures, encrypted with
 * the keys of `keyRing`. Owners of tasks in other processes need the same, with the same keys.
 */
export function createDataConverter(keyRing: KeyRing): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(keyRing)],
    failureConverterPath: require.resolve('./failure-converter'),
  };
}
