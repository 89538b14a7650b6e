/**
 * Hints between tabs or processes that have one database open. A hint may be lost. A hint only asks
 * the receiver to check for changes.
 */
export interface Channel {
  post(): void;
  onHint(fn: () => void): () => void;
  close(): void;
}
