export interface Random {
  /** Random bytes, good enough for keys. */
  bytes(count: number): Uint8Array;
}
