/** The keys of a database, the one to seal with first. */
export type KeyMaterials = readonly Uint8Array[];

/**
 * Where the key material of databases is kept. `testing/key-bag-suite.ts` checks this contract for every adapter:
 * - K1 `update` is one step: of writers at the same time, each sees what the others wrote;
 * - K2 `update` resolves only when the keys are durable;
 * - K3 a database that the bag does not know reads as no keys; an entry that is damaged or locked throws, and is never replaced.
 */
export interface KeyBag {
  /** @throws FixpointError KEY_BAG_LOCKED without the right passphrase; CORRUPT; KEY_NOT_EXTRACTABLE; STORE_FAILED */
  load(database: string, passphrase?: string): Promise<KeyMaterials>;
  /**
   * Replaces the keys by what `change` makes of them, and gives the new ones. `change` may be called more than once.
   * @throws FixpointError KEY_UPSERT when they could not be written, and whatever `load` throws
   */
  update(
    database: string,
    change: (keys: KeyMaterials) => KeyMaterials,
    passphrase?: string,
  ): Promise<KeyMaterials>;
  /**
   * From now on the keys open with another passphrase, or without one.
   * @throws FixpointError NOT_IMPLEMENTED where keys are guarded otherwise, and whatever `update` throws
   */
  changePassphrase(database: string, from: string | undefined, to: string | undefined): Promise<void>;
}
