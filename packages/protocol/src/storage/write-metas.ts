/**
 * Requests that write a ledger's metas. A put stores entries. An entry replaces the older ones of
 * the same connection; keys are kept for ever. The answer is sent once both are durable.
 */
import * as v from 'valibot';
import { answered, askedOfMetas } from './envelope.ts';
import { metas } from './metas.ts';

export const reqPutMeta = v.looseObject({
  type: v.literal('reqPutMeta'),
  ...askedOfMetas,
  meta: metas,
  /**
   * Fixpoint extension: every object that a reader of these entries needs, as `car/<key>`, and
   * objects of files as `file/<key>`. A server can't find them in the archives itself. It rejects
   * the entries while one is missing, and never removes one.
   */
  objects: v.optional(v.array(v.string())),
});
export const resPutMeta = v.looseObject({
  type: v.literal('resPutMeta'),
  ...answered,
  meta: metas,
  /** Fixpoint extension: the cursor of the ledger just before the put. */
  after: v.optional(v.number()),
  /** Fixpoint extension: the mark of `after`, empty when it has none. */
  afterMark: v.optional(v.string()),
  /**
   * Fixpoint extension: the cursor just after the put. No other writer's entries are between
   * `after` and it.
   */
  cursor: v.optional(v.number()),
  /** Fixpoint extension: the mark of `cursor`. */
  mark: v.optional(v.string()),
});

/** Removes keys from a ledger. Entries stay: a history is never rewritten. */
export const reqDelMeta = v.looseObject({
  type: v.literal('reqDelMeta'),
  ...askedOfMetas,
  meta: v.optional(metas),
});
export const resDelMeta = v.looseObject({ type: v.literal('resDelMeta'), ...answered });
