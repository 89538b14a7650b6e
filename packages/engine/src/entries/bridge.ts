/**
 * `fixpoint/bridge`: lets a page use databases that run in a worker. The worker imports
 * `fixpoint/worker`.
 */
import { localStorageName } from '@fixpoint/protocol';
import { connectWith, type Engine } from '../bridge/client.ts';
import type { BridgePort } from '../bridge/line.ts';
import { forgetWritten, wasWritten as hasMark, rememberWritten } from '../platform/browser/written-mark.ts';

export { FixpointError, isFixpointError } from '@fixpoint/protocol';
export { toCloud } from '../bridge/attached.ts';
export type {
  BridgedDatabase,
  BridgedDatabaseOf,
  BridgedDatabaseWith,
  BridgedOptions,
  Engine,
} from '../bridge/client.ts';
export type { BridgePort } from '../bridge/line.ts';

/**
 * Returns whether this browser remembers that something was stored in the database of this name. If
 * this returns true but the storage is missing, the browser or the user removed it.
 */
export const wasWritten = (name: string): boolean => hasMark(localStorageName(name));

/**
 * Connects to the engine in a worker that calls `serveEngine`. When the worker ends, pending and
 * later calls reject with WORKER_LOST.
 */
export const connectEngine = (port: BridgePort): Engine =>
  connectWith(port, {
    isWritten: wasWritten,
    mark: (storageName, isWritten) => (isWritten ? rememberWritten(storageName) : forgetWritten(storageName)),
  });
