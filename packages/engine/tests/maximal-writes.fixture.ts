/**
 * Computes the writes that P2, P3 and P5 define. Uses only the clock, not the engine's merge rule.
 */
import type { ClockEvent } from '../src/clock/event.ts';
import type { Cid } from '../src/codec/cid.ts';

export interface Causality {
  /** The values of the causally maximal writes of each document. */
  readonly maximal: ReadonlyMap<string, ReadonlySet<Cid>>;
  /** All values that were ever written. */
  readonly values: ReadonlySet<Cid>;
}

export function causalityOf(events: ReadonlyMap<Cid, ClockEvent>): Causality {
  const ancestors = ancestorsOf(events);
  const writers = new Map<string, Cid[]>();
  const values = new Set<Cid>();
  for (const [cid, { operations }] of events)
    for (const { key, value } of operations) {
      if (value !== undefined) values.add(value);
      writers.set(key, [...(writers.get(key) ?? []), cid]);
    }
  const maximal = new Map<string, Set<Cid>>();
  for (const [key, cids] of writers) {
    const last = cids.filter((cid) => !cids.some((other) => ancestors.get(other)?.has(cid)));
    maximal.set(key, new Set(last.flatMap((cid) => lastValue(events.get(cid), key))));
  }
  return { maximal, values };
}

/** An event may write a document more than once; its last write counts. */
function lastValue(event: ClockEvent | undefined, key: string): Cid[] {
  const value = event?.operations.findLast((operation) => operation.key === key)?.value;
  return value === undefined ? [] : [value];
}

function ancestorsOf(events: ReadonlyMap<Cid, ClockEvent>): Map<Cid, ReadonlySet<Cid>> {
  const known = new Map<Cid, ReadonlySet<Cid>>();
  const waiting = [...events.keys()];
  for (let cid = waiting.at(-1); cid !== undefined; cid = waiting.at(-1)) {
    const parents = events.get(cid)?.parents ?? [];
    const missing = known.has(cid) ? [] : parents.filter((parent) => !known.has(parent));
    if (missing.length > 0) {
      waiting.push(...missing);
      continue;
    }
    waiting.pop();
    if (!known.has(cid))
      known.set(cid, new Set(parents.flatMap((parent) => [parent, ...(known.get(parent) ?? [])])));
  }
  return known;
}
