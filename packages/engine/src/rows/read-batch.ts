/** Reads the documents of a snapshot in the order of their ids, in batches. */
import { partReader } from '../codec/cbor-part.ts';
import type { Cid } from '../codec/cid.ts';
import { readByPlace } from '../codec/read-by-place.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { noteDeleted } from '../documents/deletions.ts';
import { type Doc, decodeDocument } from '../documents/encode.ts';
import { entries, type KeyRange } from '../trie/entries.ts';
import { isLiveLink, type Slices, takeTurns } from './counted-trie.ts';

export type LiveDoc = Doc & { readonly _id: string };
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

/** Decodes a document, or returns undefined if the document is deleted. */
export type DecodeLive = (block: Uint8Array, id: string) => LiveDoc | undefined;

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

const wholeDocument: DecodeLive = (block) => {
  const stored = decodeDocument(block);
  return 'doc' in stored ? stored.doc : undefined;
};

/** Above this number of fields, finding the fields takes as long as decoding all fields. */
const PARTS_MAX = 3;

/**
 * Returns a function that reads these fields and `_id` of documents; for undefined, it reads all
 * fields.
 */
export function decodingOf(fields: readonly string[] | undefined): DecodeLive {
  const wanted = new Set(fields);
  wanted.delete('_id');
  if (fields === undefined || wanted.size > PARTS_MAX) return wholeDocument;
  const [readDeleted, readFlag] = [partReader('del'), partReader('doc', '_deleted')];
  const parts = [...wanted].map((field) => [field, partReader('doc', field)] as const);
  return (block, id) => {
    if ((!isPlain(block) && readDeleted(block) === true) || readFlag(block) === true) return undefined;
    const doc: LiveDoc = { _id: id };
    for (const [field, read] of parts) {
      const value = read(block);
      if (value !== undefined) set(doc, field, value);
    }
    return doc;
  };
}

/** Start of a block that contains only a document: a map of one name, `doc`. */
const PLAIN = Uint8Array.of(0xa1, 0x63, 0x64, 0x6f, 0x63);

function isPlain(block: Uint8Array): boolean {
  for (let at = 0; at < PLAIN.length; at += 1) if (block[at] !== PLAIN[at]) return false;
  return true;
}

/** Sets a field of a document. A field `__proto__` becomes an ordinary field, too. */
function set(doc: Record<string, unknown>, field: string, value: unknown): void {
  if (field === '__proto__')
    Object.defineProperty(doc, field, { value, enumerable: true, configurable: true, writable: true });
  else doc[field] = value;
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
