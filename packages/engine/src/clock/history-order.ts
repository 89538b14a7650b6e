import { append } from '../base/append.ts';
import type { Cid } from '../codec/cid.ts';
import type { ClockEvent, Head, ReadEvent } from './event.ts';

/** Number of events and operations between two pauses. */
const STEPS_BETWEEN_PAUSES = 1000;

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
  const pauseAfter = pausing(pause);
  for (;;) {
    const [cid] = open;
    if (cid === undefined) return;
    if (open.length > 1) break;
    const event = await read(cid);
    await pauseAfter(event);
    yield { cid, event, isNarrow: true };
    open = event.parents;
  }
  yield* await branchesOf(open, read, pauseAfter);
}

/** Returns a function that pauses when the events since the last pause took long to read. */
function pausing(pause: () => Promise<void>): (event: ClockEvent) => Promise<void> | undefined {
  let steps = 0;
  return ({ operations }) => {
    steps += 1 + operations.length;
    if (steps < STEPS_BETWEEN_PAUSES) return undefined;
    steps = 0;
    return pause();
  };
}

interface Node {
  readonly cid: Cid;
  readonly event: ClockEvent;
  children: number;
}

async function branchesOf(
  head: readonly Cid[],
  read: ReadEvent,
  pauseAfter: (event: ClockEvent) => Promise<void> | undefined,
): Promise<readonly OrderedEvent[]> {
  const nodes = new Map<Cid, Node>();
  const waiting = [...head];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (nodes.has(cid)) continue;
    const event = await read(cid);
    await pauseAfter(event);
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
