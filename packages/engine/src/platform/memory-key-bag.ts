import { FixpointError } from '@fixpoint/protocol';
import type { KeyBag, KeyMaterials } from '../ports/key-bag.ts';

/** Stores keys in a map, for tests and for databases that are never stored on the device. */
export function memoryKeyBag(keys = new Map<string, KeyMaterials>()): KeyBag {
  const load = (database: string) => keys.get(database) ?? [];
  return {
    load: async (database) => load(database),
    update: async (database, change) => {
      const changed = change(load(database));
      keys.set(database, changed);
      return changed;
    },
    changePassphrase: async () => {
      throw new FixpointError('NOT_IMPLEMENTED', 'a passphrase for keys in memory');
    },
  };
}
