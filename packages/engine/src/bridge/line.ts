/** Connects two ends that send each other messages over any port. */

/** A `Worker`, a `MessagePort`, or the global object of a worker, in a browser or in Node. */
export interface BridgePort {
  /** Sends a structured clone of the message. */
  postMessage(message: unknown): void;
  /** Exists in a browser. */
  addEventListener?(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  /** Exists in Node, and is then used instead of `addEventListener`. */
  on?(type: string, listener: (value: unknown) => void): unknown;
  /** Only a `MessagePort` has this. */
  start?(): void;
}

export interface Line {
  post(message: unknown): void;
}

export interface LineEnds {
  onMessage(message: unknown): void;
  /** Called when the other end has closed or failed. */
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
