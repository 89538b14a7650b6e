import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { BLOCK_ROW_BYTES } from '../archive/block-index.ts';
import { utf8 } from '../base/bytes.ts';
import { CAR, CID_BYTES, type Cid, cidOf, RAW, writeCid } from '../codec/cid.ts';
import { BlockPlaces } from './block-places.ts';

const block = (n: number) => cidOf(RAW, utf8(`block ${n}`));
const archive = (n: number) => cidOf(CAR, utf8(`archive ${n}`));
function index(blocks: readonly number[], from: number): Uint8Array {
  const bytes = new Uint8Array(blocks.length * BLOCK_ROW_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [at, n] of blocks.entries()) {
    writeCid(block(n), bytes, at * BLOCK_ROW_BYTES);
    view.setUint32(at * BLOCK_ROW_BYTES + CID_BYTES, from + at);
    view.setUint32(at * BLOCK_ROW_BYTES + CID_BYTES + 4, n);
  }
  return bytes;
}

describe('places of blocks', () => {
  test('finds a block in the archive that was added last; forgets the blocks of a removed archive', () => {
    const places = new BlockPlaces();
    places.add(archive(1), index([1, 2], 10));
    places.add(archive(2), index([2, 3], 20));
    expect(places.get(block(2))).toEqual({ archive: archive(2), offset: 20, length: 2 });
    expect(places.blocksOf(archive(1)).map(({ cid }) => cid)).toEqual([block(1), block(2)]);
    places.remove(archive(1));
    expect(places.get(block(1))).toBeUndefined();
    expect(places.get(block(3))).toEqual({ archive: archive(2), offset: 21, length: 3 });
    expect(places.get(block(4))).toBeUndefined();
  });

  test(
    'finds the blocks of many small archives, even after archives were removed and added again',
    long,
    () => {
      const places = new BlockPlaces();
      const [archives, none] = [2000, block(-1)];
      for (let round = 0; round < 3; round++) {
        for (let n = 0; n < archives; n++) places.add(archive(n), index([2 * n, 2 * n + 1], round));
        for (let n = 0; n < archives; n++)
          expect(places.get(block(2 * n + 1))).toEqual({
            archive: archive(n),
            offset: round + 1,
            length: 2 * n + 1,
          });
        expect(places.get(none)).toBeUndefined();
        for (let n = 0; n < archives; n++) places.remove(archive(n));
        expect(places.get(block(0))).toBeUndefined();
      }
    },
  );

  test('finds the same places as a map, however many archives are added and removed', () => {
    const step = fc.record({
      archive: fc.nat({ max: 5 }),
      blocks: fc.uniqueArray(fc.nat({ max: 3000 }), { maxLength: 400 }),
      removes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const places = new BlockPlaces();
        const model = new Map<Cid, { archive: Cid; offset: number; length: number }>();
        const present = new Set<Cid>();
        for (const { archive: n, blocks, removes } of steps) {
          const cid = archive(n);
          places.remove(cid);
          for (const [key, place] of model) if (place.archive === cid) model.delete(key);
          present.delete(cid);
          if (removes) continue;
          places.add(cid, index(blocks, n));
          for (const [at, one] of blocks.entries())
            model.set(block(one), { archive: cid, offset: n + at, length: one });
          present.add(cid);
        }
        for (let n = 0; n <= 3000; n += 7) expect(places.get(block(n))).toEqual(model.get(block(n)));
        for (const [cid, place] of model) expect(places.get(cid)).toEqual(place);
      }),
      { numRuns: 30 },
    );
  });
});
