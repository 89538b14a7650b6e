/**
 * The state of an index at a head: two trees of nodes. An update creates a new state, and doesn't
 * affect readers of the old state.
 */
import { type Head, sortHead } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';

/**
 * Two trees:
 * - `byKey`: ordered key + document id (+ 0 and a number, for the second and later rows of equal
 *   key and document) -> value.
 * - `byId`: `i` + document id -> its keys in `byKey`, as an array in dag-cbor. No key starts with
 *   `i`, so no node is part of both trees.
 *
 * The roots depend only on the documents and the definition, not on the updates that led to them.
 * A full-text index has other keys, and its roots depend on the updates: see text/layout.ts.
 */
export interface IndexState {
  /** The head whose documents the index contains. */
  readonly head: Head;
  /** The trie root of that head. */
  readonly root: Cid | undefined;
  readonly byKey: Cid | undefined;
  readonly byId: Cid | undefined;
}

/** The state of a database without documents. */
export const EMPTY: IndexState = { head: sortHead([]), root: undefined, byKey: undefined, byId: undefined };
