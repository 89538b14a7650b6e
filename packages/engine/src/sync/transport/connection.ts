import type {
  AnswerOf,
  Conn,
  LedgerDeviceEntry,
  Metas,
  StorageAnswer,
  WithheldEntry,
} from '@fixpoint/protocol/storage';
import type { TokenSource } from '../token.ts';

/** What stays the same from one connection to the next. */
export interface Target {
  readonly gateway: URL;
  readonly tenant: string;
  readonly ledger: string;
  readonly name: string;
  readonly tokens: TokenSource;
}

/** The ids of a connection; a client that comes back brings both along. */
export type KnownConn = Pick<Conn, 'reqId'> & Partial<Conn>;

/** What a remote tells of a ledger. */
export interface Listing extends Metas {
  /** What kind it is, where the remote says so. */
  readonly kind?: string | undefined;
  /** Whether a listing of everything begins with this one. */
  readonly anew?: boolean | undefined;
  /** Whether more comes: then this is not all that the remote has. */
  readonly more?: boolean | undefined;
  /** Records among the keys that members put who may no longer use the ledger. */
  readonly removed?: readonly string[] | undefined;
  /** Entries that it doesn't list, because nobody could read them or what they name. Undefined where nothing of this changed. */
  readonly withheld?: readonly WithheldEntry[] | undefined;
  /** Who announced which device or recovery code of a sealed ledger; undefined when that is as it was, or the remote doesn't say. */
  readonly devices?: readonly LedgerDeviceEntry[] | undefined;
  /** The whole list of keys as the remote told it last; another array each time that it does. */
  readonly keyList?: readonly string[] | undefined;
}

export interface ConnectionEvents {
  /** What the remote has; the first call comes before `bind` resolves, also when there is nothing. */
  metas(event: AnswerOf<'eventGetMeta'>): void;
  /** Once, when the connection ended by itself. */
  closed(cause: unknown): void;
}

export type Fields = Readonly<Record<string, unknown>>;

/** An open connection to a gateway, over a websocket or by polling. */
export interface Connection {
  readonly conn: Conn;
  /** @throws FixpointError TIMEOUT, CONNECTION_NOT_OPEN, UNEXPECTED_RESPONSE, or what the gateway refused */
  request<T extends StorageAnswer['type']>(type: string, answer: T, fields: Fields): Promise<AnswerOf<T>>;
  /** Asks for metas, now and from now on. Asked again, all that the remote has now are handed over, up to the listing that says of no more. @param fields those of each request, as they are then */
  bind(fields: Fields): Promise<void>;
  close(): void;
}
