import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from './sha256.ts';
import { RunningSha256InScript, sha256InScript } from './sha256-script.ts';

const expected = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

test('computes SHA-256, on this platform and in JavaScript', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(sha256(bytes)).toEqual(expected(bytes));
      expect(sha256InScript(bytes)).toEqual(expected(bytes));
    }),
  );
});

test('computes the same hash in JavaScript for each length around the end of a block', () => {
  for (let length = 0; length <= 260; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => at * 151 + length);
    expect(sha256InScript(bytes)).toEqual(expected(bytes));
  }
});

test('computes the same hash in JavaScript from pieces of any length', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 8 }), (pieces) => {
      const running = new RunningSha256InScript();
      for (const piece of pieces) running.update(piece);
      expect(running.digest()).toEqual(expected(Buffer.concat(pieces)));
    }),
  );
});
