import { LOCAL_PREFIX, localStorageName } from '@fixpoint/protocol';
import type { KeyBag } from '../../ports/key-bag.ts';

/**
 * Lets database names that map to one storage share its keys. For example, `my notes` and
 * `my_notes` map to one storage, and a list of databases shows only `my_notes`. Keys that an
 * earlier version stored under the original name are found, too. The next change moves them to the
 * name of the storage.
 */
export function keysByStorage(bag: KeyBag): KeyBag {
  const nameOf = (database: string) => localStorageName(database).slice(LOCAL_PREFIX.length);
  const loadEarlier = async (database: string, passphrase?: string) =>
    nameOf(database) === database ? [] : bag.load(database, passphrase);
  return {
    load: async (database, passphrase) => {
      const keys = await bag.load(nameOf(database), passphrase);
      return keys.length > 0 ? keys : loadEarlier(database, passphrase);
    },
    update: async (database, change, passphrase) => {
      const earlier = await loadEarlier(database, passphrase);
      return bag.update(nameOf(database), (keys) => change(keys.length > 0 ? keys : earlier), passphrase);
    },
    changePassphrase: (database, from, to) => bag.changePassphrase(nameOf(database), from, to),
  };
}
