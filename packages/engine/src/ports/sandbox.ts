/** One pair that a map function emitted for a document. */
export interface Emitted {
  /** Position of the document in the batch. */
  readonly at: number;
  readonly key: unknown;
  readonly value: unknown;
}

/** Runs the text of a map function where it can reach nothing but the documents it is given. */
export interface Sandbox {
  /** @throws FixpointError MAP_FAILED with the message of what went wrong */
  run(source: string, documents: readonly unknown[]): Promise<readonly Emitted[]>;
}
