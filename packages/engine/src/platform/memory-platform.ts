import { FixpointError } from '@fixpoint/protocol';
import type { KeyBag, KeyMaterials } from '../ports/key-bag.ts';
import type { Platform } from '../ports/platform.ts';
import { memoryStore } from './memory-store.ts';

const platforms = new WeakMap<Platform, Platform>();

/**
 * Returns a platform like the given one, but with databases and keys only in the memory of this
 * page or process. Returns the same platform at each call.
 */
export function memoryPlatform(outside: Platform): Platform {
  const known = platforms.get(outside);
  if (known !== undefined) return known;
  const values = new Map<string, Map<string, Uint8Array>>();
  const { leases: _, ...rest } = outside;
  const made: Platform = {
    ...rest,
    openStore: async (name) => {
      const stored = values.get(name) ?? new Map<string, Uint8Array>();
      values.set(name, stored);
      return memoryStore(stored);
    },
    existingStore: async () => undefined,
    keyBag: memoryKeyBag(),
    channel: () => ({ post: () => undefined, onHint: () => () => undefined, close: () => undefined }),
  };
  platforms.set(outside, made);
  return made;
}

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
