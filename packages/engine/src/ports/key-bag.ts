/** The keys of a database; the first one encrypts new data. */
export type KeyMaterials = readonly Uint8Array[];

/**
 * Storage of the databases' keys. `testing/adapter-suites.ts` checks this contract for every
 * adapter:
 * - K1 `update` is one step: each of several concurrent writers sees the keys that the others
 *   wrote;
 * - K2 `update` resolves only when the keys are durable;
 * - K3 a database that the bag does not know has no keys; a call for an entry that is damaged or
 *   locked throws, and never replaces that entry.
 */
export interface KeyBag {
  /**
   * @throws FixpointError KEY_BAG_LOCKED without the right passphrase; CORRUPT;
   * KEY_NOT_EXTRACTABLE; STORE_FAILED
   */
  load(database: string, passphrase?: string): Promise<KeyMaterials>;
  /**
   * Replaces the keys by the result of `change`, and returns the new ones. May call `change` more
   * than once.
   * @throws FixpointError KEY_UPSERT when the keys could not be written, and any error of `load`
   */
  update(
    database: string,
    change: (keys: KeyMaterials) => KeyMaterials,
    passphrase?: string,
  ): Promise<KeyMaterials>;
  /**
   * Protects the keys with another passphrase, or with none.
   * @throws FixpointError NOT_IMPLEMENTED where something else protects the keys, and any error of
   * `update`
   */
  changePassphrase(database: string, from: string | undefined, to: string | undefined): Promise<void>;
}
