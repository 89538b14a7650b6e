import { append } from '../base/append.ts';
import type { Cid } from '../codec/cid.ts';
import type { ClockEvent, Head, ReadEvent } from './event.ts';

export interface OrderedEvent {
  readonly cid: Cid;
  readonly event: ClockEvent;
  /** Whether every other event of the history is an ancestor or a descendant of this one. */
  readonly isNarrow: boolean;
}

/**
 * Yields the events of a head and all their ancestors, children before parents, with concurrent
 * branches interleaved. Reads a linear history only as far as the caller requests events. Reads a
 * branching history back to the first event, because an unread event may be a child of an event
 * that was already read.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function* historyOf(
  head: Head,
  read: ReadEvent,
  pause: () => Promise<void>,
): AsyncGenerator<OrderedEvent, void> {
  let open: readonly Cid[] = head;
  for (let count = 1; ; count++) {
    const [cid] = open;
    if (cid === undefined) return;
    if (open.length > 1) break;
    if (count % 1000 === 0) await pause();
    const event = await read(cid);
    yield { cid, event, isNarrow: true };
    open = event.parents;
  }
  yield* await branchesOf(open, read, pause);
}

interface Node {
  readonly cid: Cid;
  readonly event: ClockEvent;
  children: number;
}

async function branchesOf(
  head: readonly Cid[],
  read: ReadEvent,
  pause: () => Promise<void>,
): Promise<readonly OrderedEvent[]> {
  const nodes = new Map<Cid, Node>();
  const waiting = [...head];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (nodes.has(cid)) continue;
    if (nodes.size % 1000 === 999) await pause();
    const event = await read(cid);
    nodes.set(cid, { cid, event, children: 0 });
    append(waiting, event.parents);
  }
  // Every event of the head and every parent was read.
  const nodeOf = (cid: Cid) => nodes.get(cid) as Node;
  for (const { event } of nodes.values()) for (const parent of event.parents) nodeOf(parent).children++;
  const ordered: OrderedEvent[] = [];
  const open = new Set<Cid>(head);
  const ready = head.map(nodeOf).filter(({ children }) => children === 0);
  for (const { cid, event } of ready) {
    ordered.push({ cid, event, isNarrow: open.size === 1 });
    open.delete(cid);
    for (const parent of event.parents) {
      open.add(parent);
      const node = nodeOf(parent);
      if (--node.children === 0) ready.push(node);
    }
  }
  return ordered;
}
