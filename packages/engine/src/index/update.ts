import type { Pace } from '../base/pace.ts';
import { prefetch } from '../base/prefetch.ts';
import { asArray, asText, decode, encode } from '../codec/dag-cbor.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
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
  /** Reads the nodes of the previous state. */
  readonly read: ReadNode;
  readonly readers: Readers;
  readonly run: MapRun;
  readonly pace: Pace;
}

/**
 * Updates an index to a snapshot, with the documents that changed since the head of the index.
 * Changes nothing if it throws.
 * @throws FixpointError MAP_FAILED
 */
export async function updated(
  before: IndexState,
  snapshot: Snapshot,
  { read, readers, run, pace }: UpdateParts,
): Promise<Update> {
  const byKeyRuns: Edit[][] = [];
  const byIdRuns: Edit[][] = [];
  // A sandboxed map function may run in another thread, so the next documents are read in parallel.
  for await (const { ids, live } of prefetch(
    changedDocuments(readers, snapshot, before, { pace, fields: run.fields }),
  )) {
    // Documents of other batches have other ids, and so other keys in both trees.
    const [byKey, byId]: [Edit[], Edit[]] = [[], []];
    const known = before.byId === undefined ? [] : ids.map(treeIdOf).sort();
    for (const [id, keys] of await getMany(read, before.byId, known)) {
      for (const key of keysOf(keys)) byKey.push([key, undefined]);
      byId.push([id, undefined]);
    }
    addRows(live, await run.run(live), byKey, byId);
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

/** Adds the rows of documents. The rows must be in the order of the documents. */
function addRows(
  documents: readonly { readonly _id: string }[],
  rows: readonly MappedRow[],
  byKey: Edit[],
  byId: Edit[],
): void {
  for (let next = 0; next < rows.length; ) {
    const { at } = rows[next] as MappedRow;
    const id = documents[at]?._id ?? '';
    const keys: string[] = [];
    const times = new Map<string, number>();
    for (; rows[next]?.at === at; next++) {
      const { key, value } = rows[next] as MappedRow;
      const first = key + id;
      const before = times.get(first) ?? 0;
      times.set(first, before + 1);
      const treeKey = before === 0 ? first : `${first}\u0000${String(before + 1).padStart(7, '0')}`;
      keys.push(treeKey);
      byKey.push([treeKey, value]);
    }
    byId.push([treeIdOf(id), encode(keys)]);
  }
}
