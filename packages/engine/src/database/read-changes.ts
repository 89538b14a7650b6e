import { checkLimit } from '../base/check-options.ts';
import { type Change, changesSince, keysSince, newestChanges } from '../clock/changes-since.ts';
import type { Head } from '../clock/event.ts';
import { parseHead } from '../clock/head.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import type { ChangeRow } from './database-results.ts';
import { currentDocuments } from './read.ts';

/**
 * Returns a function that reads the documents written since a head, at most the newest `limit`,
 * with the oldest write first.
 * @throws FixpointError QUERY_INVALID, HEAD_INVALID
 */
export function changedDocuments(
  given: readonly string[],
  options: { readonly limit?: number },
): (readers: Readers, snapshot: Snapshot) => Promise<ChangeRow[]> {
  checkLimit(options);
  const since = parseHead(given);
  const { limit = Number.POSITIVE_INFINITY } = options;
  return (readers, snapshot) => documentsSince(readers, snapshot, since, limit);
}

async function documentsSince(
  readers: Readers,
  snapshot: Snapshot,
  since: Head,
  limit: number,
): Promise<ChangeRow[]> {
  // Reads one more, because one of the documents may be the genesis document.
  const changed =
    since.length === 0
      ? await newestChanges(snapshot.head, limit + 1, readers.event)
      : await changesApart(readers, snapshot.head, since);
  const told = changed.filter(({ key }) => key !== GENESIS_KEY);
  const newest = told.slice(Math.max(0, told.length - limit));
  const docs = await currentDocuments(
    readers,
    snapshot,
    newest.map(({ key }) => key),
  );
  return newest.flatMap(({ key, event }, at) => {
    const value = docs[at];
    return value === undefined ? [] : [{ key, value, clock: event }];
  });
}

/**
 * Returns the changes since a head, and the documents of events that left the head. If no event of
 * the head wrote such a document since then, its change names an event of the head.
 */
async function changesApart(
  { event }: Readers,
  head: Head,
  since: Head,
): Promise<readonly Pick<Change, 'key' | 'event'>[]> {
  const changed = await changesSince(head, since, event);
  const [first] = head;
  if (first === undefined) return changed;
  const known = new Set(changed.map(({ key }) => key));
  const left = (await keysSince(since, head, event)).filter((key) => !known.has(key));
  return [...left.map((key) => ({ key, event: first })), ...changed];
}
