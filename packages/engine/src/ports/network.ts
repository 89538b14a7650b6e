export interface NetworkRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /**
   * Set if a server supplied the URL: the address of that server, which the application chose. A
   * platform that can check addresses then rejects a URL that leads to the device itself, unless
   * `base` does so, too.
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
   * Calls back when the device seems to be online again, which is a hint to retry now, or offline.
   * Both may be wrong. A platform that can't detect this doesn't have this method.
   */
  onOnline?(fn: (isOnline: boolean) => void): () => void;
}
