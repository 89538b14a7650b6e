import { FixpointError } from '@fixpoint/protocol';
import fc from 'fast-check';
import { utf8 } from '../base/bytes.ts';
import { type Cid, cidOf, DAG_CBOR, RAW } from '../codec/cid.ts';
import { type ClockEvent, type Head, type ReadEvent, sortHead } from './event.ts';

export const eventCid = (name: string): Cid => cidOf(DAG_CBOR, utf8(name));
export const linkOf = (name: string): Cid => cidOf(RAW, utf8(name));

/** Builds a graph of named events from their parents and the keys that they write. Counts reads. */
export function dag(
  parentsByName: Readonly<Record<string, readonly string[]>>,
  keysOf = (name: string) => [name],
) {
  const events = new Map<Cid, ClockEvent>();
  const names = new Map<Cid, string>();
  for (const [name, parents] of Object.entries(parentsByName)) {
    const operations = keysOf(name).map((key) => ({ key, value: linkOf(`${name}:${key}`) }));
    events.set(eventCid(name), { operations, root: linkOf(name), parents: parents.map(eventCid).sort() });
    names.set(eventCid(name), name);
  }
  let reads = 0;
  const read: ReadEvent = async (cid) => {
    reads++;
    const event = events.get(cid);
    if (event === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    return event;
  };
  return {
    read,
    events,
    readCount: () => reads,
    nameOf: (cid: Cid) => names.get(cid) ?? '?',
    head: (...heads: string[]) => sortHead(heads.map(eventCid)),
    names: (cids: readonly Cid[]) => cids.map((cid) => names.get(cid) ?? '?').sort(),
  };
}

export type Dag = ReturnType<typeof dag>;

/** Returns the events and all their ancestors. */
export function closure({ events }: Dag, starts: Iterable<Cid>): Set<Cid> {
  const found = new Set<Cid>();
  const waiting = [...starts];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (found.has(cid)) continue;
    found.add(cid);
    waiting.push(...(events.get(cid)?.parents ?? []));
  }
  return found;
}

/** Returns those of the events that aren't an ancestor of another one. */
export function maximal(graph: Dag, cids: Iterable<Cid>): Head {
  const all = [...new Set(cids)];
  return sortHead(
    all.filter((cid) => !all.some((other) => other !== cid && closure(graph, [other]).has(cid))),
  );
}

/**
 * Generates graphs like those of real replicas: several replicas write and merge, and all share the
 * first event. Returns the graph and the final head of each replica.
 */
export const someDag = fc
  .tuple(
    fc.integer({ min: 2, max: 4 }),
    fc.array(fc.record({ replica: fc.nat(3), from: fc.nat(3), merges: fc.boolean() }), { maxLength: 40 }),
    fc.array(fc.array(fc.constantFrom('k1', 'k2', 'k3', 'k4'), { minLength: 1, maxLength: 2 }), {
      minLength: 1,
      maxLength: 5,
    }),
  )
  .map(([replicas, steps, keys]) => {
    const parentsByName: Record<string, string[]> = { first: [] };
    const heads: string[][] = Array.from({ length: replicas }, () => ['first']);
    steps.forEach(({ replica, from, merges }, at) => {
      const mine = replica % replicas;
      if (merges) {
        const graph = dag(parentsByName);
        const both = [...(heads[mine] ?? []), ...(heads[from % replicas] ?? [])].map(eventCid);
        heads[mine] = maximal(graph, both).map(graph.nameOf);
        return;
      }
      parentsByName[`e${at}`] = heads[mine] ?? [];
      heads[mine] = [`e${at}`];
    });
    const graph = dag(parentsByName, (name) => keys[name.length % keys.length] ?? []);
    return { graph, heads: heads.map((names) => graph.head(...names)) };
  });

/** Returns a chain `prefix1 <- prefix2 <- ...` that starts after `parent`. */
export function chain(prefix: string, length: number, parent?: string): Record<string, string[]> {
  const names = Array.from({ length }, (_, n) => `${prefix}${n + 1}`);
  return Object.fromEntries(
    names.map((name, at) => [
      name,
      at === 0 ? (parent === undefined ? [] : [parent]) : [names[at - 1] ?? ''],
    ]),
  );
}
