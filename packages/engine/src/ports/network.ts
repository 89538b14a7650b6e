export interface NetworkRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** The address that the application chose, where the server there named this URL: a device that can tell refuses URLs that lead into itself. */
  readonly base?: URL;
  /** Gives up when nothing came for so long: no answer, or no further part of it. */
  readonly timeoutMs: number;
  /** Gives up when it is aborted; the request then fails with FETCH. */
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
  /** Calls back when the device may have come back to the network: a hint not to wait longer. Absent where nobody can tell. */
  onOnline?(fn: () => void): () => void;
}
