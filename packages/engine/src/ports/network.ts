export interface NetworkRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /**
   * The server's address, which the application chose, if that server supplied this URL. A platform
   * that can check addresses rejects URLs that lead to the device itself.
   */
  readonly base?: URL;
  /**
   * The request fails when nothing arrives for this long, before the response or in the middle of
   * it.
   */
  readonly timeoutMs: number;
  /** Cancels the request, which then fails with FETCH. */
  readonly signal?: AbortSignal;
}

export interface NetworkResponse {
  readonly status: number;
  readonly body: Uint8Array;
}

export interface Socket {
  send(text: string): void;
  close(): void;
}

export interface SocketEvents {
  message(text: string): void;
  closed(): void;
}

export interface Network {
  /** @throws FixpointError FETCH, TIMEOUT */
  request(request: NetworkRequest): Promise<NetworkResponse>;
  /** Resolves when the socket is open. @throws FixpointError WS, TIMEOUT */
  connect(url: string, events: SocketEvents, timeoutMs: number): Promise<Socket>;
  /**
   * Calls back when the device may be online again: a hint to retry now. Absent where the platform
   * can't detect it.
   */
  onOnline?(fn: () => void): () => void;
}
