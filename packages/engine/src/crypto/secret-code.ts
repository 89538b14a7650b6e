/**
 * Codes that people type: base32 in Crockford's alphabet, in groups of five letters. The last two
 * bytes are the start of the hash of the other bytes.
 */
import { FixpointError } from '@fixpoint/protocol';
import { sha256 } from '../codec/sha256.ts';

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHECK_BYTES = 2;

export function encodeCode(secret: Uint8Array): string {
  const bytes = [...secret, ...sha256(secret).subarray(0, CHECK_BYTES)];
  let text = '';
  for (let bit = 0; bit < bytes.length * 8; bit += 5) {
    let value = 0;
    for (let at = bit; at < bit + 5; at++)
      value = value * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    text += LETTERS[value];
  }
  return text.replace(/.{5}(?=.)/g, '$&-');
}

/**
 * Decodes a code as people type it: lower case, other separators, O for 0.
 * @throws FixpointError REQUEST_INVALID when the code is mistyped
 */
export function decodeCode(text: string, bytesExpected: number): Uint8Array {
  const letters = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  const values = [...letters].map((letter) => LETTERS.indexOf(letter));
  const size = bytesExpected + CHECK_BYTES;
  const bytes = Uint8Array.from({ length: size }, (_, at) => {
    let byte = 0;
    for (let bit = at * 8; bit < at * 8 + 8; bit++)
      byte = byte * 2 + (((values[Math.floor(bit / 5)] ?? 0) >> (4 - (bit % 5))) & 1);
    return byte;
  });
  const secret = bytes.subarray(0, bytesExpected);
  const isWhole = values.length === Math.ceil((size * 8) / 5) && !values.includes(-1);
  const isRight = sha256(secret)
    .subarray(0, CHECK_BYTES)
    .every((byte, at) => byte === bytes[bytesExpected + at]);
  if (!isWhole || !isRight) throw new FixpointError('REQUEST_INVALID', 'the code is mistyped');
  return secret;
}
