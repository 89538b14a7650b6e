/** Documents of a snapshot in the order of their ids, many at a time. */
import type { Cid } from '../codec/cid.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { type Doc, decodeDocument } from '../documents/encode.ts';
import { entries, type KeyRange } from '../trie/entries.ts';
import { isLiveLink, type Slices, takeTurns } from './counted-trie.ts';

export type LiveDoc = Doc & { readonly _id: string };
export type LiveLink = readonly [id: string, link: Cid];

/** Ids and links of the documents that are not deleted. */
export async function* liveLinks(
  { shard }: Readers,
  { root }: Snapshot,
  range: KeyRange,
): AsyncGenerator<LiveLink> {
  if (root === undefined) return;
  for await (const entry of entries(shard, root, range)) if (isLiveLink(entry[0], entry[1])) yield entry;
}

/** The documents of these links, in their order. Each archive is opened once. @throws FixpointError MISSING_BLOCK, MISSING_CARS, CORRUPT */
export async function readDocuments(readers: Readers, links: readonly LiveLink[]): Promise<LiveDoc[]> {
  const blocks = await readers.blocks(links.map(([, link]) => link));
  return blocks.flatMap((bytes) => {
    const stored = decodeDocument(bytes);
    return 'doc' in stored ? [stored.doc] : [];
  });
}

/** All documents in the range, in batches; others get their turn in between. */
export async function* documentBatches(
  readers: Readers,
  snapshot: Snapshot,
  range: KeyRange,
  { size, ...slices }: Slices & { readonly size: number },
): AsyncGenerator<readonly LiveDoc[]> {
  let links: LiveLink[] = [];
  for await (const link of liveLinks(readers, snapshot, range)) {
    links.push(link);
    if (links.length < size) continue;
    await takeTurns(slices);
    yield await readDocuments(readers, links);
    links = [];
  }
  await takeTurns(slices);
  if (links.length > 0) yield await readDocuments(readers, links);
}
