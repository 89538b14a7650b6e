/** Removes the files of a deleted store. An engine that doesn't use OPFS loads only this code. */
import { FixpointError } from '@fixpoint/protocol';
import type { Time } from '../../ports/time.ts';
import { storeFailure } from '../browser/transaction.ts';
import { systemTime } from '../system.ts';
import { removeStoreFiles } from './opfs-files.ts';

/** How often, and after which time, files are tried again that an ended tab still has open. */
const [RETRIES_MAX, RETRY_MS] = [100, 20];
/** How long the removal waits for the tab that has the files open. */
const LOCK_MS = 5000;

/** The name of the lock that a tab holds while it has the files of a store open. */
export const filesLock = (storageName: string): string => `fixpoint:${storageName}:opfs`;

/**
 * Removes the files of a store that is no longer in IndexedDB. Does nothing if another tab already
 * creates a store of this name, because that tab empties the folder.
 * @throws FixpointError STORE_LOCKED, STORE_FAILED
 */
export async function removeOpfsStore(storageName: string, time: Time = systemTime): Promise<void> {
  const isBack = async () => (await indexedDB.databases?.())?.some(({ name }) => name === storageName);
  const waiting = new AbortController();
  const stop = time.after(LOCK_MS, () => waiting.abort());
  const remove = async () => {
    stop();
    if (!(await isBack())) await untilFree(time, () => removeStoreFiles(storageName));
  };
  try {
    await navigator.locks.request(filesLock(storageName), { signal: waiting.signal }, remove);
  } catch (cause) {
    if (!waiting.signal.aborted) throw storeFailure(cause);
    if (!(await isBack())) throw new FixpointError('STORE_LOCKED', 'close other tabs, then delete it again');
  } finally {
    stop();
  }
}

/** Repeats work while an ended tab still has the files. */
export async function untilFree<T>(time: Time, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (cause) {
      const isTaken = (cause as DOMException).name === 'NoModificationAllowedError';
      if (!isTaken || attempt === RETRIES_MAX) throw storeFailure(cause);
      await new Promise<void>((resolve) => void time.after(RETRY_MS, resolve));
    }
  }
}
