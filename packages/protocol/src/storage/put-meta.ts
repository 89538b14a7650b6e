/** Stores entries. An entry replaces the older ones of the same connection; keys are kept for ever. Answered when both are durable. */
import * as v from 'valibot';
import { answered, askedOfMetas } from './envelope.ts';
import { metas } from './metas.ts';

export const reqPutMeta = v.looseObject({
  type: v.literal('reqPutMeta'),
  ...askedOfMetas,
  meta: metas,
  /**
   * Own addition: every object that a reader of these entries needs, as `car/<key>`, and objects of files as `file/<key>`. A server can't read
   * them in the archives. It rejects the entries while one is absent, and never removes one.
   */
  objects: v.optional(v.array(v.string())),
});
export const resPutMeta = v.looseObject({
  type: v.literal('resPutMeta'),
  ...answered,
  meta: metas,
  /** Own addition: the cursor of the ledger right before the put. */
  after: v.optional(v.number()),
  /** Own addition: the mark of `after`, empty where it has none. */
  afterMark: v.optional(v.string()),
  /** Own addition: the cursor right after the put. Nobody else's entries are between the two. */
  cursor: v.optional(v.number()),
  /** Own addition: the mark of that cursor. */
  mark: v.optional(v.string()),
});
