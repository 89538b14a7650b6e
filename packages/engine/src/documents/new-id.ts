import type { DocKey } from './doc-key.ts';

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** A random id that sorts by the time of its making: 48 bits of milliseconds, then random bits, cut like a UUID of version 7. */
export function newDocId(timeMs: number, random: Uint8Array): DocKey {
  const time = Math.floor(timeMs).toString(16).padStart(12, '0').slice(-12);
  const rest = hex(random.subarray(0, 10));
  const variant = (0xb | (Number.parseInt(rest.charAt(3), 16) & 0x4)).toString(16);
  const id = [
    time.slice(0, 8),
    time.slice(8),
    `7${rest.slice(0, 3)}`,
    `${variant}${rest.slice(4, 7)}`,
    rest.slice(7, 19),
  ];
  return id.join('-') as DocKey;
}
