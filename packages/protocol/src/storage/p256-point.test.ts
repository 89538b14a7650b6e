import { createECDH } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isP256Point } from './p256-point.ts';

const publicKey = () => new Uint8Array(createECDH('prime256v1').generateKeys());

describe('points of P-256', () => {
  test('accepts generated public keys', () => {
    for (let n = 0; n < 50; n++) expect(isP256Point(publicKey())).toBe(true);
  });

  test('[R20] rejects bytes that are not a point of the curve', () => {
    const key = publicKey();
    for (let at = 0; at < key.length; at++) {
      const changed = key.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect([at, isP256Point(changed)]).toEqual([at, false]);
    }
    expect(isP256Point(key.subarray(1))).toBe(false);
    expect(isP256Point(new Uint8Array(65))).toBe(false);
    expect(isP256Point(Uint8Array.of(4, ...new Uint8Array(64)))).toBe(false);
    expect(isP256Point(Uint8Array.of(4, ...new Uint8Array(64).fill(255)))).toBe(false);
  });
});
