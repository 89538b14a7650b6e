export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `fn` after `ms`; what it gives back cancels that. */
  after(ms: number, fn: () => void): () => void;
}
