/**
 * Content ids: CIDv1, sha2-256, as lower-case base32 text with the multibase letter `b`. Bytes:
 * 0x01 version, codec, 0x12 0x20, 32 bytes of digest. That is 36 bytes, because every codec here is
 * below 0x80 and takes one byte.
 */
import { FixpointError } from '@fixpoint/protocol';
import { compareBytes } from '../base/bytes.ts';
import { sha256, sha256OfLong } from './sha256.ts';

declare const checked: unique symbol;
/** The text of a CID that was created here or that {@link parseCid} accepted. */
export type Cid = string & { readonly [checked]: true };

export const DAG_CBOR = 0x71;
export const RAW = 0x55;
export const CAR = 0x18;
export const CID_BYTES = 36;
/** Offset of the digest, after version, codec, hash and length. */
export const DIGEST_AT = 4;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/**
 * Length for 36 bytes (288 bits): the multibase letter, 57 characters of 5 bits, and one of 3 bits
 * and two zeros.
 */
const TEXT_LENGTH = 59;
const NOT_BASE32 = 32;
/** Pure, like the constant below, so that bundles that only write CIDs don't contain it. */
const VALUES = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_none, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code));
  return value < 0 ? NOT_BASE32 : value;
});

export const cidOf = (codec: number, bytes: Uint8Array): Cid => cidOfDigest(codec, sha256(bytes));

/** Returns the CID of content that may be long. */
export const cidOfLong = async (codec: number, bytes: Uint8Array): Promise<Cid> =>
  cidOfDigest(codec, await sha256OfLong(bytes));

/** Returns the hash in a CID. */
export const digestOf = (cid: Cid): Uint8Array => cidToBytes(cid).subarray(DIGEST_AT);

/** The bytes of a CID, reused for each call of `cidOfDigest`. */
const draft = /* @__PURE__ */ Uint8Array.of(1, 0, 0x12, 0x20, ...new Uint8Array(CID_BYTES - DIGEST_AT));

export function cidOfDigest(codec: number, digest: Uint8Array): Cid {
  draft[1] = codec;
  draft.set(digest, DIGEST_AT);
  return cidFromBytes(draft);
}

/**
 * Decodes a CID.
 * @throws FixpointError CORRUPT when the format doesn't know this kind of CID
 */
export function cidFromBytes(bytes: Uint8Array): Cid {
  if (bytes.length !== CID_BYTES || !isKnownKind(bytes))
    throw new FixpointError('CORRUPT', 'unknown kind of CID');
  return textOfCidBytes(bytes) as Cid;
}

/** The length of the longest text that is created in one step. */
const ARGUMENTS_MAX = 4096;
/** The letter `b`, which says that the text is in base 32. */
const B = 98;

/**
 * Returns the text of CID bytes that start with a version, whatever codec and hash follow. Creates
 * short texts in one step: concatenated parts would take ten times the memory.
 */
export function textOfCidBytes(bytes: Uint8Array): string {
  const letters = [B];
  let bits = 0;
  let held = 0;
  for (let at = 0; at < bytes.length; at++) {
    held = (held << 8) | (bytes[at] as number);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      letters.push(ALPHABET.charCodeAt(held >> bits));
      held &= (1 << bits) - 1;
    }
  }
  if (bits > 0) letters.push(ALPHABET.charCodeAt(held << (5 - bits)));
  // Each letter is an argument, and arguments are on the stack.
  if (letters.length <= ARGUMENTS_MAX) return String.fromCharCode.apply(null, letters);
  return letters.map((code) => String.fromCharCode(code)).join('');
}

const isKnownKind = (bytes: Uint8Array): boolean =>
  bytes[0] === 1 && (bytes[1] as number) < 0x80 && bytes[2] === 0x12 && bytes[3] === 0x20;

/** @throws FixpointError CORRUPT */
export function cidToBytes(cid: string): Uint8Array {
  const bytes = new Uint8Array(CID_BYTES);
  writeCid(cid, bytes, 0);
  return bytes;
}

/**
 * Writes the 36 bytes of a CID at an offset.
 * @throws FixpointError CORRUPT
 */
export function writeCid(cid: string, target: Uint8Array, offset: number): void {
  if (cid.length !== TEXT_LENGTH || cid.charCodeAt(0) !== 0x62) throw notACid();
  let at = offset;
  let bits = 0;
  let held = 0;
  for (let index = 1; index < TEXT_LENGTH; index++) {
    const value = VALUES[cid.charCodeAt(index)] ?? NOT_BASE32;
    if (value === NOT_BASE32) throw notACid();
    held = (held << 5) | value;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    target[at++] = held >> bits;
    held &= (1 << bits) - 1;
  }
  if (held !== 0) throw notACid();
}

const notACid = () => new FixpointError('CORRUPT', 'not the text of a CID');

/** @throws FixpointError CORRUPT */
export function parseCid(text: unknown): Cid {
  if (typeof text !== 'string') throw notACid();
  if (!isKnownKind(cidToBytes(text))) throw new FixpointError('CORRUPT', 'unknown kind of CID');
  return text as Cid;
}

export const codecOf = (cid: Cid): number => cidToBytes(cid)[1] as number;

/** Compares by bytes, which is not the order of the texts. */
export const compareCidBytes = (a: Cid, b: Cid): number => compareBytes(cidToBytes(a), cidToBytes(b));
