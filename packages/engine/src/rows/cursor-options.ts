/** Progress of a cursor. */
export interface FindProgress {
  /** Number of documents searched so far. */
  readonly seen: number;
  readonly found: number;
}

/** Options of all cursors. */
export interface CursorOptions {
  /** Maximum number of results. */
  readonly limit?: number | undefined;
  /** Called repeatedly during the search. */
  readonly onProgress?: ((progress: FindProgress) => void) | undefined;
  /** Cancels the cursor, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
