import type { ObjectName } from './object-name.ts';
import type { ObjectMethod } from './signed-url.ts';

/** Largest object, in bytes. Archives are about one million bytes; attachments are split. */
export const OBJECT_BYTES_MAX = 64_000_000;

/**
 * Where sealed archives lie. `objects/object-store.test.ts` checks the contract:
 * - O1 an object is whole and durable before its upload is answered;
 * - O2 an object that exists is never replaced by other bytes;
 * - O3 a signed URL is good for one method and one object, for five minutes at most.
 */
export interface ObjectStore {
  /**
   * @param origin scheme and host by which the client reached this server
   * @param lifeSeconds a wish, which may shorten the life of the URL
   * @throws FixpointError REQUEST_INVALID
   */
  sign(method: ObjectMethod, origin: string, name: ObjectName, lifeSeconds?: number): string;
  /** Whether the object is there, durably. @throws FixpointError REQUEST_INVALID */
  has(name: ObjectName): Promise<boolean>;
}
