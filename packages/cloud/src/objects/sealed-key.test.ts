import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealedKeyOf } from './sealed-key.ts';

/** Encrypted archives that an existing client wrote. */
const { vectors, unencrypted } = JSON.parse(
  readFileSync(new URL('../../../engine/tests/vectors/crypto.json', import.meta.url), 'utf8'),
) as { vectors: { keyId: string; encoded: string }[]; unencrypted: { encoded: string } };

describe('sealedKeyOf', () => {
  test('[W1] reads the key id of archives that existing clients encrypted', () => {
    expect(vectors.length).toBeGreaterThan(5);
    for (const { encoded, keyId } of vectors) expect(sealedKeyOf(Buffer.from(encoded, 'hex'))).toBe(keyId);
  });

  test('[R20] returns no key id for other bytes: unencrypted, truncated, extended, random', () => {
    expect(sealedKeyOf(Buffer.from(unencrypted.encoded, 'hex'))).toBeUndefined();
    const sealed = Buffer.from(vectors.at(-1)?.encoded ?? '', 'hex');
    for (let length = 0; length < sealed.length; length++)
      expect(sealedKeyOf(sealed.subarray(0, length))).toBeUndefined();
    expect(sealedKeyOf(Buffer.concat([sealed, Buffer.from([0])]))).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(sealedKeyOf(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});
