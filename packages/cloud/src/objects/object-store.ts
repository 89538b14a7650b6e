import type { ObjectName } from './object-name.ts';
import type { ObjectMethod } from './signed-url.ts';

/** Largest object, in bytes. Archives are about one million bytes; attachments are split. */
export const OBJECT_BYTES_MAX = 64_000_000;

/**
 * Where sealed archives lie. The tests of this room and `tests/objects.test.ts` check the contract:
 * - O1 an object is whole and durable before its upload is answered;
 * - O2 bytes that were stored are never replaced by others, unless they are not those of the object's name, and the others are;
 * - O3 a signed URL is good for one method and one object, for five minutes at most.
 *
 * In an open-key ledger an archive is named by what is in it, before it is sealed: replicas that wrote the same seal it with different keys and upload it
 * under one name. All of these are kept, and a download gives one that the ledger's keys open.
 */
export interface ObjectStore {
  /**
   * @param origin scheme and host by which the client reached this server
   * @param lifeSeconds a wish, which may shorten the life of the URL
   * @throws FixpointError REQUEST_INVALID
   */
  sign(method: ObjectMethod, origin: string, name: ObjectName, lifeSeconds?: number): string;
  /** @param keyIds the ledger's keys; asked for only when there is something to choose. @throws FixpointError REQUEST_INVALID */
  signDownload(
    origin: string,
    name: ObjectName,
    keyIds: () => Promise<ReadonlySet<string>>,
    lifeSeconds?: number,
  ): Promise<string>;
  /** Whether the object is there, durably. @throws FixpointError REQUEST_INVALID */
  has(name: ObjectName): Promise<boolean>;
  /** The bytes that a download would give; undefined where there are none. @throws FixpointError REQUEST_INVALID, STORE_FAILED */
  read(name: ObjectName, keyIds: () => Promise<ReadonlySet<string>>): Promise<Buffer | undefined>;
  /** Removes all objects of a ledger; those that were removed before are no failure. @throws FixpointError REQUEST_INVALID */
  removeLedger(ledger: Pick<ObjectName, 'tenant' | 'ledger'>): Promise<void>;
}
