import type { Platform } from '../ports/platform.ts';
import { memoryKeyBag } from './memory-key-bag.ts';
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
