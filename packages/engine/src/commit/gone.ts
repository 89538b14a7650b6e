import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../ports/byte-store.ts';
import type { Archives } from '../store/archives.ts';
import { HEAD_KEY } from '../store/head-record.ts';

/** Returns whether something that was stored no longer is. */
export const isGone = (cause: unknown): boolean =>
  isFixpointError(cause, 'MISSING_BLOCK') || isFixpointError(cause, 'MISSING_CARS');

/**
 * Checks a store without a head record: the first archive and the first head record are written in
 * one step.
 * @throws FixpointError CORRUPT when the store holds archives without a head
 */
export async function requireNew(
  store: Pick<ByteStore, 'readPrefix'>,
  archives: Pick<Archives, 'list'>,
): Promise<void> {
  if (archives.list.size === 0) return;
  // Another tab may have written both since the records were read.
  if ((await store.readPrefix(HEAD_KEY)).size === 0)
    throw new FixpointError('CORRUPT', 'the head record is gone');
}
