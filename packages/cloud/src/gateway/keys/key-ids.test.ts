import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyIdOf } from './key-ids.ts';

/** Keys of an existing client. */
const { vectors } = JSON.parse(
  readFileSync(new URL('../../../../engine/tests/vectors/crypto.json', import.meta.url), 'utf8'),
) as { vectors: { keyId: string; keyBase58btc: string }[] };

test('[W1] computes the id of a key as existing clients do, also for a key with leading zeros', () => {
  for (const { keyBase58btc, keyId } of vectors) expect(keyIdOf(keyBase58btc)).toBe(keyId);
});

test("[R20] returns undefined for a text that isn't a key", () => {
  for (const text of ['', 'z', 'x12', 'z0', 'zO', 'zI', 'zl', `z${'1'.repeat(101)}`])
    expect(keyIdOf(text)).toBeUndefined();
  fc.assert(fc.property(fc.string(), (text) => void keyIdOf(text)));
});
