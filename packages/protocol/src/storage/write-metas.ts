/**
 * Requests that write a ledger's metas. A put stores entries and keys. An entry supersedes the
 * older entries of the same connection. The server answers once entries and keys are durable.
 */

import { answered, askedOfMetas } from './envelope.ts';
import { metas, receivedEntry } from './metas.ts';
import * as v from './shape.ts';

export const reqPutMeta = v.looseObject({
  type: v.literal('reqPutMeta'),
  ...askedOfMetas,
  meta: metas,
  /**
   * Fixpoint extension: every object that a reader of these entries needs, as `car/<key>`, and
   * objects of files as `file/<key>`. The server can't read these names from the encrypted
   * archives. It rejects the entries while one of the objects is missing, and never removes one of
   * these objects.
   */
  objects: v.optional(v.array(v.string())),
});
export const resPutMeta = v.looseObject({
  type: v.literal('resPutMeta'),
  ...answered,
  meta: metas,
  /** Fixpoint extension: the cursor of the ledger just before the put. */
  after: v.optional(v.number()),
  /** Fixpoint extension: the mark of `after`; empty when that cursor has no mark. */
  afterMark: v.optional(v.string()),
  /**
   * Fixpoint extension: the cursor just after the put. No other writer's entries are between
   * `after` and this cursor.
   */
  cursor: v.optional(v.number()),
  /** Fixpoint extension: the mark of `cursor`. */
  mark: v.optional(v.string()),
  /** Fixpoint extension: when the server received these entries first, and from whom. */
  received: v.optional(v.array(receivedEntry)),
});

/** Removes keys from a ledger. Admins of its tenant can also remove entries. */
export const reqDelMeta = v.looseObject({
  type: v.literal('reqDelMeta'),
  ...askedOfMetas,
  meta: v.optional(metas),
});
export const resDelMeta = v.looseObject({ type: v.literal('resDelMeta'), ...answered });
