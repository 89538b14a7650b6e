import fc from 'fast-check';
import { base32 } from 'multiformats/bases/base32';
import { CID } from 'multiformats/cid';
import { describe, expect, test } from 'vitest';
import {
  CAR,
  cidFromBytes,
  cidOf,
  cidToBytes,
  codecOf,
  compareCidBytes,
  DAG_CBOR,
  parseCid,
  RAW,
  textOfCidBytes,
} from './cid.ts';

const anyCid = fc
  .tuple(fc.constantFrom(DAG_CBOR, RAW, CAR), fc.uint8Array({ maxLength: 50 }))
  .map(([codec, bytes]) => cidOf(codec, bytes));

describe('cid', () => {
  test('has the same text and bytes as in multiformats', () => {
    fc.assert(
      fc.property(anyCid, (cid) => {
        const reference = CID.parse(cid);
        expect(cidToBytes(cid)).toEqual(reference.bytes);
        expect(cidFromBytes(reference.bytes)).toBe(reference.toString());
        expect(parseCid(cid)).toBe(cid);
        expect(codecOf(cid)).toBe(reference.code);
      }),
    );
  });

  test('sorts by bytes, which differs from the order of texts', () => {
    fc.assert(
      fc.property(anyCid, anyCid, (a, b) => {
        const byBytes = Buffer.compare(cidToBytes(a), cidToBytes(b));
        expect(Math.sign(compareCidBytes(a, b))).toBe(byBytes);
      }),
    );
    const cids = Array.from({ length: 100 }, (_, n) => cidOf(RAW, Uint8Array.of(n)));
    expect([...cids].sort(compareCidBytes)).not.toEqual([...cids].sort());
  });

  const good = cidOf(DAG_CBOR, new Uint8Array());
  test.each([
    ['an empty text', ''],
    ['a number', 5],
    ['a CID in another base', good.replace('b', 'z')],
    ['a CID in upper case', good.toUpperCase()],
    ['a CID that is too short', good.slice(0, -1)],
    ['a CID that is too long', `${good}a`],
    ['a CID with a letter outside of base32', `${good.slice(0, 10)}1${good.slice(11)}`],
    ['a CID with a letter outside of ASCII', `${good.slice(0, 10)}é${good.slice(11)}`],
    ['a CID with bits after the end', `${good.slice(0, -1)}b`],
    ['a CID of another version or hash', `bai${good.slice(3)}`],
  ])('[R4] rejects %s as corrupt', (_, text) => {
    expect(() => parseCid(text)).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });
});

test('[R20] returns the text of CIDs of any length, as another implementation does', () => {
  const long = new Uint8Array(300_000).fill(0xa7);
  for (const length of [36, 4, 5, 2559, 2560, 2561, 5120, 36, 300_000]) {
    const bytes = long.slice(0, length);
    expect(textOfCidBytes(bytes) === base32.encode(bytes)).toBe(true);
  }
});
