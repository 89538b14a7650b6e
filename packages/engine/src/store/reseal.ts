import { isFixpointError } from '@fixpoint/protocol';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import { open, seal } from '../crypto/seal.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import { isDerived, REMOTES } from './names.ts';
import { isUnder, SEALED_ALREADY } from './sealed-rows.ts';

/**
 * Maximum number of rounds. Other writers may write rows with the previous key during a round. The
 * next round finds these rows.
 */
const ROUNDS_MAX = 3;

/**
 * Seals all stored rows with the current key. Each row is a separate step, which never overwrites a
 * concurrent change. Then deletes all keys except the last two, because another tab may still write
 * with the previous key. Keeps all keys while a ledger is known, because archives of the ledger may
 * use any of them. Also keeps all keys while another process has the database open, because that
 * process may not know the last two.
 * @param sealed the same store, through which rows are sealed and opened
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

/** Seals a row with the current key. Returns whether the row was sealed with another key. */
async function resealRow(
  store: ByteStore,
  sealed: ByteStore,
  keys: DatabaseKeys,
  row: string,
): Promise<boolean> {
  const stored = await store.read(row);
  const { current } = keys.keys();
  // A row that was removed needs no encryption.
  if (stored === undefined || isUnder({ key: row, bytes: stored }, current)) return false;
  if (SEALED_ALREADY.test(row)) {
    const plain = await opened(stored, keys);
    const bytes = await seal(plain, keys.keys().current);
    await store.write([{ key: row, bytes }], { key: row, bytes: stored, isRestated: true });
    return true;
  }
  const plain = await sealed.read(row).catch(async (cause) => {
    // A damaged row of this kind would make each rotation fail, although nothing needs the row.
    if (!isDerived(row)) throw cause;
    await store.write([{ key: row, bytes: undefined }], { key: row, bytes: stored });
    return undefined;
  });
  if (plain !== undefined)
    await sealed.write([{ key: row, bytes: plain }], { key: row, bytes: plain, isRestated: true });
  return true;
}

async function opened(stored: Uint8Array, keys: DatabaseKeys): Promise<Uint8Array> {
  try {
    return await open(stored, keys.keys().all);
  } catch (cause) {
    // Another tab or process may have rotated the key, too.
    if (!isFixpointError(cause, 'KEY_UNKNOWN')) throw cause;
    await keys.refresh();
    return open(stored, keys.keys().all);
  }
}
