export interface NetworkRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Gives up after this time. */
  readonly timeoutMs: number;
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
}
