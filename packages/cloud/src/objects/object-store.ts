import type { ObjectName } from './object-name.ts';
import type { ObjectMethod } from './signed-url.ts';

/**
 * Stores the objects of ledgers, which clients encrypt. The tests of this folder and
 * `tests/objects.test.ts` check the contract:
 * - O1 an object is complete and durable before the server answers its upload;
 * - O2 stored bytes are replaced only if they don't match the object's name, and the new bytes do;
 * - O3 a signed URL is valid for one method and one object, for five minutes at most.
 *
 * In an open-key ledger, the name of an archive depends only on its content before encryption.
 * Replicas that wrote the same content may encrypt it with different keys, and then upload
 * different bytes under one name. The store keeps these variants, and a download returns a variant
 * that the ledger's keys can open.
 */
export interface ObjectStore {
  /**
   * @param origin scheme and host by which the client reached this server
   * @param lifeSeconds requested life of the URL; it can only shorten the default
   * @throws FixpointError REQUEST_INVALID
   */
  sign(method: ObjectMethod, origin: string, name: ObjectName, lifeSeconds?: number): string;
  /**
   * @param keyIds returns the ids of the ledger's keys; called only if the object has variants
   * @throws FixpointError REQUEST_INVALID
   */
  signDownload(
    origin: string,
    name: ObjectName,
    keyIds: () => Promise<ReadonlySet<string>>,
    lifeSeconds?: number,
  ): Promise<string>;
  /**
   * Returns whether the object is stored durably.
   * @throws FixpointError REQUEST_INVALID
   */
  has(name: ObjectName): Promise<boolean>;
  /**
   * Returns the bytes of a download; undefined for a missing object.
   * @throws FixpointError REQUEST_INVALID, STORE_FAILED
   */
  read(name: ObjectName, keyIds: () => Promise<ReadonlySet<string>>): Promise<Buffer | undefined>;
  /**
   * Removes all objects of a ledger. Ignores objects that are already gone.
   * @throws FixpointError REQUEST_INVALID
   */
  removeLedger(ledger: Pick<ObjectName, 'tenant' | 'ledger'>): Promise<void>;
}
