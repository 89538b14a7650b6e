/** Where the key material of databases is kept. Several keys of a database: the first is the one to seal with. */
export interface KeyBag {
  /** @throws FixpointError KEY_UPSERT, CORRUPT */
  load(database: string): Promise<readonly Uint8Array[]>;
  /** Resolves when the keys are durable. @throws FixpointError KEY_UPSERT */
  save(database: string, keys: readonly Uint8Array[]): Promise<void>;
}
