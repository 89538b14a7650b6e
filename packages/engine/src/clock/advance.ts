import type { Cid } from '../codec/cid.ts';
import { isAncestor } from './ancestors.ts';
import { type Head, type ReadEvent, sortHead } from './event.ts';

/** The head after an event became known: no element of it is an ancestor of another. */
export async function advance(head: Head, event: Cid, read: ReadEvent): Promise<Head> {
  if (head.includes(event)) return head;
  const kept: Cid[] = [];
  for (const element of head) if (!(await isAncestor(element, event, read))) kept.push(element);
  if (kept.length < head.length) return sortHead([...kept, event]);
  for (const element of head) if (await isAncestor(event, element, read)) return head;
  return sortHead([...head, event]);
}

/** The head that follows from two heads. In whatever order heads arrive, replicas reach the same one (P1). */
export async function mergeHeads(a: Head, b: Head, read: ReadEvent): Promise<Head> {
  let head = a;
  for (const event of b) head = await advance(head, event, read);
  return head;
}
