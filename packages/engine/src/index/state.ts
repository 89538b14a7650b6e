/** An index at a head: two trees over their nodes. An update makes a new state; readers of the old one go on undisturbed. */
import { FixpointError } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import type { Node, ReadNode } from '../prolly/node.ts';
import { type Edit, putMany } from '../prolly/put-many.ts';

/**
 * - `byKey`: ordered key + document id (+ 0 and a number, for the second and later rows of equal key and document) -> value.
 * - `byId`: document id -> its keys in `byKey`, as an array in dag-cbor.
 */
export interface IndexState {
  /** The documents that the index holds are those of this snapshot. */
  readonly snapshot: Snapshot;
  readonly byKey: Cid | undefined;
  readonly byId: Cid | undefined;
  readonly nodes: ReadonlyMap<Cid, Node>;
}

/** Of a database without documents. */
export const EMPTY: IndexState = {
  snapshot: { head: [], root: undefined, merged: [] },
  byKey: undefined,
  byId: undefined,
  nodes: new Map(),
};

export function nodeReader({ nodes }: IndexState): ReadNode {
  return async (cid) => {
    const node = nodes.get(cid);
    if (node === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    return node;
  };
}

/** The state after edits of both trees. */
export async function withEdits(
  before: IndexState,
  byKeyEdits: Iterable<Edit>,
  byIdEdits: Iterable<Edit>,
): Promise<IndexState> {
  const read = nodeReader(before);
  const byKey = await putMany(read, before.byKey, byKeyEdits);
  const byId = await putMany(read, before.byId, byIdEdits);
  const nodes = new Map(before.nodes);
  for (const { added, removed } of [byKey, byId]) {
    for (const cid of removed) nodes.delete(cid);
    for (const [cid, { node }] of added) nodes.set(cid, node);
  }
  return { ...before, byKey: byKey.root, byId: byId.root, nodes };
}
