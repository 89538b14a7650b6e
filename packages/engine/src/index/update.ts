import { asArray, asText, decode, encode } from '../codec/dag-cbor.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import type { Doc } from '../documents/encode.ts';
import { getMany } from '../prolly/locate.ts';
import type { Edit } from '../prolly/put-many.ts';
import type { MappedRow, MapRun } from './run-map.ts';
import { changedDocuments } from './source.ts';
import { type IndexState, nodeReader, withEdits } from './state.ts';

/** Brings an index to a snapshot, by the documents that were written since its own. @throws FixpointError MAP_FAILED; the index is as before then */
export async function updated(
  before: IndexState,
  readers: Readers,
  snapshot: Snapshot,
  map: MapRun,
): Promise<IndexState> {
  const byKey = new Map<string, Edit[1]>();
  const byId = new Map<string, Edit[1]>();
  const read = nodeReader(before);
  for await (const { ids, live } of changedDocuments(readers, snapshot, before.snapshot.head)) {
    for (const [id, keys] of await getMany(read, before.byId, ids.toSorted(ascending))) {
      for (const key of keysOf(keys)) byKey.set(key, undefined);
      byId.set(id, undefined);
    }
    for (const [id, rows] of rowsById(live, await map.run(live))) {
      for (const [key, value] of rows) byKey.set(key, value);
      byId.set(id, encode([...rows.keys()]));
    }
  }
  return { ...(await withEdits(before, byKey, byId)), snapshot };
}

const ascending = (a: string, b: string): number => (a < b ? -1 : 1);

const keysOf = (value: Uint8Array | null): string[] =>
  value === null ? [] : asArray(decode(value)).map(asText);

type RowsOfDocument = Map<string, MappedRow['value']>;

/** The rows of each document that has any, by their keys in the tree. */
function rowsById(
  documents: readonly (Doc & { readonly _id: string })[],
  rows: readonly MappedRow[],
): Map<string, RowsOfDocument> {
  const byId = new Map<string, RowsOfDocument>();
  const timesByKey = new Map<string, number>();
  for (const { at, key, value } of rows) {
    const id = documents[at]?._id ?? '';
    const ofDocument: RowsOfDocument = byId.get(id) ?? new Map();
    byId.set(id, ofDocument);
    const first = key + id;
    const times = (timesByKey.get(first) ?? 0) + 1;
    timesByKey.set(first, times);
    ofDocument.set(times === 1 ? first : `${first}\u0000${String(times).padStart(7, '0')}`, value);
  }
  return byId;
}
