/**
 * Follows the metas of a ledger. Answered at once by one event, also when there is nothing; on a websocket further events follow, over HTTP the client
 * repeats the request.
 */
import * as v from 'valibot';
import { answered, askedOfMetas, conn } from './envelope.ts';
import { metas } from './metas.ts';

export const bindGetMeta = v.looseObject({
  type: v.literal('bindGetMeta'),
  ...askedOfMetas,
  /** Own addition: the cursor of the last event that was taken in; only later entries are sent then. */
  cursor: v.optional(v.number()),
  /** Own addition: the mark that came with this cursor. Where it is that of no entry here, all is sent. */
  mark: v.optional(v.string()),
});

export const eventGetMeta = v.looseObject({
  type: v.literal('eventGetMeta'),
  ...answered,
  /** Exactly the receiver's pair: clients drop events for another one. */
  conn,
  meta: metas,
  /** Own addition: everything up to here was sent. Other servers leave it out. */
  cursor: v.optional(v.number()),
  /** Own addition: tells this cursor from an equal one of a history that was lost. */
  mark: v.optional(v.string()),
  /** Own addition: the cursor of the event before this one; with 0 the listing begins. */
  after: v.optional(v.number()),
  /** Own addition: more entries come with the next events, or over HTTP with the next answers. */
  more: v.optional(v.boolean()),
  /** Own addition: of what kind the ledger is, once that is settled (`sealed`, `open-key`). */
  kind: v.optional(v.string()),
  /** Own addition: records in the list of keys that members put who may no longer use the ledger. */
  removed: v.optional(v.array(v.string())),
});
