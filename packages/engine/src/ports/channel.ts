/**
 * Hints between tabs or processes that have one database open. A hint may be lost, and only asks to
 * check again.
 */
export interface Channel {
  post(): void;
  onHint(fn: () => void): () => void;
  close(): void;
}
