/** Reads the documents of a snapshot in the order of their ids, in batches. */
import { partReader } from '../codec/cbor-part.ts';
import type { Cid } from '../codec/cid.ts';
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
 * Returns the documents of these links, in order. Opens each archive once.
 * @throws FixpointError MISSING_BLOCK, MISSING_CARS, CORRUPT
 */
export async function readDocuments(
  readers: Readers,
  links: readonly LiveLink[],
  decodeLive: DecodeLive = wholeDocument,
): Promise<LiveDoc[]> {
  const blocks = await readers.blocks(links.map(([, link]) => link));
  return blocks.flatMap((bytes, at) => {
    const [id, link] = links[at] as LiveLink;
    const doc = decodeLive(bytes, id);
    if (doc === undefined) noteDeleted(link);
    return doc ?? [];
  });
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

/** Returns all documents in the range, in batches; yields in between. */
export async function* documentBatches(
  readers: Readers,
  snapshot: Snapshot,
  range: KeyRange,
  { size, decodeLive, ...slices }: Slices & { readonly size: number; readonly decodeLive?: DecodeLive },
): AsyncGenerator<readonly LiveDoc[]> {
  let links: LiveLink[] = [];
  for await (const link of liveLinks(readers, snapshot, range)) {
    links.push(link);
    if (links.length < size) continue;
    await takeTurns(slices);
    yield await readDocuments(readers, links, decodeLive);
    links = [];
  }
  await takeTurns(slices);
  if (links.length > 0) yield await readDocuments(readers, links, decodeLive);
}
