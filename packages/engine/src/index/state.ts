/** An index at a head: two trees over its nodes. An update makes a new state; readers of the old one go on undisturbed. */
import { type Head, sortHead } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';

/**
 * - `byKey`: ordered key + document id (+ 0 and a number, for the second and later rows of equal key and document) -> value.
 * - `byId`: `i` + document id -> its keys in `byKey`, as an array in dag-cbor. No key begins with `i`, so no node is part of both trees.
 *
 * The roots depend on the documents and the definition alone, whatever way the index came to them.
 */
export interface IndexState {
  /** The documents that the index holds are those of this head. */
  readonly head: Head;
  /** The trie of that head. */
  readonly root: Cid | undefined;
  readonly byKey: Cid | undefined;
  readonly byId: Cid | undefined;
}

/** Of a database without documents. */
export const EMPTY: IndexState = { head: sortHead([]), root: undefined, byKey: undefined, byId: undefined };
