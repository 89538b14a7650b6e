/** One pair that a map function emitted for a document. */
export interface Emitted {
  /** Position of the document in the batch. */
  readonly at: number;
  readonly key: unknown;
  readonly value: unknown;
}

/** A map function that was made from its text. */
export interface SandboxedMap {
  /** What the function emits for the documents, in order. A batch is best 500 to 2,000 documents. @throws FixpointError MAP_FAILED */
  run(documents: readonly unknown[]): Promise<readonly Emitted[]>;
  /** Ends it; nothing is run any more. */
  close(): void;
}

/**
 * Runs the text of a map function where it can reach nothing but the documents it is given: no network, no storage, no time, no chance;
 * bounded in time, in memory and in what it emits. A key or a value is what JSON can hold, and a key may also be or hold undefined,
 * NaN and the infinities.
 */
export interface Sandbox {
  /** @throws FixpointError MAP_FAILED with the message, when the text is not that of a function */
  open(source: string): Promise<SandboxedMap>;
}

/** What a map function may use up. */
export interface SandboxLimits {
  /** Milliseconds for one batch of documents. */
  readonly batchMs: number;
  /** Milliseconds for all batches together. */
  readonly queryMs: number;
  /** Bytes of memory, documents among them. */
  readonly memoryBytes: number;
  /** Bytes of stack: how deep it may call itself. */
  readonly stackBytes: number;
  /** Pairs that it may emit. */
  readonly rowsMax: number;
  /** Characters of JSON, keys and values of all rows. */
  readonly outputMax: number;
}

/** What a map function may use when nothing else is said. */
export const SANDBOX_LIMITS: SandboxLimits = {
  batchMs: 2_000,
  queryMs: 10_000,
  memoryBytes: 96 * 1024 * 1024,
  stackBytes: 128 * 1024,
  rowsMax: 1_000_000,
  outputMax: 64 * 1024 * 1024,
};
