export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `fn` after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, fn: () => void): () => void;
  /**
   * Resolves in a later turn of the event loop, after other tasks ran. Simulated time doesn't have
   * this method.
   */
  turn?(): Promise<void>;
}
