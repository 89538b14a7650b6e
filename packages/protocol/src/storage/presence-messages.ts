/**
 * Fixpoint extension: presence. A client that follows a ledger may send a small state, which the
 * server passes on to the other clients that asked for presence, and never stores. Servers announce
 * the extension with {@link PRESENCE_FEATURE} in their gestalt.
 */

import { answered, asked, conn, tenantLedger } from './envelope.ts';
import * as v from './shape.ts';

/**
 * Enters the presence of a ledger, and replaces the state of this socket there. Only over a
 * websocket. A socket has at most one state in each ledger.
 */
export const reqPresence = v.looseObject({
  type: v.literal('reqPresence'),
  ...asked,
  conn,
  tenant: v.optional(tenantLedger),
  presence: v.looseObject({
    /** Random id of the client, new for each connection: see `PRESENCE_ID`. */
    id: v.string(),
    /** The state, opaque to the server. Without it, the client only watches. */
    state: v.optional(v.string()),
    /**
     * The id that the client had over its previous connection. The server drops that state of the
     * same user, because it may not know yet that the connection is lost.
     */
    before: v.optional(v.string()),
    /** Whether the client leaves: it has no state from then on, and receives no more events. */
    leave: v.optional(v.boolean()),
  }),
});

/**
 * The answer. It lists nobody, because an event with all states follows. Only clients that support
 * presence check the content, a {@link PresenceAnswer}.
 */
export const resPresence = v.looseObject({ type: v.literal('resPresence'), ...answered });

/** The content of the answer. */
export interface PresenceAnswer {
  /** The id of the user, as others receive it. A state is sealed for it. */
  readonly user?: string;
  /**
   * The code of the error because of which the state was rejected. The client receives the states
   * of others nevertheless. `CONFLICT`: another client of this user has this id.
   */
  readonly refused?: string;
}

/**
 * States of a ledger that changed: the content of a message that starts with `PRESENCE_EVENT`. The
 * server sends the same bytes to all clients, so the event has no `conn`, and may contain the
 * receiver's own state. Clients of different users may have the same id. Only the lazy code of
 * presence reads events, so they have no schema here.
 */
export interface PresenceEvent {
  /** The id of the ledger. */
  readonly ledger: string;
  /** Whether `states` lists everybody, so that clients that it lacks are gone. */
  readonly all?: boolean;
  /** Id of the client, id of the user as the server knows it, and state. */
  readonly states?: readonly (readonly [id: string, user: string, state: string])[];
  /** The clients that are gone: id of the client, and id of the user. */
  readonly gone?: readonly (readonly [id: string, user: string])[];
}
