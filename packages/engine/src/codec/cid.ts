/**
 * Content ids: CIDv1, sha2-256, as lower-case base32 text with the multibase letter `b`.
 * Bytes: 0x01 version, codec, 0x12 0x20, 32 bytes of digest: 36 in all, since every codec here is below 0x80.
 */
import { FixpointError } from '@fixpoint/protocol';
import { compareBytes } from '../base/bytes.ts';
import { sha256 } from './sha256.ts';

declare const checked: unique symbol;
/** The text of a CID that was made here or went through {@link parseCid}. */
export type Cid = string & { readonly [checked]: true };

export const DAG_CBOR = 0x71;
export const RAW = 0x55;
export const CAR = 0x18;
export const CID_BYTES = 36;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const VALUE_BY_CHAR = new Map([...ALPHABET].map((char, value) => [char, value]));
/** 36 bytes are 288 bits: 58 characters of 5 bits, and the multibase letter. */
const TEXT_LENGTH = 59;

export function cidOf(codec: number, bytes: Uint8Array): Cid {
  return cidOfDigest(codec, sha256(bytes));
}

function cidOfDigest(codec: number, digest: Uint8Array): Cid {
  const bytes = new Uint8Array(CID_BYTES);
  bytes.set([1, codec, 0x12, 0x20]);
  bytes.set(digest, 4);
  return cidFromBytes(bytes);
}

/** @throws FixpointError CORRUPT when these are not the bytes of a CID that this format knows */
export function cidFromBytes(bytes: Uint8Array): Cid {
  if (bytes.length !== CID_BYTES || bytes[0] !== 1 || bytes[2] !== 0x12 || bytes[3] !== 0x20)
    throw new FixpointError('CORRUPT', 'unknown kind of CID');
  let text = 'b';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
    }
  }
  return (text + ALPHABET[(held << (5 - bits)) & 31]) as Cid;
}

/** @throws FixpointError CORRUPT */
export function cidToBytes(cid: string): Uint8Array {
  if (cid.length !== TEXT_LENGTH || cid[0] !== 'b')
    throw new FixpointError('CORRUPT', 'not the text of a CID');
  const bytes = new Uint8Array(CID_BYTES);
  let at = 0;
  let bits = 0;
  let held = 0;
  for (let index = 1; index < cid.length; index++) {
    const value = VALUE_BY_CHAR.get(cid.charAt(index));
    if (value === undefined) throw new FixpointError('CORRUPT', 'not the text of a CID');
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >> bits) & 0xff;
    }
  }
  return bytes;
}

/** @throws FixpointError CORRUPT */
export function parseCid(text: unknown): Cid {
  if (typeof text !== 'string') throw new FixpointError('CORRUPT', 'not the text of a CID');
  return cidFromBytes(cidToBytes(text));
}

export const codecOf = (cid: Cid): number => cidToBytes(cid)[1] ?? 0;

/** Order by bytes, which is not the order of the texts. */
export const compareCidBytes = (a: Cid, b: Cid): number => compareBytes(cidToBytes(a), cidToBytes(b));
