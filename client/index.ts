/**
 * For processes that run owners of user tasks or talk to them: the data converter that both sides must share. Node
 * only; workflow code imports `client/workflow.ts`.
 */
export { createDataConverter } from '../platform/data-converter';
export { loadKeyRing, type KeyRing } from '../platform/key-ring';
