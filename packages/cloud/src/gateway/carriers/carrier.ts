import { FieldError } from '@fixpoint/protocol';
import type { Conn } from '@fixpoint/protocol/storage';
import type { Seat } from '../presence/room.ts';

/** The carrier of a request: a socket, or one HTTP exchange. */
export interface Carrier {
  readonly kind: 'http' | 'socket';
  /**
   * The URL at which the client reached this server, with the base path. Signed URLs start with it.
   */
  readonly origin: string;
  /** The network address of the client. */
  readonly address: string;
  /** The server capabilities that the client requests; undefined means all. */
  readonly capabilities?: readonly string[] | undefined;
  /** The socket, as a member of presence rooms; undefined over HTTP. */
  readonly seat?: Seat;
  /** Opens a connection. `resId` is the id that a returning client sends. */
  open(user: Opener, reqId: string, resId: string | undefined): Conn;
  isOpen(userId: string, conn: Conn): boolean;
  close(userId: string, conn: Conn): void;
}

/** The user who opens a connection, and the ledger that the token selected. */
export interface Opener {
  readonly userId: string;
  /** The API token that the user signed in with. */
  readonly apiToken?: string;
  readonly selected: { readonly tenant?: string; readonly ledger?: string };
}

/** A connection that follows the metas of a ledger. */
export interface Binding {
  readonly userId: string;
  readonly apiToken?: string;
  readonly tenant: string;
  readonly ledger: string;
  /** The client that follows. Its own metas are not sent back to it. */
  readonly writer: string;
  /** Fields that all events of this binding share. */
  readonly head: Readonly<Record<string, unknown>>;
  /** Number of the last entry that was sent. */
  readonly cursor: number;
  /** Identifies the history up to the cursor. If absent, only the number is compared. */
  readonly mark?: string | undefined;
  /** Whether the last event announced more entries. */
  readonly awaitsMore?: boolean;
  /** Changes with the keys that were sent: see `keysMark`. */
  readonly told?: string;
  /** Changes with the long list of keys that was sent: see `listMark`. */
  readonly list?: string;
}

/** Longest id that a client may choose, in characters. */
const ID_CHARS_MAX = 256;
/** @throws FieldError */
export function requireConnIds(reqId: string, resId: string): void {
  for (const [name, id] of Object.entries({ reqId, resId }))
    if (id.length === 0 || id.length > ID_CHARS_MAX)
      throw new FieldError(`conn.${name}`, `must have 1 to ${ID_CHARS_MAX} characters`);
}
export const pairOf = (userId: string, { reqId, resId }: Conn): string =>
  JSON.stringify([userId, reqId, resId]);
