/** One pair that a map function emitted for a document. */
export interface Emitted {
  /** Position of the document in the batch. */
  readonly at: number;
  readonly key: unknown;
  readonly value: unknown;
}

/** A map function compiled from its source text. */
export interface SandboxedMap {
  /**
   * Returns what the function emits for the documents, in order. Batches of 500 to 2,000 documents
   * are fastest.
   * @throws FixpointError MAP_FAILED
   */
  run(documents: readonly unknown[]): Promise<readonly Emitted[]>;
  /** Ends the sandbox; nothing runs afterwards. */
  close(): void;
}

/**
 * Runs the source text of a map function with access only to its documents: no network, storage,
 * time or randomness; with limits on time, memory and output. Keys and values are limited to those
 * of JSON; keys may also be or contain undefined, NaN and the infinities.
 */
export interface Sandbox {
  /** @throws FixpointError MAP_FAILED with the message, when the text is not a function */
  open(source: string): Promise<SandboxedMap>;
}

/** Resource limits of a map function. */
export interface SandboxLimits {
  /** Milliseconds for one batch of documents. */
  readonly batchMs: number;
  /** Milliseconds for all batches together. */
  readonly queryMs: number;
  /** Bytes of memory, including the documents. */
  readonly memoryBytes: number;
  /** Bytes of stack, which limits recursion. */
  readonly stackBytes: number;
  /** Maximum number of emitted pairs. */
  readonly rowsMax: number;
  /** Maximum characters of the keys and values of all rows, as JSON. */
  readonly outputMax: number;
}

/** Default limits of a map function. */
export const SANDBOX_LIMITS: SandboxLimits = {
  batchMs: 2_000,
  queryMs: 10_000,
  memoryBytes: 96 * 1024 * 1024,
  stackBytes: 128 * 1024,
  rowsMax: 1_000_000,
  outputMax: 64 * 1024 * 1024,
};
