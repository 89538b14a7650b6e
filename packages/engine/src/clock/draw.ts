import { append } from '../base/append.ts';
import type { Cid } from '../codec/cid.ts';
import type { Head, ReadEvent } from './event.ts';
import { orderByWeight } from './winning-order.ts';

const TAIL_CHARS = 5;

/**
 * Draws the graph of events behind a head as text: one line for each event, parents above children.
 * The head is marked with `*`.
 * @param nameOf returns the name of an event; by default the last letters of its CID
 */
export async function draw(
  head: Head,
  read: ReadEvent,
  nameOf: (event: Cid) => string = (event) => event.slice(-TAIL_CHARS),
): Promise<string> {
  const parentsOf = new Map<Cid, readonly Cid[]>();
  const waiting = [...head];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (parentsOf.has(cid)) continue;
    const { parents } = await read(cid);
    parentsOf.set(cid, parents);
    append(waiting, parents);
  }
  const lines: string[] = [];
  for (const cid of orderByWeight(head, parentsOf)) {
    const { operations, parents } = await read(cid);
    const writes = operations.map(({ key, value }) => (value === undefined ? `-${key}` : key)).join(' ');
    const from = parents.length === 0 ? '' : ` <- ${parents.map(nameOf).sort().join(' ')}`;
    lines.push(`${head.includes(cid) ? '*' : ' '} ${nameOf(cid)} (${writes})${from}`);
  }
  return lines.join('\n');
}
