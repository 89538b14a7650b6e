import type { ObjectName } from './object-name.ts';
import type { ObjectMethod } from './signed-url.ts';

/** Largest object, in bytes. Archives are about one million bytes; attachments are split. */
export const OBJECT_BYTES_MAX = 64_000_000;

/**
 * Stores sealed archives. The tests of this folder and `tests/objects.test.ts` check the contract:
 * - O1 an object is whole and durable before its upload is answered;
 * - O2 stored bytes are replaced only if they don't match the object's name and the new bytes do;
 * - O3 a signed URL is valid for one method and one object, for five minutes at most.
 *
 * In an open-key ledger an archive is named by its content before encryption. Replicas that wrote
 * the same content encrypt it with different keys, and upload it under one name. The store keeps
 * all of these variants, and a download returns one that the ledger's keys open.
 */
export interface ObjectStore {
  /**
   * @param origin scheme and host by which the client reached this server
   * @param lifeSeconds requested life of the URL; it can only shorten the default
   * @throws FixpointError REQUEST_INVALID
   */
  sign(method: ObjectMethod, origin: string, name: ObjectName, lifeSeconds?: number): string;
  /**
   * @param keyIds returns the ids of the ledger's keys; called only when there are several variants
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
