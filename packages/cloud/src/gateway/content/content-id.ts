import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** The multibase letter `b`, then 36 bytes in base32. */
const TEXT = /^b[a-z2-7]{58}$/;
const BYTES = 36;
export const DAG_CBOR = 0x71;
export const RAW = 0x55;

/** The parts of a CID: the codec, and the sha-256 of the content. */
export interface ContentId {
  readonly codec: number;
  readonly digest: Buffer;
}

/**
 * Reads a CIDv1 with a sha-256, in base32 as all clients write it. Returns undefined for any other
 * text.
 */
export function readCid(text: string): ContentId | undefined {
  if (!TEXT.test(text)) return undefined;
  const bytes = Buffer.alloc(BYTES);
  let [held, bits, at] = [0, 0, 0];
  for (const letter of text.slice(1)) {
    held = ((held << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = (held >> bits) & 0xff;
    at += 1;
  }
  // The two bits left over must be zero. Otherwise one CID would have several names.
  const isCanonical = (held & ((1 << bits) - 1)) === 0;
  return isCanonical ? readCidBytes(bytes) : undefined;
}

export function readCidBytes(bytes: Buffer): ContentId | undefined {
  const isKnown = bytes[0] === 1 && (bytes[1] ?? 0x80) < 0x80 && bytes[2] === 0x12 && bytes[3] === 0x20;
  if (bytes.length !== BYTES || !isKnown) return undefined;
  return { codec: bytes[1] ?? 0, digest: bytes.subarray(4) };
}

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** Returns whether the text is the CID of these bytes under this codec. */
export function isCidOf(text: string, codec: number, bytes: Uint8Array): boolean {
  const cid = readCid(text);
  return cid?.codec === codec && cid.digest.equals(sha256(bytes));
}
