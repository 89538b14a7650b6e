/**
 * Follows the metas of a ledger. Answered at once by one event, also when there is nothing; on a websocket further events follow, over HTTP the client
 * repeats the request.
 */
import * as z from 'zod/mini';
import { answered, askedOfMetas, conn } from './envelope.ts';
import { metas } from './metas.ts';

export const bindGetMeta = z.looseObject({
  type: z.literal('bindGetMeta'),
  ...askedOfMetas,
  /** Own addition: the cursor of the last event that was taken in; only later entries are sent then. */
  cursor: z.optional(z.number()),
});

export const eventGetMeta = z.looseObject({
  type: z.literal('eventGetMeta'),
  ...answered,
  /** Exactly the receiver's pair: clients drop events for another one. */
  conn,
  meta: metas,
  /** Own addition: everything up to here was sent. Other servers leave it out. */
  cursor: z.optional(z.number()),
  /** Own addition: of what kind the ledger is, once that is settled (`sealed`, `open-key`). */
  kind: z.optional(z.string()),
  /** Own addition: records in the list of keys that members put who may no longer use the ledger. */
  removed: z.optional(z.array(z.string())),
});
