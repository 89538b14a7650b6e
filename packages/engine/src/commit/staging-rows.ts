import type { Archive } from '../archive/pack.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import { STAGED, stagedKey } from '../store/names.ts';
import type { RemoteMerge } from './commits.ts';

const NOTHING = new Uint8Array();

/** Returns rows that protect archives without a head from compaction, or remove that protection. */
export async function stagingRows(
  store: Pick<ByteStore, 'keys'>,
  { head, settled = [] }: RemoteMerge,
  fresh: readonly Archive[],
): Promise<StoreChange[]> {
  if (head.length === 0) return fresh.map(({ cid }) => ({ key: stagedKey(cid), bytes: NOTHING }));
  if (settled.length === 0) return [];
  const staged = new Set(await store.keys(STAGED));
  return settled.map(stagedKey).flatMap((key) => (staged.has(key) ? [{ key, bytes: undefined }] : []));
}
