import type { AnswerOf, Conn, Metas, StorageAnswer } from '@fixpoint/protocol/storage';

/** What stays the same from one connection to the next. */
export interface Target {
  readonly gateway: URL;
  readonly tenant: string;
  readonly ledger: string;
  readonly name: string;
  /** A token that is good for some minutes at least. @throws FixpointError NOT_SIGNED_IN and others */
  token(): Promise<string>;
}

export interface ConnectionEvents {
  /** Metas that the remote has; the first call comes soon after `bind`, also when there are none. */
  metas(metas: Metas): void;
  /** Once, when the connection is over. */
  closed(cause: unknown): void;
}

/** An open connection to a gateway, over a websocket or by polling. */
export interface Connection {
  readonly conn: Conn;
  /** @throws FixpointError TIMEOUT, CONNECTION_NOT_OPEN, UNEXPECTED_RESPONSE, or what the gateway refused */
  request<T extends StorageAnswer['type']>(
    type: string,
    answer: T,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<AnswerOf<T>>;
  /** Asks for metas, now and from now on. */
  bind(fields: Readonly<Record<string, unknown>>): Promise<void>;
  close(): void;
}
