/**
 * A sealed archive: CBOR `{iv: 12 bytes, data: cipher text and 16-byte tag, keyId: 32 bytes}`, AES-GCM without additional data. The IV folds the
 * multihash of the plain bytes into 12 bytes, so sealing is deterministic; a reader computes it again and refuses another one.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../base/bytes.ts';
import { CAR, type Cid, cidOfDigest, digestOf } from '../codec/cid.ts';
import { decodeMap, encode } from '../codec/dag-cbor.ts';
import { sha256OfLong } from '../codec/sha256.ts';
import { aesGcm, TAG_BYTES } from './aes-gcm.ts';
import { base58Bytes, base58Text } from './base58.ts';
import { type DataKey, type Keys, NO_KEY, NO_KEYS } from './keys.ts';

const IV_BYTES = 12;
const KEY_ID_BYTES = 32;

/** @param cid of the archive, when it is known: it says what the hash of the bytes is */
export async function seal(plain: Uint8Array, key: DataKey, cid?: Cid): Promise<Uint8Array> {
  if (key === NO_KEY) return plain;
  const iv = ivOf(cid === undefined ? await sha256OfLong(plain) : digestOf(cid));
  const data = await aesGcm.encrypt(key.material, iv, plain);
  return encode({ iv, data, keyId: base58Bytes(key.id) });
}

/** @throws FixpointError KEY_UNKNOWN when none of the keys sealed this; CORRUPT when it was changed */
export const open = async (sealed: Uint8Array, keys: Keys['all']): Promise<Uint8Array> =>
  (await openHashed(sealed, keys)).plain;

/** The plain bytes of the archive of that CID. @throws FixpointError CORRUPT also when they are others; KEY_UNKNOWN */
export async function openArchive(sealed: Uint8Array, keys: Keys['all'], cid: Cid): Promise<Uint8Array> {
  const { plain, digest } = await openHashed(sealed, keys);
  if (cidOfDigest(CAR, digest) !== cid)
    throw new FixpointError('CORRUPT', `archive ${cid} has other content`);
  return plain;
}

async function openHashed(sealed: Uint8Array, keys: Keys['all']) {
  if (keys === NO_KEYS.all) return { plain: sealed, digest: await sha256OfLong(sealed) };
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
  const digest = await sha256OfLong(plain);
  if (!equalBytes(ivOf(digest), iv)) throw new FixpointError('CORRUPT', 'iv missmatch');
  return { plain, digest };
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
function ivOf(digest: Uint8Array): Uint8Array {
  const iv = new Uint8Array(IV_BYTES);
  [0x12, 0x20, ...digest].forEach((byte, at) => {
    iv[at % IV_BYTES] = (iv[at % IV_BYTES] ?? 0) ^ byte;
  });
  return iv;
}
