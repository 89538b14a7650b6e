import { FixpointError } from '@fixpoint/protocol';
import { checkIdBounds, checkLimit } from '../base/check-options.ts';
import type { Cid } from '../codec/cid.ts';
import { readByPlace } from '../codec/read-by-place.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { decodeDocument } from '../documents/encode.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { withFiles } from '../files/read-file.ts';
import { loadOpenChunk } from '../open-chunk.ts';
import { entries } from '../trie/entries.ts';
import { getLink, getLinks } from '../trie/get.ts';
import type { AllDocsOptions, DocRow, Stored } from './database-results.ts';

/** Maximum number of documents that are read together when the number of results is limited. */
const BATCH = 500;
/** Maximum number of documents that are read together when all are wanted. */
const BATCH_OF_ALL = 100_000;

type KeyLink = readonly [key: string, value: Cid];

/** @throws FixpointError NOT_FOUND */
export async function getDocument(readers: Readers, { root }: Snapshot, id: string): Promise<Stored> {
  const key = parseDocKey(id);
  const link =
    root === undefined || key === GENESIS_KEY ? undefined : await getLink(readers.shard, root, key);
  if (link === undefined) throw new FixpointError('NOT_FOUND', id);
  return documentIn(await readers.block(link), readers, id);
}

/** Returns the document in a block. @throws FixpointError NOT_FOUND for a deletion */
export function documentIn(block: Uint8Array, readers: Readers, id: string): Stored {
  const found = liveIn(block, readers);
  if (found === undefined) throw new FixpointError('NOT_FOUND', id);
  return found;
}

export const documentOrDeleted = (block: Uint8Array, readers: Readers, id: string): Stored =>
  liveIn(block, readers) ?? { _id: id, _deleted: true };

export const readLive = async (readers: Readers, value: Cid): Promise<Stored | undefined> =>
  liveIn(await readers.block(value), readers);

function liveIn(block: Uint8Array, { fileArchive }: Readers): Stored | undefined {
  const stored = decodeDocument(block);
  return 'doc' in stored ? withFiles(stored.doc, fileArchive, loadOpenChunk) : undefined;
}

/** Returns the documents of these links, with undefined for deleted ones. */
function readAll(readers: Readers, wanted: readonly KeyLink[]): Promise<(Stored | undefined)[]> {
  const cids = wanted.map(([, value]) => value);
  return readByPlace(readers.blocks, cids, (block) => liveIn(block, readers));
}

export async function allDocuments(
  readers: Readers,
  snapshot: Snapshot,
  options: AllDocsOptions,
): Promise<DocRow[]> {
  checkLimit(options);
  checkIdBounds(options);
  const { limit = Number.POSITIVE_INFINITY, includeDeleted = false } = options;
  const rows: DocRow[] = [];
  if (limit === 0) return rows;
  for await (const links of linkBatches(readers, snapshot, options)) {
    const docs = await readAll(readers, links);
    for (const [at, [key]] of links.entries()) {
      const value = docs[at] ?? (includeDeleted ? { _id: key, _deleted: true as const } : undefined);
      if (value !== undefined) rows.push({ key, value });
    }
    if (rows.length >= limit) return rows.slice(0, limit);
  }
  return rows;
}

/** Yields the links of the wanted keys. Reads only a few more than the limit. */
async function* linkBatches(
  readers: Readers,
  { root }: Snapshot,
  {
    key,
    keys = key === undefined ? undefined : [key],
    limit = Number.POSITIVE_INFINITY,
    ...range
  }: AllDocsOptions,
): AsyncGenerator<readonly KeyLink[]> {
  if (root === undefined) return;
  const size = limit === Number.POSITIVE_INFINITY ? BATCH_OF_ALL : Math.min(limit, BATCH);
  let batch: KeyLink[] = [];
  for await (const link of keys === undefined
    ? linksInRange(readers, root, range)
    : await linksOfKeys(readers, root, range.descending ? keys.toReversed() : keys)) {
    if (link[0] === GENESIS_KEY) continue;
    batch.push(link);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function linksInRange(
  { shard }: Readers,
  root: Cid,
  { prefix, range, descending }: AllDocsOptions,
): AsyncIterable<KeyLink> {
  const [from, to] = range ?? [];
  return entries(shard, root, { prefix, from, to, descending });
}

/** Returns the links of these keys. Omits keys that the trie does not contain. */
async function linksOfKeys({ shard }: Readers, root: Cid, ids: readonly string[]): Promise<KeyLink[]> {
  const links = await getLinks(shard, root, ids.map(parseDocKey));
  return ids.flatMap((key, at) => {
    const value = links[at];
    return value === undefined || key === GENESIS_KEY ? [] : [[key, value] as const];
  });
}

/** Returns the current documents with these ids; deleted ones as `{_id, _deleted: true}`. */
export async function currentDocuments(
  readers: Readers,
  { root }: Snapshot,
  ids: readonly string[],
): Promise<Stored[]> {
  const links = root === undefined ? [] : await linksOfKeys(readers, root, ids);
  const docs = await readAll(readers, links);
  let next = 0;
  return ids.map((id) => (id === links[next]?.[0] ? docs[next++] : undefined) ?? { _id: id, _deleted: true });
}
