/**
 * A sealed archive: CBOR `{iv: 12 bytes, data: cipher text and 16-byte tag, keyId: 32 bytes}`, AES-GCM without additional data. The IV folds the
 * multihash of the plain bytes into 12 bytes, so sealing is deterministic; a reader computes it again and refuses another one.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../base/bytes.ts';
import { decodeMap, encode } from '../codec/dag-cbor.ts';
import { sha256OfLong } from '../codec/sha256.ts';
import { aesGcm, TAG_BYTES } from './aes-gcm.ts';
import { base58Bytes, base58Text } from './base58.ts';
import { type DataKey, type Keys, NO_KEY, NO_KEYS } from './keys.ts';

const IV_BYTES = 12;
const KEY_ID_BYTES = 32;

export async function seal(plain: Uint8Array, key: DataKey): Promise<Uint8Array> {
  if (key === NO_KEY) return plain;
  const iv = await ivOf(plain);
  const data = await aesGcm.encrypt(key.material, iv, plain);
  return encode({ iv, data, keyId: base58Bytes(key.id) });
}

/** @throws FixpointError KEY_UNKNOWN when none of the keys sealed this; CORRUPT when it was changed */
export async function open(sealed: Uint8Array, keys: Keys['all']): Promise<Uint8Array> {
  if (keys === NO_KEYS.all) return sealed;
  const { iv, data, keyId } = decodeMap(sealed);
  if (
    !isBytes(iv, IV_BYTES) ||
    !isBytes(keyId, KEY_ID_BYTES) ||
    !(data instanceof Uint8Array) ||
    data.length < TAG_BYTES
  )
    throw new FixpointError('CORRUPT', 'not a sealed archive');
  const key = keys.get(base58Text(keyId));
  if (key === undefined) throw new FixpointError('KEY_UNKNOWN');
  const plain = await decrypt(iv, data, key);
  if (!equalBytes(await ivOf(plain), iv)) throw new FixpointError('CORRUPT', 'iv missmatch');
  return plain;
}

/** Whether this archive was sealed with this key. @throws FixpointError CORRUPT */
export function isSealedWith(sealed: Uint8Array, key: DataKey): boolean {
  const { keyId } = decodeMap(sealed);
  if (!isBytes(keyId, KEY_ID_BYTES)) throw new FixpointError('CORRUPT', 'not a sealed archive');
  return base58Text(keyId) === key.id;
}

const isBytes = (value: unknown, length: number): value is Uint8Array =>
  value instanceof Uint8Array && value.length === length;

async function decrypt(iv: Uint8Array, data: Uint8Array, { material }: DataKey): Promise<Uint8Array> {
  try {
    return await aesGcm.decrypt(material, iv, data);
  } catch (cause) {
    if (isFixpointError(cause)) throw cause;
    throw new FixpointError('CORRUPT', 'archive does not open', { cause });
  }
}

/** The two bytes that name the hash and its length, and the hash, folded to the length of an IV. */
async function ivOf(plain: Uint8Array): Promise<Uint8Array> {
  const iv = new Uint8Array(IV_BYTES);
  [0x12, 0x20, ...(await sha256OfLong(plain))].forEach((byte, at) => {
    iv[at % IV_BYTES] = (iv[at % IV_BYTES] ?? 0) ^ byte;
  });
  return iv;
}
