import { isFixpointError } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import { openArchive } from '../crypto/seal.ts';

/** The keys of a database, and how to load new ones. */
export type ArchiveKeys = Pick<DatabaseKeys, 'keys'> & Partial<Pick<DatabaseKeys, 'refresh'>>;

/**
 * Returns the plain bytes of a stored archive.
 * @throws FixpointError CORRUPT, KEY_UNKNOWN
 */
export async function openStored(sealed: Uint8Array, keys: ArchiveKeys, cid: Cid): Promise<Uint8Array> {
  try {
    return await openArchive(sealed, keys.keys().all, cid);
  } catch (cause) {
    // Another tab or process may have rotated the key.
    if (!isFixpointError(cause, 'KEY_UNKNOWN')) throw cause;
    await keys.refresh?.();
    return openArchive(sealed, keys.keys().all, cid);
  }
}
