import type { Cid } from '../codec/cid.ts';
import type { Head } from './event.ts';

interface Node {
  readonly parents: readonly Cid[];
  paths: bigint;
  weight: bigint;
  children: number;
}

/**
 * Returns events in replay order: by descending weight, and by ascending CID text for equal
 * weights. The weight of an event is the sum of the lengths of all paths from the head to it. So
 * parents come before children, and the write nearest to the head comes last and wins. One pass
 * from children to parents computes all weights. Weights are big integers, because they double with
 * each round in which histories cross.
 * @param parentsOf the events to order, each with its parents; omits parents that aren't to be
 * ordered
 */
export function orderByWeight(head: Head, parentsOf: ReadonlyMap<Cid, readonly Cid[]>): readonly Cid[] {
  const nodes = new Map<Cid, Node>();
  for (const [cid, parents] of parentsOf) nodes.set(cid, { parents, paths: 0n, weight: 0n, children: 0 });
  // All parents are among the events.
  const nodeOf = (cid: Cid) => nodes.get(cid) as Node;
  for (const { parents } of nodes.values()) for (const parent of parents) nodeOf(parent).children++;
  for (const cid of head) {
    const node = nodes.get(cid);
    if (node !== undefined) node.paths = 1n;
  }
  const ready = [...nodes.values()].filter(({ children }) => children === 0);
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    const { parents, paths, weight } = next;
    for (const parent of parents) {
      const node = nodeOf(parent);
      node.paths += paths;
      node.weight += weight + paths;
      if (--node.children === 0) ready.push(node);
    }
  }
  return [...nodes]
    .sort(([a, { weight: ofA }], [b, { weight: ofB }]) => {
      if (ofA !== ofB) return ofA > ofB ? -1 : 1;
      return a < b ? -1 : 1;
    })
    .map(([cid]) => cid);
}
