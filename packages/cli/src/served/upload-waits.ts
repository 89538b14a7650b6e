import type { Attached } from 'fixpoint';

interface Waiting {
  readonly done: () => void;
  readonly failed: (cause: unknown) => void;
}

/**
 * Lets many clients wait until their writes are uploaded. At most one wait of the engine is
 * pending, and a client that stops waiting leaves nothing behind.
 */
export class UploadWaits {
  readonly #attached: Pick<Attached, 'synced'>;
  readonly #waiting = new Set<Waiting>();
  #isRunning = false;

  constructor(attached: Pick<Attached, 'synced'>) {
    this.#attached = attached;
  }

  /** Number of clients that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when everything that is written now is uploaded.
   * @throws FixpointError as `Attached.synced`; the signal's reason
   */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let stop = (): void => undefined;
    let waiting: Waiting | undefined;
    try {
      await new Promise<void>((done, failed) => {
        waiting = { done, failed };
        this.#waiting.add(waiting);
        stop = () => failed(signal.reason);
        signal.addEventListener('abort', stop, { once: true });
        void this.#run();
      });
    } finally {
      signal.removeEventListener('abort', stop);
      if (waiting !== undefined) this.#waiting.delete(waiting);
    }
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Clients that begin to wait during a round need another round for their writes.
    while (this.#waiting.size > 0) {
      const round = [...this.#waiting];
      const isStill = (one: Waiting) => this.#waiting.delete(one);
      try {
        await this.#attached.synced();
        for (const one of round) if (isStill(one)) one.done();
      } catch (cause) {
        for (const one of round) if (isStill(one)) one.failed(cause);
      }
    }
    this.#isRunning = false;
  }
}
