/**
 * Writers that never stop rarely yield to the event loop, and each read waits until a writer
 * yields. Compaction must still finish.
 */
import { describe, expect, test } from 'vitest';
import { packBlocks } from '../src/archive/pack.ts';
import { blockOf } from '../src/codec/block.ts';
import { RAW } from '../src/codec/cid.ts';
import { rewrite } from '../src/commit/compaction/rewrite-archives.ts';
import { NO_KEYS } from '../src/crypto/keys.ts';
import { insideOf } from '../src/database/inside.ts';
import { openDatabase } from '../src/database/open.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import type { Platform } from '../src/ports/platform.ts';
import { Archives } from '../src/store/archives.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

/** Simulated time per write. Sixteen writes fit in a slice of 4 ms. */
const WRITE_MS = 0.25;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Returns a store that writes immediately, and answers reads in a later turn of the event loop. */
function storeOf(values: Map<string, Uint8Array>, onWrite: () => void): ByteStore {
  const inner = memoryStore(values);
  return {
    ...inner,
    read: (key) => turn().then(() => inner.read(key)),
    readPrefix: (prefix) => turn().then(() => inner.readPrefix(prefix)),
    keys: (prefix) => turn().then(() => inner.keys(prefix)),
    write: (...args) => {
      onWrite();
      return inner.write(...args);
    },
  };
}

describe('[R8][R11] compaction while a writer never stops', () => {
  test('finishes, and merges archives as fast as they are written', async () => {
    let now = 0;
    const { platform } = memoryPlatform();
    const values = new Map<string, Uint8Array>();
    const slow: Platform = {
      ...platform,
      openStore: async () =>
        storeOf(values, () => {
          now += WRITE_MS;
        }),
      time: { now: () => now, after: () => () => undefined, turn },
    };
    const database = openDatabase('busy', slow, { encrypted: false, archivesKept: 2 });
    const { commits } = (await insideOf(database)?.open()) ?? {};
    let most = 0;
    let written = 0;
    const put = async () => {
      await database.put({ _id: `doc-${written++ % 3000}`, written });
      most = Math.max(most, commits?.archiveIds().length ?? Number.POSITIVE_INFINITY);
    };
    while (written < 3000) await put();
    let isOver = false;
    const compacting = database.compact().finally(() => {
      isOver = true;
    });
    while (!isOver && written < 20_000) await put();
    await compacting;
    expect(written).toBeLessThan(3300);
    while (written < 22_000) await put();
    expect(most).toBeLessThan(600);
    expect(commits?.archiveIds().length).toBeLessThan(600);
    await database.destroy();
  });

  test('reads small archives together, in a few turns of the event loop', async () => {
    const values = new Map<string, Uint8Array>();
    const store = storeOf(values, () => undefined);
    const archives = new Archives(store, { keys: () => NO_KEYS }, 2);
    const all = Array.from({ length: 300 }, (_, n) => {
      const block = blockOf(new Uint8Array(1000).fill(n).fill(n >> 8, 0, 1), RAW);
      return packBlocks(block.cid, [block]);
    });
    await store.write(await archives.changesFor(all));
    archives.added(all, false);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const sources = all.map(({ cid }) => cid);
    const { made } = await rewrite(archives, store, [{ sources, pending: false }], []);
    isOver = true;
    expect(made.flatMap((one) => one.sources)).toEqual(sources);
    expect(turns).toBeLessThan(20);
  });
});
