const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Decodes UTF-8. @throws TypeError when the bytes aren't UTF-8 */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

const OCTETS = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns the bytes as hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  let digits = '';
  for (const byte of bytes) digits += OCTETS[byte];
  return digits;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 || at >= b.length ? a.length - b.length : (a[at] as number) - (b[at] as number);
}
