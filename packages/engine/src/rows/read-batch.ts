/** Reads the documents of a snapshot in the order of their ids, in batches. */
import type { Cid } from '../codec/cid.ts';
import { readByPlace } from '../codec/read-by-place.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { type DecodeLive, type LiveDoc, wholeDocument } from '../documents/decode-fields.ts';
import { noteDeleted } from '../documents/deletions.ts';
import { entries, type KeyRange } from '../trie/entries.ts';
import { getLinks } from '../trie/get.ts';
import { isLiveLink, type Slices, takeTurns } from './counted-trie.ts';

export type LiveLink = readonly [id: string, link: Cid];

/** Returns the ids and links of the documents that are not deleted. */
export async function* liveLinks(
  { shard }: Readers,
  { root }: Snapshot,
  range: KeyRange,
): AsyncGenerator<LiveLink> {
  if (root === undefined) return;
  for await (const entry of entries(shard, root, range)) if (isLiveLink(entry[0], entry[1])) yield entry;
}

/**
 * Returns the documents of these links, in order.
 * @param rest lets other work run
 * @throws FixpointError MISSING_BLOCK, MISSING_CARS, CORRUPT
 */
export async function readDocuments(
  readers: Readers,
  links: readonly LiveLink[],
  decodeLive: DecodeLive = wholeDocument,
  rest?: () => Promise<void>,
): Promise<LiveDoc[]> {
  const cids = links.map(([, link]) => link);
  const decode = (block: Uint8Array, at: number) => {
    const [id, link] = links[at] as LiveLink;
    const doc = decodeLive(block, id);
    if (doc === undefined) noteDeleted(link);
    return doc;
  };
  return (await readByPlace(readers.blocks, cids, decode, rest)).filter((doc) => doc !== undefined);
}

/** Returns the live documents with these ids, in order. @throws as {@link readDocuments} */
export async function readLinked(
  readers: Readers,
  root: Cid | undefined,
  ids: readonly string[],
  decodeLive: DecodeLive,
  rest: () => Promise<void>,
): Promise<readonly LiveDoc[]> {
  if (root === undefined) return [];
  const found = await getLinks(readers.shard, root, ids);
  const live = ids.flatMap((id, at): LiveLink[] => {
    const link = found[at];
    return isLiveLink(id, link) ? [[id, link]] : [];
  });
  return readDocuments(readers, live, decodeLive, rest);
}

/** Maximum number of documents, and of their bytes, that are read before the first is yielded. */
const READ_MAX = 16_000;
const READ_BYTES_MAX = 8_000_000;

/**
 * Yields all documents in the range, in batches of `size` documents, and lets other work run in
 * between. Reads one batch first, so that it is yielded soon. Then reads more and more batches
 * together, because that opens each archive less often.
 */
export async function* documentBatches(
  readers: Readers,
  snapshot: Snapshot,
  range: KeyRange,
  {
    size,
    decodeLive = wholeDocument,
    ...slices
  }: Slices & { readonly size: number; readonly decodeLive?: DecodeLive },
): AsyncGenerator<readonly LiveDoc[]> {
  const rest = () => takeTurns(slices);
  let bytes = 0;
  const countBytes: DecodeLive = (block, id) => {
    bytes += block.length;
    return decodeLive(block, id);
  };
  let links: LiveLink[] = [];
  let wanted = size;
  async function* batches() {
    await rest();
    const docs = await readDocuments(readers, links, countBytes, rest);
    for (let from = 0; from < docs.length; from += size) {
      if (from > 0) await rest();
      yield docs.slice(from, from + size);
    }
  }
  for await (const link of liveLinks(readers, snapshot, range)) {
    links.push(link);
    if (links.length < wanted) continue;
    yield* batches();
    const linksMax = Math.min(READ_MAX, (READ_BYTES_MAX * links.length) / bytes);
    wanted = Math.max(size, Math.min(2 * links.length, linksMax));
    bytes = 0;
    links = [];
  }
  yield* batches();
}
