import type { Pace } from '../base/pace.ts';
import { prefetch } from '../base/prefetch.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import type { ReadNode } from '../prolly/node.ts';
import { putMany, type SortedEdits, type TreeUpdate } from '../prolly/put-many.ts';
import { type ChangedDocuments, changedDocuments } from './source.ts';
import type { IndexState } from './state.ts';

export interface Update {
  readonly state: IndexState;
  readonly changes: readonly TreeUpdate[];
}

/** Collects the edits of the two trees of an index. */
interface IndexEdits {
  /** Takes the next changed documents. Each document is among them only once. */
  take(documents: ChangedDocuments): Promise<void>;
  finish(): Promise<{ readonly byKey: SortedEdits; readonly byId: SortedEdits }>;
}

/** Decides what an index contains. */
export interface IndexRun {
  /** The fields that the index needs, if known. Documents may then omit their other fields. */
  readonly fields?: readonly string[] | undefined;
  /** The index contains only documents whose id starts with this text. */
  readonly prefix?: string;
  /** Begins an update of trees. `read` reads their nodes. */
  begin(trees: IndexState, read: ReadNode, pace: Pace): Promise<IndexEdits>;
  close(): void;
}

export interface UpdateParts {
  /** Reads the nodes of the previous state. */
  readonly read: ReadNode;
  readonly readers: Readers;
  readonly run: IndexRun;
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
  const edits = await run.begin(before, read, pace);
  // A sandboxed map function may run in another thread, so the next documents are read in parallel.
  for await (const documents of prefetch(
    changedDocuments(readers, snapshot, before, { pace, fields: run.fields, prefix: run.prefix }),
  )) {
    await edits.take(documents);
    if (pace.isDue()) await pace.rest();
  }
  const all = await edits.finish();
  const byKey = await putMany(read, before.byKey, all.byKey, pace);
  const byId = await putMany(read, before.byId, all.byId, pace);
  return {
    state: { head: snapshot.head, root: snapshot.root, byKey: byKey.root, byId: byId.root },
    changes: [byKey, byId],
  };
}
