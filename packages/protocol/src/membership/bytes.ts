const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Decodes UTF-8. @throws TypeError when the bytes aren't UTF-8 */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

const CODES = /* @__PURE__ */ encoder.encode('0123456789abcdef');
const CHARS_MAX = 256;
const chars = /* @__PURE__ */ new Uint8Array(CHARS_MAX);

/**
 * Returns the bytes as hexadecimal digits. A log has thousands of ids and keys that name rows of
 * maps. Digits that are added one after another are a tree of strings, which takes several times
 * longer to create, to hash and to free.
 */
export function hex(bytes: Uint8Array): string {
  const half = CHARS_MAX / 2;
  if (bytes.length > half) return hex(bytes.subarray(0, half)) + hex(bytes.subarray(half));
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    chars[2 * at] = CODES[byte >> 4] as number;
    chars[2 * at + 1] = CODES[byte & 15] as number;
  }
  return decoder.decode(chars.subarray(0, 2 * bytes.length));
}

/** Returns the bytes of hexadecimal digits. */
export function bytesOfHex(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length >> 1);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = (digitAt(digits, 2 * at) << 4) | digitAt(digits, 2 * at + 1);
  return bytes;
}

/** Returns the value of a lower-case digit: the codes of `a` to `f` have the bit 64. */
function digitAt(digits: string, at: number): number {
  const code = digits.charCodeAt(at);
  return (code & 15) + (code >> 6) * 9;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 || at >= b.length ? a.length - b.length : (a[at] as number) - (b[at] as number);
}
