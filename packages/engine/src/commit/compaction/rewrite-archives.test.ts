import { FixpointError, LIMITS } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { isHeader, packArchive, readArchiveHeader } from '../../archive/pack.ts';
import { utf8 } from '../../base/bytes.ts';
import { sortHead } from '../../clock/event.ts';
import { type Block, blockOf } from '../../codec/block.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { CidSet } from '../../codec/cid-set.ts';
import { Archives } from '../../store/archives.ts';
import { archiveKey, blockIndexKey } from '../../store/names.ts';
import { code, copyOf, full, keys, watchedStore } from '../head.fixture.ts';
import { rewrite } from './rewrite-archives.ts';

const head = sortHead([cidOf(RAW, utf8('an event'))]);
const block = (text: string, length = text.length) => blockOf(utf8(text.padEnd(length, '.')), RAW);
/** New archives of this size or more are stored before the step that lists them. */
const BIG = LIMITS.archiveBytesThreshold / 16;

/** Stores one archive for each list of blocks, and opens the archives as another process does. */
async function stored(...contents: (readonly Block[])[]) {
  const watched = watchedStore();
  const writer = new Archives(watched.store, keys);
  const packed = await Promise.all(
    contents.map((blocks) => packArchive({ cars: [], compact: [], head: [] }, blocks)),
  );
  await watched.store.write(await writer.changesFor(packed));
  watched.writes.length = 0;
  const archives = new Archives(watched.store, keys);
  await archives.refresh();
  const sources = packed.map(({ cid }) => cid);
  return { ...watched, archives, sources };
}
/** Returns the blocks of the new archives, whether or not the archives are already stored. */
function contentOf(
  { values }: Awaited<ReturnType<typeof stored>>,
  { made, rest }: Awaited<ReturnType<typeof rewrite>>,
) {
  const archives = new Archives(watchedStore(values).store, keys);
  for (const { key, bytes } of rest) values.set(key, bytes as Uint8Array);
  for (const { cid, index } of made) archives.learn(cid, index);
  return Promise.all(made.map(({ cid }) => archives.blocksOf(cid)));
}
const withoutHeader = (blocks: readonly Block[]) =>
  blocks.filter(({ bytes }) => !isHeader(bytes)).map(({ cid }) => cid);

describe('rewriting archives', () => {
  test('copies the blocks in the order of their sources, under one new header', async () => {
    const [a, b, c] = [block('a'), block('b'), block('c')];
    const world = await stored([c, a], [b]);
    const rewritten = await rewrite(
      world.archives,
      world.store,
      [{ sources: world.sources, pending: false }],
      head,
    );
    const [content = []] = await contentOf(world, rewritten);
    expect(content.filter(({ bytes }) => isHeader(bytes))).toHaveLength(1);
    expect(withoutHeader(content)).toEqual([c.cid, a.cid, b.cid]);
  });

  test('lists the replaced archives and the head in the header', async () => {
    const world = await stored([block('a')], [block('b')]);
    const { made, rest } = await rewrite(
      world.archives,
      world.store,
      [{ sources: world.sources, pending: true }],
      head,
    );
    expect(made).toHaveLength(1);
    expect(readArchiveHeader(rest[0]?.bytes as Uint8Array)).toEqual({
      cars: [],
      compact: [world.sources],
      head: [...head],
    });
  });

  test('[R8] creates the same archive in every process', async () => {
    const [here, there] = await Promise.all([
      stored([block('a'), block('b')], [block('c')]),
      stored([block('a'), block('b')], [block('c')]),
    ]);
    const [one, other] = await Promise.all(
      [here, there].map(({ archives, store, sources }) =>
        rewrite(archives, store, [{ sources, pending: false }], head),
      ),
    );
    expect(one).toEqual(other);
  });

  test('does not list a source that contributed no block', async () => {
    const [a, b] = [block('a'), block('b')];
    const world = await stored([a, b], [b], [block('c')]);
    const { made } = await rewrite(
      world.archives,
      world.store,
      [{ sources: world.sources, pending: false }],
      head,
    );
    expect(made[0]?.sources).toEqual([world.sources[0], world.sources[2]]);
  });

  test('keeps groups separate, so that pending archives do not mix with sent ones', async () => {
    const [a, both] = [block('a'), block('both')];
    const world = await stored([a, both], [both]);
    const [first, second] = world.sources as [Cid, Cid];
    const groups = [
      { sources: [first], pending: true },
      { sources: [second], pending: false },
    ];
    const rewritten = await rewrite(world.archives, world.store, groups, head);
    expect(rewritten.made.map(({ pending, sources }) => [pending, sources])).toEqual([
      [true, [first]],
      [false, [second]],
    ]);
    expect((await contentOf(world, rewritten)).map(withoutHeader)).toEqual([[a.cid, both.cid], [both.cid]]);
  });

  test('copies only the chosen blocks', async () => {
    const [live, dead] = [block('live'), block('dead')];
    const world = await stored([dead, live], [block('dead, too')]);
    const kept = CidSet.of([live.cid]);
    const groups = [{ sources: world.sources, pending: false }];
    const rewritten = await rewrite(world.archives, world.store, groups, head, kept);
    expect((await contentOf(world, rewritten)).map(withoutHeader)).toEqual([[live.cid]]);
    expect(rewritten.made[0]?.sources).toEqual(world.sources.slice(0, 1));
  });

  test('copies each of many blocks once, although two sources contain it', async () => {
    const blocks = Array.from({ length: 3000 }, (_, n) => block(`block ${n}`));
    const world = await stored(blocks.slice(0, 2500), blocks.slice(500));
    const rewritten = await rewrite(
      world.archives,
      world.store,
      [{ sources: world.sources, pending: false }],
      head,
    );
    const contents = await contentOf(world, rewritten);
    expect(contents.flatMap(withoutHeader)).toEqual(blocks.map(({ cid }) => cid));
  });

  test('does nothing without groups', async () => {
    const { archives, store, writes } = await stored([block('a')]);
    expect(await rewrite(archives, store, [], head)).toEqual({ made: [], rest: [] });
    expect(writes).toEqual([]);
  });
});

describe('new archives before the step that lists them', () => {
  test('does not store small archives, because that step stores them', async () => {
    const { archives, store, sources, writes } = await stored([block('a', BIG / 4)], [block('b', BIG / 4)]);
    const groups = sources.map((cid) => ({ sources: [cid], pending: false }));
    const { made, rest } = await rewrite(archives, store, groups, head);
    expect([writes, rest.map(({ key }) => key)]).toEqual([[], made.map(({ cid }) => archiveKey(cid))]);
  });

  test('stores big archives before that step, without listing them', async () => {
    const contents = ['a', 'b', 'c'].map((text) => [block(text, text === 'c' ? 10 : BIG * 0.6)]);
    const { archives, store, sources, writes, values } = await stored(...contents);
    const groups = sources.map((cid) => ({ sources: [cid], pending: false }));
    const { made, rest } = await rewrite(archives, store, groups, head);
    const names = made.map(({ cid }) => archiveKey(cid));
    expect(writes.map(({ keys: written }) => written)).toEqual([names.slice(0, 2)]);
    expect(rest.map(({ key }) => key)).toEqual(names.slice(2));
    for (const { cid } of made) expect(values.has(blockIndexKey(cid))).toBe(false);
  });

  test('[R3] keeps the old archives when the disk is full', async () => {
    const { archives, store, sources, values, failOnce } = await stored([block('a', BIG * 2)]);
    const before = copyOf(values);
    failOnce('write', full);
    const groups = [{ sources, pending: false }];
    await expect(rewrite(archives, store, groups, head)).rejects.toThrow(code('STORE_FULL'));
    expect(values).toEqual(before);
  });
});

describe('sources that cannot be read', () => {
  test('[R4] stops when another tab removed a source', async () => {
    const { archives, store, sources, values, writes } = await stored([block('a')], [block('b')]);
    values.delete(archiveKey(sources[1] as Cid));
    const groups = [{ sources, pending: false }];
    await expect(rewrite(archives, store, groups, head)).rejects.toThrow(code('MISSING_CARS'));
    expect(writes).toEqual([]);
  });

  test('[R4] stops when a source is damaged', async () => {
    const { archives, store, sources, values, writes } = await stored([block('a')], [block('b')]);
    values.set(archiveKey(sources[0] as Cid), utf8('damaged'));
    const groups = [{ sources, pending: false }];
    await expect(rewrite(archives, store, groups, head)).rejects.toThrow(code('CORRUPT'));
    expect(writes).toEqual([]);
  });

  test('[R3] stops when a read fails; the next try succeeds', async () => {
    const { archives, store, sources, failOnce } = await stored([block('a')], [block('b')]);
    failOnce('read', new FixpointError('STORE_FAILED', 'EIO'));
    const groups = [{ sources, pending: false }];
    await expect(rewrite(archives, store, groups, head)).rejects.toThrow(code('STORE_FAILED'));
    expect((await rewrite(archives, store, groups, head)).made).toHaveLength(1);
  });
});

describe('reading sources', () => {
  /** Returns the largest number of archives that are read at the same time. */
  async function readTogether(...contents: (readonly Block[])[]) {
    const { archives, store, sources, hooks } = await stored(...contents);
    let [reading, most] = [0, 0];
    hooks.read = async () => {
      reading += 1;
      most = Math.max(most, reading);
      await new Promise<void>((resolve) => setImmediate(resolve));
      reading -= 1;
    };
    await rewrite(archives, store, [{ sources, pending: false }], head);
    return most;
  }

  test('[R11] reads small archives together, and big ones one by one', async () => {
    const small = ['a', 'b', 'c', 'd'].map((text) => [block(text, 100)]);
    expect(await readTogether(...small)).toBe(4);
    const big = ['a', 'b', 'c'].map((text) => [block(text, LIMITS.archiveBytesThreshold * 0.6)]);
    expect(await readTogether(...big)).toBe(1);
  });

  test('[R11] reads at most the size of one big archive at the same time', async () => {
    const third = ['a', 'b', 'c', 'd', 'e'].map((text) => [block(text, LIMITS.archiveBytesThreshold * 0.4)]);
    expect(await readTogether(...third)).toBe(2);
  });

  test('reads and stores nothing more once the database is closed', async () => {
    const { archives, store, sources, writes } = await stored([block('a', BIG)], [block('b', BIG)]);
    const groups = sources.map((source) => ({ sources: [source], pending: false }));
    let looks = 0;
    const requireOpen = async () => {
      if (++looks > 2) throw new FixpointError('DATABASE_CLOSED');
    };
    await expect(rewrite(archives, store, groups, head, undefined, requireOpen)).rejects.toThrow(
      code('DATABASE_CLOSED'),
    );
    expect(writes).toHaveLength(1);
  });
});
