import type { Cid } from '../codec/cid.ts';
import type { Head } from './event.ts';

/**
 * Events in the order of their replay: by weight descending, equal weights by CID text ascending. The weight of an event is the sum of the
 * lengths of all paths from the head to it, so parents come before children, and the write nearest to the head comes last and wins.
 * One pass from children to parents gives all weights: they double with each round in which histories cross, hence big integers.
 * @param parentsOf the events to order, each with those of its parents that are among them
 */
export function orderByWeight(head: Head, parentsOf: ReadonlyMap<Cid, readonly Cid[]>): readonly Cid[] {
  const nodes = new Map<Cid, { paths: bigint; weight: bigint; children: number }>();
  for (const cid of parentsOf.keys()) nodes.set(cid, { paths: 0n, weight: 0n, children: 0 });
  for (const parents of parentsOf.values())
    for (const parent of parents) {
      const node = nodes.get(parent);
      if (node !== undefined) node.children++;
    }
  for (const cid of head) {
    const node = nodes.get(cid);
    if (node !== undefined) node.paths = 1n;
  }
  const ready = [...nodes].filter(([, { children }]) => children === 0);
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    const [cid, { paths, weight }] = next;
    for (const parent of parentsOf.get(cid) ?? []) {
      const node = nodes.get(parent);
      if (node === undefined) continue;
      node.paths += paths;
      node.weight += weight + paths;
      if (--node.children === 0) ready.push([parent, node]);
    }
  }
  return [...nodes]
    .sort(([a, { weight: ofA }], [b, { weight: ofB }]) => {
      if (ofA !== ofB) return ofA > ofB ? -1 : 1;
      return a < b ? -1 : 1;
    })
    .map(([cid]) => cid);
}
