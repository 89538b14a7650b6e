import type { Cid } from '../codec/cid.ts';
import { withAncestors } from './ancestors.ts';
import type { Head, ReadEvent } from './event.ts';

export interface Change {
  readonly key: string;
  /** The newest event that wrote the key. */
  readonly event: Cid;
}

/** The keys that events of `head` wrote which `since` does not know: each once, by its newest event, oldest first. Hides nothing. */
export async function changesSince(head: Head, since: Head, read: ReadEvent): Promise<readonly Change[]> {
  const stopAt = new Set(since);
  let events = await withAncestors(head, read, stopAt);
  const leaked = since.length > 0 && (await reachesFirstEvent(events, read));
  if (leaked) {
    const known = await withAncestors(since, read);
    events = new Set([...events].filter((cid) => !known.has(cid)));
  }
  const seen = new Set<string>();
  const newestFirst: Change[] = [];
  for (const event of [...events].reverse()) {
    for (const { key } of [...(await read(event)).operations].reverse()) {
      if (seen.has(key)) continue;
      seen.add(key);
      newestFirst.push({ key, event });
    }
  }
  return newestFirst.reverse();
}

/** A walk that got to a first event went past `since` on some way, and met events that `since` knows. */
async function reachesFirstEvent(events: ReadonlySet<Cid>, read: ReadEvent): Promise<boolean> {
  for (const cid of events) if ((await read(cid)).parents.length === 0) return true;
  return false;
}
