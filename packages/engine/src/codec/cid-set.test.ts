import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { CID_BYTES, type Cid, cidFromBytes, cidOf, cidToBytes, RAW } from './cid.ts';
import { CidSet } from './cid-set.ts';

const cid = (n: number): Cid => cidOf(RAW, utf8(String(n)));
const CIDS = Array.from({ length: 30_000 }, (_, n) => cid(n));

describe('a set of CIDs', () => {
  test('has exactly the CIDs that were added', () => {
    const set = CidSet.of(CIDS);
    expect(CIDS.filter((one) => !set.has(one))).toEqual([]);
    expect(Array.from({ length: 30_000 }, (_, n) => cid(-1 - n)).filter((one) => set.has(one))).toEqual([]);
    expect(new CidSet().has(cid(1))).toBe(false);
  });

  test('reports whether a CID is new, as text and in bytes', () => {
    const set = new CidSet();
    const bytes = new Uint8Array(7 + CID_BYTES);
    bytes.set(cidToBytes(cid(1)), 7);
    expect([set.add(cid(1)), set.add(cid(1)), set.addAt(bytes, 7), set.hasAt(bytes, 7)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test('distinguishes CIDs that differ in a single byte', () => {
    for (let at = 1; at < CID_BYTES; at++) {
      if (at === 2 || at === 3) continue;
      const set = CidSet.of([cid(1)]);
      const bytes = cidToBytes(cid(1));
      bytes[at] = (bytes[at] as number) ^ 1;
      const other = cidFromBytes(bytes);
      expect([set.has(other), set.add(other), set.has(other), set.has(cid(1))]).toEqual([
        false,
        true,
        true,
        true,
      ]);
    }
  });

  test('tells the first call with each of its CIDs from others', () => {
    const set = CidSet.of(CIDS);
    const isFirst = set.firstOfEach();
    const bytes = CIDS.map(cidToBytes);
    expect(bytes.filter((one) => !isFirst(one, 0))).toEqual([]);
    expect(bytes.filter((one) => isFirst(one, 0))).toEqual([]);
    expect(isFirst(cidToBytes(cid(-1)), 0)).toBe(false);
    expect(set.firstOfEach()(cidToBytes(cid(0)), 0)).toBe(true);
  });
});
