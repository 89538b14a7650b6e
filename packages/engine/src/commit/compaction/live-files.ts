import { utf8 } from '../../base/bytes.ts';
import type { Cid } from '../../codec/cid.ts';
import { readByPlace } from '../../codec/read-by-place.ts';
import { decodeStored } from '../../documents/encode.ts';
import { fileArchivesOf } from '../../documents/file-entry.ts';
import { entries } from '../../trie/entries.ts';
import { getLinks } from '../../trie/get.ts';
import type { Readers, Snapshot } from '../snapshot.ts';

/** Maximum number of documents that are read in the order of their places. */
const READ_TOGETHER = 100_000;

/**
 * Returns the file archives that documents of the snapshot refer to. With `ids`, considers only
 * these documents.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function liveFileArchives(
  { root }: Snapshot,
  readers: Readers,
  ids?: readonly string[],
): Promise<ReadonlySet<Cid>> {
  const live = new Set<Cid>();
  if (root === undefined) return live;
  const note = (bytes: Uint8Array) => {
    if (!mayHaveFiles(bytes)) return;
    // Existing clients can still read a document with `_deleted: true`, so its files are live.
    const stored = decodeStored(bytes);
    if ('doc' in stored) for (const car of fileArchivesOf(stored.doc)) live.add(car);
  };
  for await (const values of valuesOf(root, readers, ids)) await readByPlace(readers.blocks, values, note);
  return live;
}

/** Yields the links of documents, at most {@link READ_TOGETHER} at a time. */
async function* valuesOf(
  root: Cid,
  { shard }: Readers,
  ids: readonly string[] | undefined,
): AsyncIterable<readonly Cid[]> {
  if (ids !== undefined) {
    yield (await getLinks(shard, root, ids)).filter((value) => value !== undefined);
    return;
  }
  let values: Cid[] = [];
  for await (const [, value] of entries(shard, root)) {
    values.push(value);
    if (values.length < READ_TOGETHER) continue;
    yield values;
    values = [];
  }
  yield values;
}

const FIRST = 0x69;
const REST = [...utf8('les')];

/**
 * Returns whether a block may refer to files. Both names of file maps end in "iles", so a block
 * without that text needs no decoding.
 */
function mayHaveFiles(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(FIRST); at !== -1; at = bytes.indexOf(FIRST, at + 1))
    if (REST.every((byte, index) => bytes[at + 1 + index] === byte)) return true;
  return false;
}
