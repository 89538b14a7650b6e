/**
 * A sealed archive: CBOR `{iv: 12 bytes, data: cipher text and 16-byte tag, keyId: 32 bytes}`,
 * AES-GCM without additional data. The IV is the multihash of the plain bytes, folded into 12
 * bytes, so sealing is deterministic. A reader recomputes the IV, and rejects an archive with any
 * other IV.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { concatBytes, equalBytes } from '../base/bytes.ts';
import { CAR, type Cid, cidOfDigest, digestOf } from '../codec/cid.ts';
import { decodeMap, encode } from '../codec/dag-cbor.ts';
import { sha256OfLong } from '../codec/sha256.ts';
import { aesGcm, TAG_BYTES } from './aes-gcm.ts';
import { type DataKey, type Keys, NO_KEY, NO_KEYS } from './keys.ts';

const IV_BYTES = 12;
const KEY_ID_BYTES = 32;
/** The major type of a CBOR byte string, in the first byte of its length. */
const BYTE_STRING = 0x40;
/**
 * Bytes of a sealed archive up to the byte string of `data`: a map of three, the text `iv`, a byte
 * string of 12, the text `data`.
 */
const BYTES_BEFORE_DATA = 1 + 3 + 1 + IV_BYTES + 5;

/** Seals an archive. @param cid of the archive, if known: it contains the hash of the bytes */
export async function seal(plain: Uint8Array, key: DataKey, cid?: Cid): Promise<Uint8Array> {
  if (key === NO_KEY) return plain;
  const iv = ivOf(cid === undefined ? await sha256OfLong(plain) : digestOf(cid));
  return aesGcm.encrypt(key.material, iv, plain, undefined, around(plain.length + TAG_BYTES, iv, key));
}

/** Returns the bytes before and after the content of `data`. */
function around(dataBytes: number, iv: Uint8Array, { idBytes: keyId }: DataKey) {
  const empty = encode({ iv, data: new Uint8Array(), keyId });
  // A length is written like an integer, with another major type.
  const length = encode(dataBytes);
  length[0] = (length[0] as number) | BYTE_STRING;
  const before = concatBytes([empty.subarray(0, BYTES_BEFORE_DATA), length]);
  return [before, empty.subarray(BYTES_BEFORE_DATA + 1)] as const;
}

/**
 * Opens an archive.
 * @throws FixpointError KEY_UNKNOWN when none of the keys sealed the archive; CORRUPT when the
 * archive was changed
 */
export const open = async (sealed: Uint8Array, keys: Keys['all']): Promise<Uint8Array> =>
  (await openHashed(sealed, keys)).plain;

/**
 * Returns the plain bytes of the archive with that CID.
 * @throws FixpointError CORRUPT also when the bytes don't match the CID; KEY_UNKNOWN
 */
export async function openArchive(sealed: Uint8Array, keys: Keys['all'], cid: Cid): Promise<Uint8Array> {
  const { plain, digest } = await openHashed(sealed, keys);
  if (cidOfDigest(CAR, digest) !== cid)
    throw new FixpointError('CORRUPT', `archive ${cid} has other content`);
  return plain;
}

/** Returns where the plain bytes start in a sealed archive of this plain length. */
export function sealedStart(plainBytes: number, { current }: Keys): number {
  if (current === NO_KEY) return 0;
  const dataBytes = plainBytes + TAG_BYTES;
  // The first byte of a CBOR byte string, and its length if that doesn't fit in the first byte.
  const head = dataBytes < 24 ? 1 : dataBytes < 0x100 ? 2 : dataBytes < 0x1_0000 ? 3 : 5;
  return BYTES_BEFORE_DATA + head;
}

/**
 * Opens a part of the sealed archive. `at` is the offset of the part in the plain bytes. Verifies
 * neither the content nor the key, so the caller must check the hash of the bytes.
 */
export async function openPart(
  part: Uint8Array,
  key: DataKey,
  archive: Cid,
  at: number,
): Promise<Uint8Array> {
  if (key === NO_KEY) return part;
  return aesGcm.decryptPart(key.material, ivOf(digestOf(archive)), part, at);
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
  const key = [...keys.values()].find(({ idBytes }) => equalBytes(idBytes, keyId));
  if (key === undefined) throw new FixpointError('KEY_UNKNOWN');
  const plain = await decrypt(iv, data, key);
  const digest = await sha256OfLong(plain);
  if (!equalBytes(ivOf(digest), iv)) throw new FixpointError('CORRUPT', 'iv missmatch');
  return { plain, digest };
}

/**
 * Returns whether this archive was sealed with this key.
 * @throws FixpointError CORRUPT
 */
export function isSealedWith(sealed: Uint8Array, key: DataKey): boolean {
  const { keyId } = decodeMap(sealed);
  if (!isBytes(keyId, KEY_ID_BYTES)) throw new FixpointError('CORRUPT', 'not a sealed archive');
  return equalBytes(keyId, key.idBytes);
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

/**
 * Folds the multihash (two bytes for the hash and its length, then the hash) to the length of an
 * IV.
 */
function ivOf(digest: Uint8Array): Uint8Array {
  const iv = new Uint8Array(IV_BYTES);
  [0x12, 0x20, ...digest].forEach((byte, at) => {
    iv[at % IV_BYTES] = (iv[at % IV_BYTES] as number) ^ byte;
  });
  return iv;
}
