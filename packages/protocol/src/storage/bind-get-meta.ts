/**
 * Follows the metas of a ledger. Answered at once by one event, also when there is nothing; on a websocket further events follow, over HTTP the client
 * repeats the request.
 */
import * as v from 'valibot';
import { answered, askedOfMetas, conn } from './envelope.ts';
import { ledgerDevice, metaEntry, metas } from './metas.ts';

export const bindGetMeta = v.looseObject({
  type: v.literal('bindGetMeta'),
  ...askedOfMetas,
  /** Own addition: the cursor of the last event that was taken in; only later entries are sent then. */
  cursor: v.optional(v.number()),
  /** Own addition: the mark that came with this cursor. Where it is that of no entry here, all is sent. */
  mark: v.optional(v.string()),
  /** Own addition: objects that this client found absent or damaged, as `car/<key>` or `file/<key>`. The server checks them itself. */
  faulty: v.optional(v.array(v.string())),
});

/** An entry of the ledger that is not listed, and why. */
export const withheldEntry = v.looseObject({
  cid: v.string(),
  /**
   * `absent`: objects are missing or damaged at the store. `malformed`: no client can read the entry. `files`: no entry, but objects of files that are missing
   * or damaged.
   */
  why: v.string(),
  /** Of an absent entry, as it was put. */
  entry: v.optional(metaEntry),
  /** Of an absent entry: the objects to upload again, as `car/<key>` or `file/<key>`. */
  objects: v.optional(v.array(v.string())),
  /** The id of the user who put it, for admins of the ledger. */
  author: v.optional(v.string()),
  /** When the server received it, ISO text. */
  since: v.optional(v.string()),
});
export type WithheldEntry = v.InferOutput<typeof withheldEntry>;

export const eventGetMeta = v.looseObject({
  type: v.literal('eventGetMeta'),
  ...answered,
  /** Exactly the receiver's pair: clients drop events for another one. */
  conn,
  meta: metas,
  /** Own addition: everything up to here was sent. Other servers leave it out. */
  cursor: v.optional(v.number()),
  /** Own addition: tells this cursor from an equal one of a history that was lost. Empty where no entry has this number. */
  mark: v.optional(v.string()),
  /** Own addition: the cursor of the event before this one; with 0 the listing begins. */
  after: v.optional(v.number()),
  /** Own addition: a listing of everything begins with this event. Entries that were listed before, and aren't listed again, are gone. */
  anew: v.optional(v.boolean()),
  /** Own addition: more entries come with the next events, or over HTTP with the next answers. */
  more: v.optional(v.boolean()),
  /** Own addition: of what kind the ledger is, once that is settled (`sealed`, `open-key`). */
  kind: v.optional(v.string()),
  /** Own addition: records in the list of keys that members put who may no longer use the ledger. */
  removed: v.optional(v.array(v.string())),
  /** Own addition: entries that are not listed, because nobody could read them or what they name. Without it nothing of this changed since the event before. */
  withheld: v.optional(v.array(withheldEntry)),
  /**
   * Own addition: the devices and recovery codes of a sealed ledger whose owners have access; a rotation lists no others. Missing when nothing changed
   * since the event before.
   */
  devices: v.optional(v.array(ledgerDevice)),
});
