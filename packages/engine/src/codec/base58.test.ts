import fc from 'fast-check';
import { base58btc } from 'multiformats/bases/base58';
import { expect, test } from 'vitest';
import { decodeBase58, encodeBase58 } from './base58.ts';

test('encodes and decodes base58 like multiformats', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const text = encodeBase58(bytes);
      expect(`z${text}`).toBe(base58btc.encode(bytes));
      expect(decodeBase58(text)).toEqual(new Uint8Array(bytes));
    }),
  );
  expect(encodeBase58(new Uint8Array([0, 0, 1]))).toBe('112');
});

test('rejects letters outside the alphabet, and long texts, as CORRUPT', () => {
  const corrupt = expect.objectContaining({ code: 'CORRUPT' }) as Error;
  for (const text of ['0', 'O', 'I', 'l', 'a b', 'é', '2'.repeat(1001)])
    expect(() => decodeBase58(text)).toThrow(corrupt);
});
