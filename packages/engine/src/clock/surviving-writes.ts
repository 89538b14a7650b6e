import type { Cid } from '../codec/cid.ts';
import type { OrderedEvent } from './history-order.ts';

/**
 * Maximum number of keys that are copied between two narrow events. Beyond this limit, superseded
 * writes are no longer detected.
 */
const COPIES_MAX = 2_000_000;

/**
 * Collects the values of a history that no later write of the same key supersedes. The caller adds
 * the events, children before parents. A branch that is merged later can make each of these values
 * current again, but no other old value. If histories cross so often that the search would take
 * long, the result may include superseded values.
 *
 * @param survived called with each of these writes
 */
export function collectSurvivingWrites(
  copiesMax = COPIES_MAX,
  survived: (key: string, event: Cid) => void = () => undefined,
) {
  const values = new Set<Cid>();
  /**
   * Keys that descendants of the last narrow event wrote. All events that are added from now on are
   * ancestors of these writes.
   */
  const above = new Set<string>();
  /** For each event: the keys that its descendants since the last narrow event wrote. */
  let overwritten = new Map<Cid, Set<string>>();
  let inStretch = new Set<string>();
  let copies = 0;

  function tell(parent: Cid, keys: Set<string>, isOnly: boolean): void {
    const known = overwritten.get(parent);
    if (known === undefined && isOnly) {
      overwritten.set(parent, keys);
      return;
    }
    copies += keys.size;
    if (copies > copiesMax) return;
    if (known === undefined) overwritten.set(parent, new Set(keys));
    else for (const key of keys) known.add(key);
  }

  function add({ cid, event, isNarrow }: OrderedEvent): void {
    if (isNarrow) {
      for (const key of inStretch) above.add(key);
      overwritten = new Map();
      inStretch = new Set();
      copies = 0;
    }
    const keys = overwritten.get(cid) ?? new Set<string>();
    overwritten.delete(cid);
    for (const { key, value } of event.operations.toReversed()) {
      if (above.has(key) || keys.has(key)) continue;
      keys.add(key);
      inStretch.add(key);
      survived(key, cid);
      if (value !== undefined) values.add(value);
    }
    for (const parent of event.parents) tell(parent, keys, event.parents.length === 1);
  }
  return { add, values: values as ReadonlySet<Cid> };
}
