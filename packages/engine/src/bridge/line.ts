/** Two ends that send each other messages, whatever carries them. */

/** A `Worker`, a `MessagePort`, or the global object of a worker, of a browser or of Node. */
export interface BridgePort {
  /** Sends by structured clone. */
  postMessage(message: unknown): void;
  /** In a browser. */
  addEventListener?(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  /** In Node; used when it is there. */
  on?(type: string, listener: (value: unknown) => void): unknown;
  /** Of a `MessagePort`. */
  start?(): void;
}

export interface Line {
  post(message: unknown): void;
}

export interface LineEnds {
  onMessage(message: unknown): void;
  /** The other end is no more. */
  onEnd(reason: string): void;
}

export function lineOver(port: BridgePort, { onMessage, onEnd }: LineEnds): Line {
  if (port.on !== undefined) {
    port.on('message', onMessage);
    port.on('error', (error) => onEnd(error instanceof Error ? error.message : 'error'));
    for (const type of ['exit', 'close']) port.on(type, () => onEnd(type));
  } else {
    port.addEventListener?.('message', ({ data }) => onMessage(data));
    for (const type of ['error', 'messageerror', 'close'])
      port.addEventListener?.(type, (event) =>
        onEnd(String((event as { message?: unknown }).message ?? type)),
      );
    port.start?.();
  }
  return { post: (message) => port.postMessage(message) };
}
