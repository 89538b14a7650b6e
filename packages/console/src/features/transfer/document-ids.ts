/** Ids of documents, in parts. @throws the reason of the signal */
export type Ids = (signal: AbortSignal) => AsyncIterable<readonly string[]>;
