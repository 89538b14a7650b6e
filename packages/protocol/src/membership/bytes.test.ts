import { describe, expect, test } from 'vitest';
import { bytesOfHex, hex } from './bytes.ts';

describe('hexadecimal digits', () => {
  test('writes all bytes, however many there are', () => {
    for (const length of [0, 1, 127, 128, 129, 1000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + length) & 255);
      expect(hex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
      expect(bytesOfHex(hex(bytes))).toEqual(bytes);
    }
  });

  test('reads each byte back', () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(bytesOfHex(hex(all))).toEqual(all);
  });

  test('keeps digits when others are written', () => {
    const first = hex(Uint8Array.of(1, 2, 255));
    hex(Uint8Array.of(9, 9, 9));
    expect(first).toBe('0102ff');
  });
});
