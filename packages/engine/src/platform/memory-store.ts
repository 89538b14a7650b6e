import { equalBytes } from '../base/bytes.ts';
import type { ByteStore } from '../ports/byte-store.ts';

/** Stores values in a map, for tests and for databases that are never stored on the device. */
export function memoryStore(values = new Map<string, Uint8Array>()): ByteStore {
  const matching = (prefix: string) => [...values.keys()].filter((key) => key.startsWith(prefix)).sort();
  return {
    read: async (key) => values.get(key),
    readPrefix: async (prefix) =>
      new Map(matching(prefix).map((key) => [key, values.get(key) ?? new Uint8Array()])),
    keys: async (prefix) => matching(prefix),
    write: async (changes, guard) => {
      if (guard !== undefined) {
        const found = values.get(guard.key);
        const same = found && guard.bytes ? equalBytes(found, guard.bytes) : found === guard.bytes;
        if (!same) return false;
      }
      for (const { key, bytes } of changes) {
        if (bytes === undefined) values.delete(key);
        else values.set(key, bytes.slice());
      }
      return true;
    },
    close: async () => undefined,
    destroy: async () => values.clear(),
  };
}
