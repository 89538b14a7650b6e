import { FixpointError } from '@fixpoint/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generated, long } from '../../tests/budget.fixture.ts';
import { gate } from '../../tests/gated-store.fixture.ts';
import { encodeBlockIndex } from '../archive/block-index.ts';
import { type Archive, packBlocks } from '../archive/pack.ts';
import { type Block, blockOf } from '../codec/block.ts';
import { type Cid, RAW } from '../codec/cid.ts';
import { NO_KEYS } from '../crypto/keys.ts';
import { memoryStore } from '../platform/memory-store.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import { OPENING_LIMITS } from '../ports/opening-limits.ts';
import { Archives } from './archives.ts';
import { BLOCK_INDEXES, blockIndexKey, localKey } from './names.ts';
import { PlaceParts, readPlaceList, writePlaceParts } from './place-parts.ts';

const LIST = localKey('places');
const code = (name: string) => expect.objectContaining({ code: name }) as Error;
const pause = async () => undefined;

function blockWith(n: number, bytes = 240): Block {
  const content = new Uint8Array(bytes);
  new DataView(content.buffer).setUint32(0, n);
  return blockOf(content, RAW);
}
const blocksFrom = (from: number, count: number, bytes?: number) =>
  Array.from({ length: count }, (_, n) => blockWith(from + n, bytes));

const packed = (blocks: readonly Block[]): Archive => packBlocks((blocks[0] as Block).cid, blocks);
const archivesOver = (store: ByteStore, partBytes = OPENING_LIMITS.partBytes) =>
  new Archives(store, { keys: () => NO_KEYS }, undefined, { ...OPENING_LIMITS, partBytes });

async function add(store: ByteStore, archive: Archive): Promise<void> {
  const writer = archivesOver(store);
  await store.write(await writer.changesFor([archive]));
}

/** The blocks of four archives, which are more than a megabyte. */
const GROUPS = [0, 1, 2, 3].map((n) => blocksFrom(n * 1300, 1300));
const BLOCKS = GROUPS.flat();
const ARCHIVES = GROUPS.map(packed);

/** Stores four archives and the parts with the places of their blocks. */
async function stored() {
  const values = new Map<string, Uint8Array>();
  const store = memoryStore(values);
  for (const archive of ARCHIVES) await add(store, archive);
  const archives = archivesOver(store);
  await archives.refresh();
  await archives.saveParts(pause);
  return { values, store, parts: [...values.keys()].filter((key) => key.startsWith(`${LIST}/`)) };
}

/** Opens the archives over a store, and lists the indexes and parts that are read. */
async function opened(store: ByteStore) {
  const read: string[] = [];
  const archives = archivesOver({
    ...store,
    read: (key) => {
      if (key.startsWith(BLOCK_INDEXES) || key.startsWith(LIST)) read.push(key);
      return store.read(key);
    },
  });
  await archives.refresh();
  return { archives, read };
}

/** Reads every 37th block, one at a time. */
async function readSome(archives: Archives, blocks: readonly Block[] = BLOCKS): Promise<void> {
  for (let at = 0; at < blocks.length; at += 37) {
    const { cid, bytes } = blocks[at] as Block;
    expect(await archives.readBlock(cid)).toEqual(bytes);
  }
}

const isIndex = (key: string): boolean => key.startsWith(BLOCK_INDEXES);

describe('parts with the places of blocks', () => {
  test('finds each block in the archives that exist, and nothing else', async () => {
    const cids = fc.uniqueArray(fc.nat(1000), { maxLength: 40 });
    const property = fc.asyncProperty(
      fc.array(cids, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 20, max: 400 }),
      fc.nat(3),
      async (groups, partBytes, absent) => {
        const store = memoryStore(new Map());
        const archives = groups
          .filter(({ length }) => length > 0)
          .map((ids) => packed(ids.map((n) => blockWith(n, 8))));
        for (const archive of archives) await add(store, archive);
        const indexes = await store.readPrefix(BLOCK_INDEXES);
        const all = new Map(archives.map(({ cid }) => [cid, indexes.get(blockIndexKey(cid)) as Uint8Array]));
        const list = await writePlaceParts(store, all, pause, partBytes);
        if (list === undefined) return;
        expect(await readPlaceList(store)).toEqual(list);
        const existing = new Set([...all.keys()].filter((_, at) => at !== absent));
        const parts = new PlaceParts(store, list);
        for (let n = 0; n <= 1000; n += 7) {
          const { cid } = blockWith(n, 8);
          const places = archives.flatMap(({ cid: archive, blocks }) =>
            existing.has(archive)
              ? blocks.flatMap((one) => (one.cid === cid ? [{ archive, ...one }] : []))
              : [],
          );
          const found = await parts.find(cid, existing);
          if (places.length === 0) expect(found).toBeUndefined();
          else expect(places).toContainEqual({ cid, ...found });
        }
      },
    );
    await fc.assert(property, { numRuns: generated(40) });
  });
});

/** Returns the indexes of archives with these blocks. */
const indexesOf = (groups: readonly (readonly number[])[]) =>
  new Map(
    groups.map((ids) => {
      const { cid, blocks, bytes } = packed(ids.map((n) => blockWith(n, 8)));
      return [cid, encodeBlockIndex(blocks, bytes)] as const;
    }),
  );

describe('parts that tabs store at the same time', () => {
  test('stores parts of the same archives once, under the same name', async () => {
    const indexes = [...indexesOf([[1, 2, 3], [4, 5], [6]])];
    const inner = memoryStore();
    let written = 0;
    const write: ByteStore['write'] = (...rows) => inner.write(...rows).finally(() => written++);
    const store = { ...inner, write };
    const [list, again] = [
      await writePlaceParts(store, new Map(indexes), pause, 20),
      await writePlaceParts(store, new Map(indexes.reverse()), pause, 20),
    ];
    expect([list?.parts, again]).toEqual([4, list]);
    expect(written).toBe(1);
  });

  test.each([
    ['the same archives in another order', (indexes: ReadonlyMap<Cid, Uint8Array>) => [...indexes].reverse()],
    ['fewer archives', (indexes: ReadonlyMap<Cid, Uint8Array>) => [...indexes].slice(1)],
  ])('[R9] stores a list with all of its parts, and no others, when one tab knows %s', async (_, change) => {
    const ids = Array.from({ length: 400 }, (_unused, n) => n);
    const all = indexesOf([ids.slice(0, 100), ids.slice(100, 200), ids.slice(200)]);
    const property = fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.boolean(), async (order, isDamaged) => {
      const values = new Map<string, Uint8Array>();
      if (isDamaged) values.set(LIST, new Uint8Array(3));
      const { store, run } = gate((count) => (order.next().value as number) % Math.max(count, 1));
      await run(
        [all, new Map(change(all))].map((indexes) => writePlaceParts(store(values), indexes, pause, 150)),
      );
      const list = await readPlaceList(memoryStore(values));
      const parts = Array.from({ length: list?.parts ?? 0 }, (_unused, n) => `${LIST}/${list?.name}-${n}`);
      expect(parts.length).toBeGreaterThan(16);
      expect([...values.keys()].sort()).toEqual([LIST, ...parts].sort());
    });
    await fc.assert(property, { numRuns: generated(100) });
  });
});

describe('archives whose indexes are not read', long, () => {
  test('[R11] opens and reads single blocks without reading an index', async () => {
    const { store, parts } = await stored();
    expect(parts.length).toBeGreaterThan(0);
    const { archives, read } = await opened(store);
    expect(read).toEqual([LIST]);
    const list = [...archives.list].map(([cid, { bytes }]) => [cid, bytes]).toSorted();
    expect(list).toEqual(ARCHIVES.map(({ cid, bytes }) => [cid, bytes.length]).toSorted());
    await readSome(archives);
    expect(read.filter(isIndex)).toEqual([]);
    expect(read.length).toBeLessThanOrEqual(1 + parts.length);
  });

  test('[R8] refuses to say where blocks are until all indexes are read', async () => {
    const { store } = await stored();
    const { archives, read } = await opened(store);
    const [{ cid }] = BLOCKS as [Block];
    const [archive] = ARCHIVES as [Archive];
    expect(() => archives.placeOf(cid)).toThrow('not read');
    expect(() => archives.contentOf(archive.cid)).toThrow('not read');
    expect(() => archives.bytesOf(archive.cid, () => true)).toThrow('not read');
    await Promise.all([archives.readIndexes(), archives.readIndexes()]);
    expect(read.filter(isIndex)).toHaveLength(ARCHIVES.length);
    expect(archives.placeOf(cid)?.archive).toBe(archive.cid);
    expect(archives.contentOf(archive.cid)).toHaveLength(1300);
    await readSome(archives);
  });

  test('reads all indexes for long reads, for all blocks of an archive, and for unknown blocks', async () => {
    const { store } = await stored();
    for (const use of [
      (archives: Archives) => archives.readBlocks(BLOCKS.slice(0, 300).map(({ cid }) => cid)),
      (archives: Archives) => archives.blocksOf(ARCHIVES[1]?.cid as Cid),
      (archives: Archives) => archives.sectionsOf(ARCHIVES[1]?.cid as Cid),
      (archives: Archives) => archives.firstBlockOf(ARCHIVES[1]?.cid as Cid),
      (archives: Archives) =>
        expect(archives.readBlock(blockWith(9999).cid)).rejects.toThrow(code('MISSING_BLOCK')),
    ]) {
      const { archives, read } = await opened(store);
      await use(archives);
      expect(read.filter(isIndex)).toHaveLength(ARCHIVES.length);
    }
  });

  test('[R4] reads every block when parts are missing, damaged or exchanged', async () => {
    const { values, parts } = await stored();
    const [part] = parts as [string];
    const bytes = values.get(part) as Uint8Array;
    const flipped = (from: number) => bytes.map((byte, at) => (at % 15 === from ? byte ^ 0x55 : byte));
    const damages = [undefined, new Uint8Array(), bytes.slice(7), bytes.toReversed()];
    // A row has its key first, then the number of the archive, the offset and the length.
    for (let at = 0; at < 15; at++) damages.push(flipped(at));
    for (const damaged of damages) {
      const copy = new Map(values);
      if (damaged === undefined) copy.delete(part);
      else copy.set(part, damaged);
      await readSome((await opened(memoryStore(copy))).archives);
    }
  });

  test('[R4] stores parts again after a damaged one was noticed, but not after another tab did so', async () => {
    const { values, store, parts } = await stored();
    const [part] = parts as [string];
    const whole = values.get(part) as Uint8Array;
    for (const damaged of [undefined, whole.slice(0, 15), whole.map((byte) => byte ^ 1)]) {
      if (damaged === undefined) values.delete(part);
      else values.set(part, damaged);
      const [first, second] = [await opened(store), await opened(store)];
      let noticed = 0;
      for (const { archives } of [first, second]) {
        expect(archives.lacksParts).toBe(false);
        archives.onDamagedParts(() => noticed++);
      }
      await readSome(first.archives);
      expect([noticed, first.archives.lacksParts]).toEqual([1, true]);
      await first.archives.saveParts(pause);
      expect(first.archives.lacksParts).toBe(false);
      expect(values.get(part)).toEqual(whole);
      await readSome(second.archives);
      const third = await opened(store);
      await readSome(third.archives);
      expect(third.read.filter(isIndex)).toEqual([]);
    }
    const reader = await opened(store);
    await add(store, packed(blocksFrom(50_000, 8000)));
    const writer = await opened(store);
    await writer.archives.saveParts(pause);
    expect(values.has(part)).toBe(false);
    await readSome(reader.archives);
    expect(reader.archives.lacksParts).toBe(false);
  });

  test('[R4] reads all indexes when the list of parts is missing, damaged or of a later version', async () => {
    const { values } = await stored();
    const list = values.get(LIST) as Uint8Array;
    for (const damaged of [
      new Uint8Array(),
      list.slice(0, -1),
      list.map((byte, at) => (at === 60 ? byte ^ 1 : byte)),
    ]) {
      const copy = new Map(values).set(LIST, damaged);
      const { archives, read } = await opened(memoryStore(copy));
      await readSome(archives);
      expect(archives.placeOf((BLOCKS[0] as Block).cid)).toBeDefined();
      expect(read).toEqual([LIST]);
    }
  });

  test('[R4] reports a damaged index when it is needed, and until then reads blocks', async () => {
    const { values } = await stored();
    values.set(blockIndexKey(ARCHIVES[2]?.cid as Cid), new Uint8Array(45));
    const { archives } = await opened(memoryStore(values));
    await readSome(archives);
    await expect(archives.readIndexes()).rejects.toThrow(code('CORRUPT'));
    expect(() => archives.placeOf((BLOCKS[0] as Block).cid)).toThrow('not read');
  });

  test('[R9] follows another writer that replaces archives, before and while they are read', async () => {
    const { values, store } = await stored();
    const merged = packed(BLOCKS.slice(0, 2600));
    const replace = async () => {
      await add(store, merged);
      for (const { cid } of ARCHIVES.slice(0, 2))
        await store.write([
          { key: `car/${cid}`, bytes: undefined },
          { key: blockIndexKey(cid), bytes: undefined },
        ]);
    };
    const before = await opened(memoryStore(new Map(values)));
    const [single, all] = [await opened(store), await opened(store)];
    await replace();
    await readSome(single.archives);
    await all.archives.readIndexes();
    expect(all.archives.has(merged.cid)).toBe(true);
    await readSome(all.archives);
    await readSome((await opened(store)).archives);
    await readSome(before.archives);
  });

  test('[R9] lists archives again if another writer merges one while they are listed', async () => {
    const { store } = await stored();
    const small = packed(blocksFrom(90_000, 100));
    const bigger = packed(blocksFrom(90_000, 200));
    await add(store, small);
    let isMerged = false;
    const archives = archivesOver({
      ...store,
      read: async (key) => {
        if (key === blockIndexKey(small.cid) && !isMerged) {
          isMerged = true;
          await add(store, bigger);
          await store.write([{ key, bytes: undefined }]);
        }
        return store.read(key);
      },
    });
    await archives.refresh();
    expect([archives.has(small.cid), archives.has(bigger.cid)]).toEqual([false, true]);
    await readSome(archives, [...BLOCKS, ...blocksFrom(90_000, 200)]);
  });

  test('[R1] reads every block after a crash at any write of the parts', async () => {
    const { values, parts } = await stored();
    const more = blocksFrom(50_000, 8000);
    await add(memoryStore(values), packed(more));
    for (let writes = 0; ; writes++) {
      const copy = new Map(values);
      const inner = memoryStore(copy);
      let left = writes;
      const failing: ByteStore = {
        ...inner,
        write: async (...given) => {
          if (left-- === 0) throw new FixpointError('STORE_FULL');
          return inner.write(...given);
        },
      };
      const archives = archivesOver(failing, 5000);
      await archives.refresh();
      const isSaved = await archives.saveParts(pause).then(
        () => true,
        () => false,
      );
      const { archives: next, read } = await opened(inner);
      await readSome(next, [...BLOCKS, ...more]);
      if (!isSaved) continue;
      expect(writes).toBeGreaterThan(1);
      expect(read.filter(isIndex)).toEqual([]);
      expect([...copy.keys()].filter((key) => parts.includes(key))).toEqual([]);
      break;
    }
  });

  test('writes parts again only when they lack a third, and not above a size', async () => {
    const { values, store } = await stored();
    const list = () => values.get(LIST);
    const first = list();
    const { archives } = await opened(store);
    await archives.saveParts(pause);
    await add(store, packed(blocksFrom(50_000, 1000)));
    await archives.refresh();
    await archives.saveParts(pause);
    expect(list()).toBe(first);
    expect(() => archives.placeOf((BLOCKS[0] as Block).cid)).toThrow('not read');
    await add(store, packed(blocksFrom(60_000, 4000)));
    await archives.refresh();
    await archives.saveParts(pause, 2_000_000);
    expect(list()).toBe(first);
    await archives.saveParts(pause, 3_000_000);
    expect(list()).not.toBe(first);
  });
});
