/** Yields document ids in batches. @throws the reason of the signal */
export type Ids = (signal: AbortSignal) => AsyncIterable<readonly string[]>;
