/**
 * A sealed row of the store: `f5 01`, 8 bytes that identify the data key (the first 8 of its id), a
 * random IV of 12 bytes, cipher text and 16-byte tag. The cipher is AES-256-GCM under a key that
 * HKDF derives from the data key for rows only. The row's key is additional data, so that rows
 * can't be swapped. A row that doesn't start with `f5` is plaintext, as version 1 wrote it. `f5`
 * with another second byte is FORMAT_NEWER.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { concatBytes, utf8 } from '../base/bytes.ts';
import { aesGcm, TAG_BYTES } from './aes-gcm.ts';
import type { DataKey, Keys } from './keys.ts';

const MARK = 0xf5;
const VERSION = 1;
const NAME_BYTES = 8;
const HEAD_BYTES = 2 + NAME_BYTES;
export const ROW_IV_BYTES = 12;

const rowKeys = new WeakMap<DataKey, { readonly name: Uint8Array; readonly material: Promise<Uint8Array> }>();

function rowKeyOf(key: DataKey) {
  const known = rowKeys.get(key);
  if (known !== undefined) return known;
  const name = key.idBytes.slice(0, NAME_BYTES);
  const made = { name, material: aesGcm.derive(key.material, new Uint8Array(), 'fixpoint rows 1') };
  rowKeys.set(key, made);
  return made;
}

/** Seals a row. @param iv random, never used before with this key */
export async function sealRow(
  row: string,
  plain: Uint8Array,
  key: DataKey,
  iv: Uint8Array,
): Promise<Uint8Array> {
  const { name, material } = rowKeyOf(key);
  const head = concatBytes([Uint8Array.of(MARK, VERSION), name, iv]);
  return aesGcm.encrypt(await material, iv, plain, utf8(row), [head, new Uint8Array()]);
}

export const isSealedRow = ([mark]: Uint8Array): boolean => mark === MARK;

export const isRowSealedWith = (stored: Uint8Array, key: DataKey): boolean =>
  isSealedRow(stored) && keyNamed(stored, new Map([[key.id, key]])) !== undefined;

/**
 * Opens a row.
 * @throws FixpointError KEY_UNKNOWN when none of the keys sealed the row; CORRUPT; FORMAT_NEWER
 */
export async function openRow(row: string, stored: Uint8Array, keys: Keys['all']): Promise<Uint8Array> {
  if (!isSealedRow(stored)) return stored;
  if (stored[1] !== VERSION) throw new FixpointError('FORMAT_NEWER', 'sealed row');
  if (stored.length < HEAD_BYTES + ROW_IV_BYTES + TAG_BYTES) throw new FixpointError('CORRUPT', 'sealed row');
  const key = keyNamed(stored, keys);
  if (key === undefined) throw new FixpointError('KEY_UNKNOWN', 'sealed row');
  const iv = stored.subarray(HEAD_BYTES, HEAD_BYTES + ROW_IV_BYTES);
  try {
    const data = stored.subarray(HEAD_BYTES + ROW_IV_BYTES);
    return await aesGcm.decrypt(await rowKeyOf(key).material, iv, data, utf8(row));
  } catch (cause) {
    if (isFixpointError(cause)) throw cause;
    throw new FixpointError('CORRUPT', `row ${row} does not open`, { cause });
  }
}

function keyNamed(stored: Uint8Array, keys: Keys['all']): DataKey | undefined {
  for (const key of keys.values())
    if (rowKeyOf(key).name.every((byte, at) => byte === stored[2 + at])) return key;
  return undefined;
}
