import type { Cid } from '../codec/cid.ts';
import type { ReadEvent } from './event.ts';

/** Whether `event` is a proper ancestor of `descendant`. */
export async function isAncestor(event: Cid, descendant: Cid, read: ReadEvent): Promise<boolean> {
  const seen = new Set<Cid>();
  const waiting = [descendant];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const parent of (await read(next)).parents) {
      if (parent === event) return true;
      if (seen.has(parent)) continue;
      seen.add(parent);
      waiting.push(parent);
    }
  }
  return false;
}

/** The events and all that they descend from, each once, parents before children. */
export async function withAncestors(
  events: Iterable<Cid>,
  read: ReadEvent,
  stopAt: ReadonlySet<Cid> = new Set(),
): Promise<Set<Cid>> {
  const done = new Set<Cid>();
  const stack = [...events].reverse().map((cid) => ({ cid, opened: false }));
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (done.has(top.cid) || stopAt.has(top.cid)) continue;
    if (top.opened) {
      done.add(top.cid);
      continue;
    }
    stack.push({ cid: top.cid, opened: true });
    const { parents } = await read(top.cid);
    for (const cid of [...parents].reverse()) if (!done.has(cid)) stack.push({ cid, opened: false });
  }
  return done;
}
