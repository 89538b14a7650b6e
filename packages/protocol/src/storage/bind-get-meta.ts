/**
 * Subscribes to the metas of a ledger. The server answers at once with one event, even when there
 * are no entries. More events follow on a websocket; over HTTP the client repeats the request.
 */

import { answered, askedOfMetas, conn } from './envelope.ts';
import { ledgerDevice, metaEntry, metas, receivedEntry } from './metas.ts';
import * as v from './shape.ts';

export const bindGetMeta = v.looseObject({
  type: v.literal('bindGetMeta'),
  ...askedOfMetas,
  /**
   * Fixpoint extension: the cursor of the last event that the client processed; the server then
   * sends only later entries.
   */
  cursor: v.optional(v.number()),
  /**
   * Fixpoint extension: the mark that came with this cursor. If the server's entry at this cursor
   * has a different mark, the server sends everything.
   */
  mark: v.optional(v.string()),
  /**
   * Fixpoint extension: objects that this client found missing or damaged, as `car/<key>` or
   * `file/<key>`. The server checks them itself.
   */
  faulty: v.optional(v.array(v.string())),
});

/** An entry of the ledger that the server doesn't list, with the reason. */
const withheldEntry = v.looseObject({
  cid: v.string(),
  /**
   * `absent`: the store lacks objects of the entry, or has damaged ones. `malformed`: no client can
   * read the entry. `files`: not an entry, but missing or damaged objects of files.
   */
  why: v.string(),
  /** Only with `absent`: the entry in the form in which a client sent it. */
  entry: v.optional(metaEntry),
  /** With `absent` and `files`: the objects to upload again, as `car/<key>` or `file/<key>`. */
  objects: v.optional(v.array(v.string())),
  /** Id of the user who put the entry. Sent only to admins of the ledger. */
  author: v.optional(v.string()),
  /** When the server received the entry, as ISO text. */
  since: v.optional(v.string()),
});
export type WithheldEntry = v.InferOutput<typeof withheldEntry>;

const movedTo = v.looseObject({ ledger: v.string(), kind: v.optional(v.string()) });
export type MovedTo = v.InferOutput<typeof movedTo>;

export const eventGetMeta = v.looseObject({
  type: v.literal('eventGetMeta'),
  ...answered,
  /** The pair of ids of the receiver's connection. Clients drop events with any other pair. */
  conn,
  meta: metas,
  /**
   * Fixpoint extension: the server has sent everything up to this cursor. Other servers omit this
   * field.
   */
  cursor: v.optional(v.number()),
  /**
   * Fixpoint extension: a value derived from the entry whose number is `cursor`. With it, a server
   * recognises cursors of a history that the server has lost. Empty when no entry has this number.
   */
  mark: v.optional(v.string()),
  /** Fixpoint extension: the cursor of the previous event; 0 in the first event of a listing. */
  after: v.optional(v.number()),
  /**
   * Fixpoint extension: a full listing begins with this event. Earlier entries that the listing
   * doesn't repeat no longer exist.
   */
  anew: v.optional(v.boolean()),
  /**
   * Fixpoint extension: more entries follow, in the next events or, over HTTP, the next answers.
   */
  more: v.optional(v.boolean()),
  /** Fixpoint extension: the kind of the ledger (`sealed`, `open-key`), once it is set. */
  kind: v.optional(v.string()),
  /**
   * Fixpoint extension: the ledger of the same tenant that this one moved to. Only a hint: clients
   * move when their user confirms the ledger and its kind.
   */
  movedTo: v.optional(movedTo),
  /** Fixpoint extension: key records of members who have lost access. */
  removed: v.optional(v.array(v.string())),
  /**
   * Fixpoint extension: the public keys (base64url) of those devices of the receiver whose requests
   * for approval an admin rejected. A device puts its request again only if its user wants that.
   */
  rejected: v.optional(v.array(v.string())),
  /**
   * Fixpoint extension: entries that the server doesn't list, because clients couldn't read the
   * entries or their objects. Missing when nothing changed since the previous event.
   */
  withheld: v.optional(v.array(withheldEntry)),
  /**
   * Fixpoint extension: the devices and recovery codes of users who have access to a sealed ledger.
   * A key rotation includes only these. Missing when nothing changed since the previous event.
   */
  devices: v.optional(v.array(ledgerDevice)),
  /** Fixpoint extension: when the server received these entries, and from whom. */
  received: v.optional(v.array(receivedEntry)),
});
