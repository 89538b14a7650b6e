import { FixpointError } from '@fixpoint/protocol';
import type { KeyBag, KeyMaterials } from '../ports/key-bag.ts';

/** Keys that live as long as their map: for tests, and for databases that are to leave no trace. */
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
