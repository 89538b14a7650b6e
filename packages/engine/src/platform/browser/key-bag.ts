import { FixpointError } from '@fixpoint/protocol';
import type { KeyBag } from '../../ports/key-bag.ts';
import { openIndexedDbStore } from './indexeddb-store.ts';

/** Not the name that other clients of the format use: what lies there is theirs. */
const STORAGE_NAME = 'fixpoint-keybag';

/** Keys in an IndexedDB database of their own: one value for each database, the keys one after another, each with its length before it. */
export function indexedDbKeyBag(): KeyBag {
  const withStore = async <T>(
    work: (store: Awaited<ReturnType<typeof openIndexedDbStore>>) => Promise<T>,
  ): Promise<T> => {
    const store = await openIndexedDbStore(STORAGE_NAME, 'strict');
    try {
      return await work(store);
    } catch (cause) {
      throw new FixpointError('KEY_UPSERT', undefined, { cause });
    } finally {
      await store.close();
    }
  };
  return {
    load: (database) => withStore(async (store) => split(await store.read(database))),
    save: (database, keys) =>
      withStore(async (store) => {
        await store.write([
          { key: database, bytes: Uint8Array.from(keys.flatMap((key) => [key.length, ...key])) },
        ]);
      }),
  };
}

function split(bytes: Uint8Array | undefined): Uint8Array[] {
  const keys: Uint8Array[] = [];
  for (let at = 0; bytes !== undefined && at < bytes.length; ) {
    const length = bytes[at] ?? 0;
    if (at + 1 + length > bytes.length) throw new FixpointError('CORRUPT', 'key bag');
    keys.push(bytes.slice(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return keys;
}
