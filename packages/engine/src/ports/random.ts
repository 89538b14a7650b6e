export interface Random {
  /** Returns random bytes that are good enough for keys. */
  bytes(count: number): Uint8Array;
}
