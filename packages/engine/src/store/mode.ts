/**
 * The encryption mode of a database, which is fixed when the database is created. An unencrypted
 * database has the row `mode`: JSON `{v: 1, encrypted: false}`, which is never sealed.
 */
import { FixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../base/bytes.ts';
import type { ByteStore } from '../ports/byte-store.ts';

const MODE_KEY = 'mode';
const VERSION = 1;

/**
 * Stores the mode of a new database, or checks the mode of an existing one.
 * @param rows all keys in the store
 * @throws FixpointError MODE_MISMATCH, CORRUPT, FORMAT_NEWER
 */
export async function settleMode(
  store: ByteStore,
  rows: readonly string[],
  isEncrypted: boolean,
): Promise<void> {
  if (isEncrypted) {
    if (rows.includes(MODE_KEY)) throw new FixpointError('MODE_MISMATCH', 'it is not encrypted');
    return;
  }
  const bytes = await store.read(MODE_KEY);
  if (bytes !== undefined) return requireMode(bytes);
  if (rows.length > 0) throw new FixpointError('MODE_MISMATCH', 'it is encrypted');
  const mode = utf8(JSON.stringify({ v: VERSION, encrypted: false }));
  await store.write([{ key: MODE_KEY, bytes: mode }], { key: MODE_KEY, bytes: undefined });
}

function requireMode(bytes: Uint8Array): void {
  let mode: { v?: unknown; encrypted?: unknown } | null;
  try {
    mode = JSON.parse(textOf(bytes)) as typeof mode;
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'mode', { cause });
  }
  if (typeof mode?.v === 'number' && mode.v > VERSION) throw new FixpointError('FORMAT_NEWER', 'mode');
  if (mode?.v !== VERSION || mode.encrypted !== false) throw new FixpointError('CORRUPT', 'mode');
}
