/** What an index needs to know of its database: the documents of a snapshot, and which of them are not as they were at an earlier head. */
import { changesSince } from '../clock/changes-since.ts';
import type { Head } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';
import type { Commits } from '../commit/open.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { type Doc, decodeDocument } from '../documents/encode.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { getLink } from '../trie/get.ts';

export type Source = Pick<Commits, 'readers' | 'snapshot'>;

/** Documents to look at again, a batch at a time. */
export interface ChangedDocuments {
  /** Ids of all documents of the batch, also of those that are gone. */
  readonly ids: readonly string[];
  readonly live: readonly (Doc & { readonly _id: string })[];
}

const BATCH = 500;

/** Every document when `since` is empty, else those that were written after it. @throws FixpointError MISSING_BLOCK, CORRUPT */
export async function* changedDocuments(
  readers: Readers,
  { head, root }: Snapshot,
  since: Head,
): AsyncGenerator<ChangedDocuments> {
  if (root === undefined) return;
  const batches = since.length === 0 ? allLinks(readers, root) : changedLinks(readers, root, head, since);
  for await (const links of batches) yield readBatch(readers, links);
}

type Links = readonly (readonly [id: string, document: Cid | undefined])[];

async function* allLinks({ shard: read }: Readers, root: Cid): AsyncGenerator<Links> {
  let links: [string, Cid][] = [];
  const shards = [root];
  for (let cid = shards.pop(); cid !== undefined; cid = shards.pop()) {
    const { prefix, entries } = await read(cid);
    for (const { key, value, child } of entries) {
      if (value !== undefined) links.push([prefix + key, value]);
      if (child !== undefined) shards.push(child);
    }
    if (links.length < BATCH) continue;
    yield links;
    links = [];
  }
  yield links;
}

async function* changedLinks(readers: Readers, root: Cid, head: Head, since: Head): AsyncGenerator<Links> {
  const keys = (await changesSince(head, since, readers.event)).map(({ key }) => key);
  for (let at = 0; at < keys.length; at += BATCH) {
    const batch = keys.slice(at, at + BATCH);
    yield await Promise.all(
      batch.map(async (key) => [key, await getLink(readers.shard, root, key)] as const),
    );
  }
}

async function readBatch(readers: Readers, links: Links): Promise<ChangedDocuments> {
  const ids: string[] = [];
  const live: (Doc & { _id: string })[] = [];
  for (const [id, link] of links) {
    if (id === GENESIS_KEY) continue;
    ids.push(id);
    const stored = link === undefined ? { deleted: true } : decodeDocument(await readers.block(link));
    if ('doc' in stored) live.push(stored.doc);
  }
  return { ids, live };
}
