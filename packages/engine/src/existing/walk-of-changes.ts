/** The order in which `changes()` of the format's first implementation walks a history. */
import type { Head, ReadEvent } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';

/**
 * Returns the values that `changes()` of the first implementation reads. From each event of the
 * head, it walks to the first event of all before it begins with the next one, and returns the
 * value of a key that it finds first. In a diverged history, that can be an old value. The order of
 * the head isn't stored, so each of its events is the first once.
 */
export async function valuesOfChanges(head: Head, event: ReadEvent): Promise<ReadonlySet<Cid>> {
  const values = new Set<Cid>();
  for (const first of head) {
    const keys = new Set<string>();
    const seen = new Set<Cid>();
    const left = [first, ...head.filter((one) => one !== first)].reverse();
    for (let cid = left.pop(); cid !== undefined; cid = left.pop()) {
      if (seen.has(cid)) continue;
      seen.add(cid);
      const { operations, parents } = await event(cid);
      for (const { key, value } of operations.toReversed()) {
        if (keys.has(key) || value === undefined) continue;
        keys.add(key);
        values.add(value);
      }
      for (const parent of parents.toReversed()) left.push(parent);
    }
  }
  return values;
}
