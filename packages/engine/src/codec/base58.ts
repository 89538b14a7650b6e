/**
 * Base58 in the alphabet of Bitcoin, for keys, their ids, and links of version 0. Use base58 for
 * short values only, because encoding time grows with the square of the length.
 */
import { FixpointError } from '@fixpoint/protocol';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/**
 * A key has 44 characters. Only an attacker would send a much longer text, to keep the reader busy.
 */
const TEXT_LENGTH_MAX = 1000;

export function encodeBase58(bytes: Uint8Array): string {
  // Digits of the number, most significant first. Each leading zero byte becomes one zero digit.
  const digits = changeBase(bytes, 256, 58);
  return digits.map((digit) => ALPHABET.charAt(digit)).join('');
}

/** @throws FixpointError CORRUPT */
export function decodeBase58(text: string): Uint8Array {
  const values = Array.from(text, (letter) => ALPHABET.indexOf(letter));
  if (text.length > TEXT_LENGTH_MAX || values.includes(-1)) throw new FixpointError('CORRUPT', 'not base58');
  return Uint8Array.from(changeBase(values, 58, 256));
}

/**
 * Converts a number, most significant digit first, to another base. Keeps the number of leading
 * zeros.
 */
function changeBase(given: Iterable<number>, from: number, to: number): number[] {
  const reversed: number[] = [];
  let zeros = 0;
  let isLeading = true;
  for (const digit of given) {
    isLeading &&= digit === 0;
    if (isLeading) zeros++;
    let carry = digit;
    for (let at = 0; at < reversed.length; at++) {
      carry += (reversed[at] as number) * from;
      reversed[at] = carry % to;
      carry = Math.floor(carry / to);
    }
    for (; carry > 0; carry = Math.floor(carry / to)) reversed.push(carry % to);
  }
  return [...new Array<number>(zeros).fill(0), ...reversed.reverse()];
}

/** Encodes base58btc with the multibase prefix `z`, the format of keys and their ids. */
export const base58Text = (bytes: Uint8Array): string => `z${encodeBase58(bytes)}`;

/**
 * Decodes base58btc with the multibase prefix `z`.
 * @throws FixpointError CORRUPT
 */
export function base58Bytes(text: string): Uint8Array {
  if (!text.startsWith('z')) throw new FixpointError('CORRUPT', 'not base58btc');
  return decodeBase58(text.slice(1));
}
