import { createHash } from 'node:crypto';
import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from './sha256.ts';

test('is SHA-256, as the portable one is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const expected = new Uint8Array(createHash('sha256').update(bytes).digest());
      expect(sha256(bytes)).toEqual(expected);
      expect(portableSha256(bytes)).toEqual(expected);
    }),
  );
});
