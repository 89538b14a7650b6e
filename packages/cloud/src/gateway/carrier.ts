import { FieldError } from '@fixpoint/protocol';
import type { Conn } from '@fixpoint/protocol/storage';

/** What brought a request: a socket, or one HTTP exchange. */
export interface Carrier {
  readonly kind: 'http' | 'socket';
  /** Where the client reached this server, with the base path; signed URLs point there. */
  readonly origin: string;
  /** From where the client asks. */
  readonly address: string;
  /** What the client wants of the server's capabilities; undefined is all. */
  readonly capabilities?: readonly string[] | undefined;
  /** Opens a connection; `resId` is the one that a returning client brings along. */
  open(user: Opener, reqId: string, resId: string | undefined): Conn;
  isOpen(userId: string, conn: Conn): boolean;
  close(userId: string, conn: Conn): void;
}

/** Who opens a connection, and the ledger that the token selected. */
export interface Opener {
  readonly userId: string;
  /** The API token by which he came. */
  readonly apiToken?: string;
  readonly selected: { readonly tenant?: string; readonly ledger?: string };
}

/** A connection that follows the metas of a ledger. */
export interface Binding {
  readonly userId: string;
  readonly apiToken?: string;
  readonly tenant: string;
  readonly ledger: string;
  /** Whose metas are not sent back. */
  readonly writer: string;
  /** All fields of its events but meta, cursor and signed URL. */
  readonly head: Readonly<Record<string, unknown>>;
  /** Everything up to here was sent. */
  readonly cursor: number;
  /** Mark of the cursor. Without one, the number alone counts. */
  readonly mark?: string | undefined;
  /** It was told that more comes. */
  readonly awaitsMore?: boolean;
  /** What it was told of the keys: see `keysMark`. */
  readonly told?: string;
  /** Which long list of keys it was sent: see `listMark`. */
  readonly list?: string;
}

/** Longest text that a client may choose for an id. */
const ID_CHARS_MAX = 256;
/** @throws FieldError */
export function requireConnIds(reqId: string, resId: string): void {
  for (const [name, id] of Object.entries({ reqId, resId }))
    if (id.length === 0 || id.length > ID_CHARS_MAX)
      throw new FieldError(`conn.${name}`, `must have 1 to ${ID_CHARS_MAX} characters`);
}
export const pairOf = (userId: string, { reqId, resId }: Conn): string =>
  JSON.stringify([userId, reqId, resId]);
