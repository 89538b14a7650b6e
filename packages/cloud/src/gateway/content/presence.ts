/**
 * Looks up whether the store has objects. Caches that an object is present, but never that it is
 * missing, so an upload counts at once.
 */
import type { ObjectName } from '../../objects/object-name.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';

const AT_ONCE = 8;
const KNOWN_MAX = 100_000;
const NAME = /^(car|file)((?:\.[A-Za-z0-9._-]{1,256})?)\/([A-Za-z0-9._-]{1,256})$/;

/**
 * Returns the object that a name within a ledger refers to: `car/<key>`, `car.<index>/<key>` or
 * `file/<key>`. Returns undefined for any other text.
 */
export function objectOfName(id: LedgerId, name: string): ObjectName | undefined {
  const [, store, index = '', key = ''] = NAME.exec(name) ?? [];
  if (store !== 'car' && store !== 'file') return undefined;
  if (key === '.' || key === '..') return undefined;
  return { ...id, store, key, ...(index !== '' && { index: index.slice(1) }) };
}

export interface Presence {
  /**
   * Returns the objects that the store lacks.
   * @throws FixpointError STORE_FAILED when the store doesn't answer
   */
  missing(id: LedgerId, names: Iterable<string>, ageMs: number): Promise<ReadonlySet<string>>;
  /** Drops the cached state of an object. */
  forget(id: LedgerId, name: string): void;
}

export function createPresence(objects: Pick<ObjectStore, 'has'>, now: () => number): Presence {
  const seen = new Map<string, number>();
  const keyOf = ({ tenant, ledger }: LedgerId, name: string) => `${tenant}/${ledger}/${name}`;

  async function has(id: LedgerId, name: string, ageMs: number): Promise<boolean> {
    const key = keyOf(id, name);
    const age = now() - (seen.get(key) ?? Number.NEGATIVE_INFINITY);
    if (age >= 0 && age < ageMs) return true;
    const object = objectOfName(id, name);
    const at = now();
    const isThere = object !== undefined && (await objects.has(object));
    seen.delete(key);
    if (isThere) seen.set(key, at);
    if (seen.size > KNOWN_MAX) for (const oldest of seen.keys()) if (seen.delete(oldest)) break;
    return isThere;
  }

  return {
    missing: async (id, names, ageMs) => {
      const waiting = [...new Set(names)];
      const missing = new Set<string>();
      const worker = async () => {
        for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
          if (!(await has(id, name, ageMs))) missing.add(name);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return missing;
    },
    forget: (id, name) => void seen.delete(keyOf(id, name)),
  };
}
