import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { createPayloadCodec, leavingBroken } from './payload-codec';

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

/**
 * The same for the workers that run user tasks. Anybody may signal a task, and decoding a broken payload would fail each
 * of its workflow tasks from then on; left as it is, it makes the task refuse that one message. A payload whose key is
 * missing fails the workflow task, which is tried again: workers with different key rings must not decide differently.
 * @see UT-399
 */
export function createTaskWorkerDataConverter(keyRing: KeyRing): DataConverter {
  return {
    ...createDataConverter(keyRing),
    payloadCodecs: [leavingBroken(createPayloadCodec(keyRing))],
  };
}
