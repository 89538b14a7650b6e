import type {
  AnswerOf,
  Conn,
  LedgerDeviceEntry,
  Metas,
  MovedTo,
  ReceivedEntry,
  StorageAnswer,
  WithheldEntry,
} from '@fixpoint/protocol/storage';
import type { TokenSource } from './token-source.ts';

/** The parameters that stay the same across connections. */
export interface Target {
  readonly gateway: URL;
  readonly tenant: string;
  readonly ledger: string;
  readonly name: string;
  readonly tokens: TokenSource;
  /** Options for ledgers with a membership log. */
  readonly members?: MemberOptions | undefined;
}

/** Options for ledgers with a membership log; without one, they have no effect. */
export interface MemberOptions {
  /**
   * After how many days without news of other devices `keyring().log.silentSince` says so. Open
   * devices send a sign of life every day. Default: never.
   */
  readonly silentAfter?: number | undefined;
  /**
   * After how many days this device creates a new data key, before it sends its next changes.
   * Default: only when somebody was removed.
   */
  readonly newKeyAfter?: number | undefined;
}

/** The ids of a connection; a reconnecting client sends both. */
export type KnownConn = Pick<Conn, 'reqId'> & Partial<Conn>;

/** A remote's report about a ledger. */
export interface Listing extends Metas {
  /** Kind of the ledger, if the remote reports one. */
  readonly kind?: string | undefined;
  /** The ledger that this one moved to, as the remote says. */
  readonly movedTo?: MovedTo | undefined;
  /** Whether this is the start of a complete listing. */
  readonly anew?: boolean | undefined;
  /** Whether more listings follow, because this one isn't everything that the remote has. */
  readonly more?: boolean | undefined;
  /** Records in the list of keys that were put by members who may no longer use the ledger. */
  readonly removed?: readonly string[] | undefined;
  /** Public keys of your devices whose requests for approval were rejected, in base64url. */
  readonly rejected?: readonly string[] | undefined;
  /**
   * Entries that the remote doesn't list, because nobody could read them or their objects.
   * Undefined if unchanged.
   */
  readonly withheld?: readonly WithheldEntry[] | undefined;
  /**
   * The users who announced the devices and recovery codes of a sealed ledger; undefined if
   * unchanged, or not reported.
   */
  readonly devices?: readonly LedgerDeviceEntry[] | undefined;
  /** The whole list of keys as last reported; a new array with each report. */
  readonly keyList?: readonly string[] | undefined;
  /** When the remote received these entries, and from whom. */
  readonly received?: readonly ReceivedEntry[] | undefined;
  /** Cursor of the previous listing; 0 at the start of a complete listing. */
  readonly after?: number | undefined;
  /** The remote has sent everything up to this cursor. */
  readonly cursor?: number | undefined;
}

export interface ConnectionEvents {
  /** Receives metas of the remote. Called before `bind` resolves, even if there are no metas. */
  metas(event: AnswerOf<'eventGetMeta'>): void;
  /** Called once if the connection is lost, but not after `close`. */
  closed(cause: unknown): void;
}

export type Fields = Readonly<Record<string, unknown>>;

/** An open connection to a gateway, over a websocket or by polling. */
export interface Connection {
  readonly conn: Conn;
  /** Set by presence: receives each text first. Returns whether it was an event of presence. */
  presence?: (text: string) => boolean;
  /** Set by presence: `detach` waits for it before it closes the connection. */
  leaving?: Promise<void>;
  /**
   * Sends a request.
   * @throws FixpointError TIMEOUT, CONNECTION_NOT_OPEN, UNEXPECTED_RESPONSE, or the gateway's
   * refusal
   */
  request<T extends StorageAnswer['type']>(type: string, answer: T, fields: Fields): Promise<AnswerOf<T>>;
  /**
   * Subscribes to metas. Each later call makes the remote list the metas after the cursor in
   * `fields` once more; the last of these listings has no `more`.
   * @param fields the fields of each request, which are read when the request is sent
   */
  bind(fields: Fields): Promise<void>;
  close(): void;
}

/** Opens a connection to one target. @throws FixpointError */
export type Connect = (known: KnownConn, events: ConnectionEvents) => Promise<Connection>;
