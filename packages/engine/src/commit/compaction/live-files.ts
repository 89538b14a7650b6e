import { utf8 } from '../../base/bytes.ts';
import type { Cid } from '../../codec/cid.ts';
import { decodeStored } from '../../documents/encode.ts';
import { fileArchivesOf } from '../../documents/file-entry.ts';
import { entries } from '../../trie/entries.ts';
import { getLink } from '../../trie/get.ts';
import type { Readers, Snapshot } from '../snapshot.ts';

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
  for await (const value of valuesOf(root, readers, ids)) {
    const bytes = await readers.block(value);
    if (!mayHaveFiles(bytes)) continue;
    // Existing clients can still read a document with `_deleted: true`, so its files are live.
    const stored = decodeStored(bytes);
    if ('doc' in stored) for (const car of fileArchivesOf(stored.doc)) live.add(car);
  }
  return live;
}

async function* valuesOf(
  root: Cid,
  readers: Readers,
  ids: readonly string[] | undefined,
): AsyncIterable<Cid> {
  if (ids === undefined) {
    for await (const [, value] of entries(readers.shard, root)) yield value;
    return;
  }
  for (const id of ids) {
    const value = await getLink(readers.shard, root, id);
    if (value !== undefined) yield value;
  }
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
