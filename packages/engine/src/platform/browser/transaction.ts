import { FixpointError } from '@fixpoint/protocol';

export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Opens a database with one object store, and creates it if it doesn't exist. */
export function openOf(name: string, objectStore: string, version = 1): Promise<IDBDatabase> {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => request.result.createObjectStore(objectStore);
  return resultOf(request);
}

/** Returns the range of all keys with this prefix. */
export const rangeOf = (prefix: string): IDBKeyRange => IDBKeyRange.bound(prefix, `${prefix}\uffff`);

/** Resolves when the transaction is complete. */
export function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new FixpointError('STORE_FAILED', 'aborted'));
  });
}

/** Translates a failed call of IndexedDB for the caller. */
export function storeFailure(cause: unknown): FixpointError {
  if (cause instanceof FixpointError) return cause;
  const { name, message } = cause as DOMException;
  if (name === 'QuotaExceededError') return new FixpointError('STORE_FULL', undefined, { cause });
  return new FixpointError('STORE_FAILED', message, { cause });
}
