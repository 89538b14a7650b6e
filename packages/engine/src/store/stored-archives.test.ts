import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { BLOCK_ROW_BYTES, encodeBlockIndex } from '../archive/block-index.ts';
import { type Archive, packBlocks } from '../archive/pack.ts';
import { type Block, blockOf } from '../codec/block.ts';
import { CID_BYTES, RAW } from '../codec/cid.ts';
import { type DataKey, dataKey, type Keys, NO_KEYS } from '../crypto/keys.ts';
import { seal } from '../crypto/seal.ts';
import { memoryStore } from '../platform/memory-store.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { Archives } from './archives.ts';
import { archiveKey } from './names.ts';

const random = seededRandom(7);
const [first, second] = [dataKey(random.bytes(32)), dataKey(random.bytes(16))];
const keysOf = (current: DataKey, ...others: DataKey[]): Keys => ({
  current,
  all: new Map([current, ...others].map((key) => [key.id, key])),
});

/** About 100 kB in blocks of 1 to 1999 bytes. */
const blocks: readonly Block[] = Array.from({ length: 100 }, (_, at) =>
  blockOf(random.bytes(1 + ((at * 389) % 1999)), RAW),
);
const archive: Archive = packBlocks(blocks[0]?.cid ?? blockOf(Uint8Array.of(1)).cid, blocks);

/**
 * Creates a store of one archive that is sealed with `sealedWith`. `opened` reads it with `keys`.
 */
async function stored(sealedWith: DataKey, keys: Keys) {
  const values = new Map<string, Uint8Array>();
  const asked = { whole: 0, parts: 0 };
  const inner = memoryStore(values);
  const store: ByteStore = {
    ...inner,
    read: (key) => {
      asked.whole++;
      return inner.read(key);
    },
    readPart: async (key, offset, length) => {
      asked.parts++;
      return values.get(key)?.slice(offset, offset + length);
    },
  };
  values.set(archiveKey(archive.cid), await seal(archive.bytes, sealedWith, archive.cid));
  const opened = () => {
    const archives = new Archives(store, { keys: () => keys });
    archives.learn(archive.cid, encodeBlockIndex(archive.blocks, archive.bytes));
    return archives;
  };
  return { values, asked, opened };
}

describe('blocks of a long archive', () => {
  test.each([
    ['sealed', first, keysOf(first)],
    ['sealed with a shorter key of an earlier version', second, keysOf(first, second)],
    ['not sealed', NO_KEYS.current, NO_KEYS],
  ])('(%s) reads few blocks separately, and many blocks from the whole archive', async (_, by, keys) => {
    const { asked, opened } = await stored(by, keys);
    const archives = opened();
    for (const { cid, bytes } of blocks.slice(40, 45)) {
      expect(await archives.readBlock(cid)).toEqual(bytes);
      expect(await archives.readBlock(cid)).toEqual(bytes);
    }
    expect(asked).toEqual({ whole: 0, parts: 5 });
    for (const { cid, bytes } of blocks) expect(await archives.readBlock(cid)).toEqual(bytes);
    expect(asked.whole).toBe(1);
    expect(asked.parts).toBeLessThan(20);

    const together = opened();
    expect(await together.readBlocks(blocks.map(({ cid }) => cid))).toEqual(blocks.map(({ bytes }) => bytes));
    expect(asked.whole).toBe(2);
  });

  test('opens no archive for random blocks of a database that exceeds the memory for archives', async () => {
    const asked = { whole: 0, parts: 0 };
    const values = new Map<string, Uint8Array>();
    const inner = memoryStore(values);
    const store: ByteStore = {
      ...inner,
      read: (key) => {
        asked.whole++;
        return inner.read(key);
      },
      readPart: async (key, offset, length) => {
        asked.parts++;
        return values.get(key)?.slice(offset, offset + length);
      },
    };
    // Four of these six archives would fit.
    const archives = new Archives(store, { keys: () => keysOf(first) }, 4);
    const many = Array.from({ length: 6 }, () =>
      Array.from({ length: 100 }, () => blockOf(random.bytes(900), RAW)),
    );
    for (const some of many) {
      const { cid, bytes, blocks: places } = packBlocks((some[0] as Block).cid, some);
      values.set(archiveKey(cid), await seal(bytes, first, cid));
      archives.learn(cid, encodeBlockIndex(places, bytes));
    }
    for (let at = 0; at < 50; at++)
      for (const some of many) {
        const { cid, bytes } = some[2 * at] as Block;
        expect(await archives.readBlock(cid)).toEqual(bytes);
      }
    expect(asked).toEqual({ whole: 0, parts: 300 });
  });

  test('keeps no opened archive in memory for a few of its blocks', async () => {
    const { opened } = await stored(first, keysOf(first));
    const archives = opened();
    await archives.readArchive(archive.cid);
    const sizes = async (count: number) => {
      const wanted = blocks.slice(0, count).map(({ cid }) => cid);
      // Reads of more than 250 blocks aren't cached, so each block is requested three times.
      const found = await archives.readBlocks([...wanted, ...wanted, ...wanted]);
      return new Set(found.map(({ buffer }) => buffer.byteLength));
    };
    expect(await sizes(100)).toEqual(new Set([archive.bytes.buffer.byteLength]));
    const small = blocks.find(({ bytes }) => bytes.length < 100) as Block;
    const few = Array.from({ length: 251 }, () => small.cid);
    const [found] = await archives.readBlocks(few);
    expect(found?.buffer.byteLength).toBeLessThan(100);
  });

  test('reads each block separately with the same result, wherever the block begins', async () => {
    const { asked, opened } = await stored(first, keysOf(first));
    for (const { cid, bytes } of blocks) expect(await opened().readBlock(cid)).toEqual(bytes);
    expect(asked).toEqual({ whole: 0, parts: blocks.length });
  });

  test('reads blocks that are close together in one part, and distant blocks in two parts', async () => {
    const { asked, opened } = await stored(first, keysOf(first));
    const readTogether = async (...at: number[]) => {
      asked.parts = 0;
      const wanted = at.map((one) => blocks[one] as Block);
      expect(await opened().readBlocks(wanted.map(({ cid }) => cid))).toEqual(
        wanted.map(({ bytes }) => bytes),
      );
      return asked.parts;
    };
    expect(await readTogether(50, 51, 52)).toBe(1);
    expect(await readTogether(52, 50)).toBe(1);
    expect(await readTogether(10, 90)).toBe(2);
    expect(asked.whole).toBe(0);
  });

  test('returns a block twice if requested twice', async () => {
    const { opened } = await stored(first, keysOf(first));
    const asked = [60, 3, 60, 61, 3].map((at) => blocks[at] as Block);
    expect(await opened().readBlocks(asked.map(({ cid }) => cid))).toEqual(asked.map(({ bytes }) => bytes));
  });

  test('reports an unknown archive as missing, and lists no blocks for it', async () => {
    const { opened } = await stored(first, keysOf(first));
    const archives = opened();
    const other = packBlocks(archive.cid, blocks.slice(1)).cid;
    const missing = { code: 'MISSING_CARS' };
    await expect(archives.blocksOf(other)).rejects.toMatchObject(missing);
    await expect(archives.sectionsOf(other)).rejects.toMatchObject(missing);
    await expect(archives.readArchive(other)).rejects.toMatchObject(missing);
    expect([archives.contentOf(other), archives.bytesOf(other, () => true)]).toEqual([[], 0]);
    archives.removed([other]);
    expect([archives.has(archive.cid), archives.has(other)]).toEqual([true, false]);
    // The bytes of this archive are still stored.
    archives.removed([archive.cid]);
    await expect(archives.blocksOf(archive.cid)).rejects.toMatchObject(missing);
    await expect(archives.sectionsOf(archive.cid)).rejects.toMatchObject(missing);
  });

  test(
    '[R4] returns the right block, or rejects with CORRUPT, when a byte of the archive is flipped',
    long,
    async () => {
      const { values, opened } = await stored(first, keysOf(first));
      const [block, place] = [blocks[50], archive.blocks[50]];
      if (block === undefined || place === undefined) throw new Error('there is no such block');
      const sealed = values.get(archiveKey(archive.cid)) ?? block.bytes;
      const answers = new Map<string, number>();
      const places = [
        ...Array.from({ length: 40 }, (_, at) => at),
        ...Array.from({ length: place.length + 80 }, (_, at) => place.offset - 40 + at),
        ...Array.from({ length: 60 }, (_, at) => sealed.length - 1 - at),
      ];
      for (const at of places) {
        const damaged = sealed.slice();
        damaged[at] = (damaged[at] ?? 0) ^ 0x20;
        values.set(archiveKey(archive.cid), damaged);
        const answer = await opened()
          .readBlock(block.cid)
          .then(
            (bytes) => (Buffer.compare(bytes, block.bytes) === 0 ? 'right' : 'other'),
            (error: { code?: string }) => error.code ?? 'no code',
          );
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
      expect([...answers.keys()].sort()).toEqual(['CORRUPT', 'right']);
      expect(answers.get('CORRUPT')).toBe(place.length);
    },
  );

  test('[R4] reports CORRUPT for a block that is not at the place that the index states', async () => {
    const { opened } = await stored(first, keysOf(first));
    const archives = opened();
    const index = encodeBlockIndex(archive.blocks, archive.bytes);
    const [block] = blocks.slice(50);
    const lowByte = 50 * BLOCK_ROW_BYTES + CID_BYTES + 3;
    index[lowByte] = (index[lowByte] ?? 0) ^ 1;
    archives.learn(archive.cid, index);
    for (const _ of ['by itself', 'in the opened archive']) {
      await expect(archives.readBlock(block?.cid ?? archive.cid)).rejects.toMatchObject({ code: 'CORRUPT' });
      await archives.readArchive(archive.cid);
    }
  });

  test('[R4] reports a truncated or replaced archive as CORRUPT, and an absent archive as missing', async () => {
    const { values, opened } = await stored(first, keysOf(first));
    const key = archiveKey(archive.cid);
    const sealed = values.get(key) ?? new Uint8Array();
    const [block] = blocks.slice(-1);
    const codeOf = () =>
      opened()
        .readBlock(block?.cid ?? archive.cid)
        .then(
          () => 'read',
          (error: { code?: string }) => error.code,
        );
    values.set(key, sealed.slice(0, -100));
    expect(await codeOf()).toBe('CORRUPT');
    values.set(key, await seal(new Uint8Array(archive.bytes.length), first));
    expect(await codeOf()).toBe('CORRUPT');
    values.set(key, await seal(archive.bytes, second));
    expect(await codeOf()).toBe('KEY_UNKNOWN');
    values.delete(key);
    expect(await codeOf()).toBe('MISSING_CARS');
  });
});
