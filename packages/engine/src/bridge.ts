/** `fixpoint/bridge`: databases that live in a worker, for the page. The other end is `fixpoint/worker`. */
export { FixpointError, isFixpointError } from '@fixpoint/protocol';
export { toCloud } from './bridge/attached.ts';
export { type BridgedDatabase, type BridgedOptions, connectEngine, type Engine } from './bridge/client.ts';
export type { BridgePort } from './bridge/line.ts';
