export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `fn` after `ms`; what it gives back cancels that. */
  after(ms: number, fn: () => void): () => void;
  /** Resolves in a later turn of the event loop, as soon as others had theirs; absent where time is simulated. */
  turn?(): Promise<void>;
}
