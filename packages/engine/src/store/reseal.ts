import { isFixpointError } from '@fixpoint/protocol';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import { open, seal } from '../crypto/seal.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import { REMOTES } from './names.ts';
import { isUnder, SEALED_ALREADY } from './sealed-rows.ts';

/** What others write meanwhile may come under the key from before; it is found the next time. */
const ROUNDS_MAX = 3;

/**
 * Seals all that is stored with the current key, one row after another, each in a step of its own that leaves what somebody else changed meanwhile. Then
 * forgets all keys but the last two: another tab may still be writing with the one from before. While a ledger is known nothing is forgotten, for its
 * archives may be sealed with any of them; nor while another process has the database open, which may not have heard of the last two.
 * @param sealed the same store, with its rows sealed
 */
export async function resealRows(store: ByteStore, sealed: ByteStore, keys: DatabaseKeys): Promise<void> {
  let others = 1;
  for (let round = 0; round < ROUNDS_MAX && others > 0; round++) {
    others = 0;
    for (const row of await store.keys('')) if (await resealRow(store, sealed, keys, row)) others += 1;
  }
  if (others > 0 || (await store.keys(REMOTES)).length > 0 || (await store.isAlone?.()) === false) return;
  await keys.forget(new Set([...keys.keys().all.keys()].slice(2)));
}

/** Gives whether the row was under another key. */
async function resealRow(
  store: ByteStore,
  sealed: ByteStore,
  keys: DatabaseKeys,
  row: string,
): Promise<boolean> {
  const stored = await store.read(row);
  const { current } = keys.keys();
  // What is gone meanwhile is nothing to seal.
  if (stored === undefined || isUnder({ key: row, bytes: stored }, current)) return false;
  if (SEALED_ALREADY.test(row)) {
    const plain = await opened(stored, keys);
    const bytes = await seal(plain, keys.keys().current);
    await store.write([{ key: row, bytes }], { key: row, bytes: stored, isRestated: true });
    return true;
  }
  const plain = await sealed.read(row);
  if (plain !== undefined)
    await sealed.write([{ key: row, bytes: plain }], { key: row, bytes: plain, isRestated: true });
  return true;
}

async function opened(stored: Uint8Array, keys: DatabaseKeys): Promise<Uint8Array> {
  try {
    return await open(stored, keys.keys().all);
  } catch (cause) {
    // Another tab or process may have rotated the key meanwhile, too.
    if (!isFixpointError(cause, 'KEY_UNKNOWN')) throw cause;
    await keys.refresh();
    return open(stored, keys.keys().all);
  }
}
