import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../ports/byte-store.ts';
import type { Archives } from '../store/archives.ts';
import { HEAD_KEY } from '../store/head-record.ts';

/** Whether something that was stored is not any more. */
export const isGone = (cause: unknown): boolean =>
  isFixpointError(cause, 'MISSING_BLOCK') || isFixpointError(cause, 'MISSING_CARS');

/**
 * Checks a store in which no head record was found: the first archive is written in one step with one.
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
