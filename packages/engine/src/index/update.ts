import { ahead } from '../base/ahead.ts';
import type { Pace } from '../base/pace.ts';
import { asArray, asText, decode, encode } from '../codec/dag-cbor.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import type { Doc } from '../documents/encode.ts';
import { getMany } from '../prolly/locate.ts';
import type { ReadNode } from '../prolly/node.ts';
import { type Edit, putMany, type TreeUpdate } from '../prolly/put-many.ts';
import { mergeRuns, sortedRun } from './edit-runs.ts';
import type { MappedRow, MapRun } from './run-map.ts';
import { changedDocuments } from './source.ts';
import type { IndexState } from './state.ts';

export interface Update {
  readonly state: IndexState;
  readonly changes: readonly TreeUpdate[];
}

export interface UpdateParts {
  /** Reads the nodes of the state before. */
  readonly read: ReadNode;
  readonly readers: Readers;
  readonly run: MapRun;
  readonly pace: Pace;
}

/** Brings an index to a snapshot, by the documents that changed since its own. @throws FixpointError MAP_FAILED; nothing changes then */
export async function updated(
  before: IndexState,
  snapshot: Snapshot,
  { read, readers, run, pace }: UpdateParts,
): Promise<Update> {
  const byKeyRuns: Edit[][] = [];
  const byIdRuns: Edit[][] = [];
  // A map function of a sandbox runs elsewhere: the next documents are read meanwhile.
  for await (const { ids, live } of ahead(changedDocuments(readers, snapshot, before, pace))) {
    // Documents of other batches have other ids, and so other keys in both trees.
    const byKey = new Map<string, Edit[1]>();
    const byId = new Map<string, Edit[1]>();
    for (const [id, keys] of await getMany(read, before.byId, ids.map(treeIdOf).sort())) {
      for (const key of keysOf(keys)) byKey.set(key, undefined);
      byId.set(id, undefined);
    }
    for (const [id, rows] of rowsById(live, await run.run(live))) {
      for (const [key, value] of rows) byKey.set(key, value);
      byId.set(treeIdOf(id), encode([...rows.keys()]));
    }
    byKeyRuns.push(sortedRun(byKey));
    byIdRuns.push(sortedRun(byId));
    if (pace.isDue()) await pace.rest();
  }
  const byKey = await putMany(read, before.byKey, await mergeRuns(byKeyRuns, pace), pace);
  const byId = await putMany(read, before.byId, await mergeRuns(byIdRuns, pace), pace);
  return {
    state: { head: snapshot.head, root: snapshot.root, byKey: byKey.root, byId: byId.root },
    changes: [byKey, byId],
  };
}

const treeIdOf = (id: string): string => `i${id}`;

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
