/**
 * Tests the commit layer with tabs that write, merge, hint and compact at the same time, with
 * failing stores, and with data of earlier versions.
 */
import './lazy-commit-chunk.ts';
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { readCar } from '../archive/car.ts';
import { packFiles } from '../archive/file-archive.ts';
import type { Archive } from '../archive/pack.ts';
import { sortHead } from '../clock/event.ts';
import { blockOf } from '../codec/block.ts';
import { type Cid, RAW } from '../codec/cid.ts';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import { NO_KEYS } from '../crypto/keys.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument, TOMBSTONE } from '../documents/encode.ts';
import { memoryStore } from '../platform/memory-store.ts';
import type { ByteStore, Guard } from '../ports/byte-store.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { simulatedTime } from '../testing/simulated-time.ts';
import { getLink } from '../trie/get.ts';
import type { OperationFiles } from './attached-files.ts';
import type { Commits } from './commits-interface.ts';
import type { Retention } from './compaction/live-blocks.ts';
import { openCommits } from './open-commits.ts';
import { encodePending, pendingKey } from './pending/pending-rows.ts';

const ALL: Retention = { commits: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
/** With this retention, compaction keeps only the past data that it must keep. */
const NEWEST: Retention = { commits: 1, bytes: 0 };

const code = (name: string) => expect.objectContaining({ code: name }) as Error;
const operation = (id: string, n: number, files?: OperationFiles) => {
  const key = parseDocKey(id);
  return { key, value: encodeDocument({ _id: id, n }, key), ...(files && { files }) };
};
const settled = async () => {
  for (let turn = 0; turn < 300; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** Creates a database that several tabs can open. The test delivers the hints between tabs. */
function shared() {
  const values = new Map<string, Uint8Array>();
  const reports: unknown[] = [];
  const time = simulatedTime();
  const all = new Set<() => void>();
  async function tab({
    retention = ALL,
    over = (store: ByteStore) => store,
    commitEachWrite = true,
    stamps = false,
  } = {}) {
    const hints = new Set<() => void>();
    const commits = await openCommits({
      newWriter: () => 'test',
      commitEachWrite,
      newDevice: stamps ? seededRandom(1).bytes : undefined,
      store: over(memoryStore(values)),
      keys: { keys: () => NO_KEYS },
      ledgerKeys: {} as DatabaseKeys,
      channel: {
        post: () => undefined,
        onHint: (fn) => {
          hints.add(fn);
          all.add(fn);
          return () => void (hints.delete(fn) && all.delete(fn));
        },
        close: () => undefined,
      },
      time,
      report: (error) => void reports.push(error),
      retention,
      load: () => import('./lazy-commit-chunk.ts'),
    });
    const hint = () => {
      for (const fn of hints) fn();
    };
    return { commits, hint };
  }
  const under = (prefix: string) => [...values.keys()].filter((key) => key.startsWith(prefix));
  /** Sends a hint to all tabs, also to those that are still opening. */
  const hintAll = () => [...all].map((fn) => fn());
  return { values, reports, time, tab, under, hintAll };
}

/** Returns for each id whether the database has that document. */
async function has({ snapshot, readers }: Commits, ...ids: string[]): Promise<boolean[]> {
  const { root } = snapshot();
  return Promise.all(
    ids.map(async (id) => {
      const value = root === undefined ? undefined : await getLink(readers.shard, root, id);
      return value !== undefined && (await readers.block(value)).length > 0;
    }),
  );
}

/** Returns the archives of a database, as a remote sends them. */
const archivesOf = (from: Commits): Promise<Archive[]> =>
  Promise.all(
    from.archiveIds().map(async (cid) => {
      const bytes = await from.plainArchive(cid);
      return { cid, bytes, blocks: readCar(bytes).blocks };
    }),
  );

async function versions(commits: Commits, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await commits.write([operation('a', n)]);
}

describe('a full disk', () => {
  /** Opens a tab on a disk that takes only the kinds of writes that a test names. */
  async function fullDisk(options: { commitEachWrite?: boolean; stamps?: boolean }) {
    const { tab, under, reports } = shared();
    const takes = { all: true, kinds: [] as Guard['frees'][] };
    const over = (store: ByteStore): ByteStore => ({
      ...store,
      write: async (changes, guard) => {
        if (!takes.all && !takes.kinds.includes(guard?.frees)) throw new FixpointError('STORE_FULL');
        return store.write(changes, guard);
      },
    });
    const { commits: before } = await tab();
    await before.write([operation('old', 1)]);
    const { commits } = await tab({ over, ...options });
    return { commits, under, reports, takes };
  }
  const deletion = { key: parseDocKey('old'), value: TOMBSTONE };
  const isDeleted = async ({ snapshot, readers }: Commits) =>
    (await getLink(readers.shard, snapshot().root as Cid, 'old')) === TOMBSTONE.cid;

  test('[R10] lets a deletion also commit pending writes that do not fit into their reserve', async () => {
    const { commits, under, takes } = await fullDisk({ commitEachWrite: false });
    await commits.write([operation('new', 1)]);
    takes.all = false;
    await expect(commits.settle()).rejects.toMatchObject({ code: 'STORE_FULL' });
    takes.kinds = ['later'];
    await commits.write([deletion]);
    expect([await has(commits, 'new'), await isDeleted(commits)]).toEqual([[true], true]);
    expect([under('pending/'), commits.isSettled()]).toEqual([[], true]);
  });

  test('[R10] lets the first write of a device be a deletion', async () => {
    const { commits, takes } = await fullDisk({ stamps: true });
    Object.assign(takes, { all: false, kinds: ['later'] });
    await commits.write([deletion]);
    expect(await isDeleted(commits)).toBe(true);
  });

  test('[R10] commits the first pending writes of a device with the space reserved for them', async () => {
    const { commits, takes } = await fullDisk({ commitEachWrite: false, stamps: true });
    await commits.write([operation('new', 1)]);
    Object.assign(takes, { all: false, kinds: ['pending'] });
    await commits.settle();
    expect(await has(commits, 'new')).toEqual([true]);
  });
});

test('[P2] commits the writes of a stopped process before preparing for sync', async () => {
  const { tab, values, under } = shared();
  const over = (store: ByteStore): ByteStore => ({
    ...store,
    writer: 0,
    isAlone: async () => false,
    ifAbandoned: async (_, work) => {
      await work();
      return true;
    },
  });
  const { commits } = await tab({ over });
  values.set(pendingKey('1', 0), encodePending([operation('left', 1)], sortHead([]), 1));
  await commits.prepareForSync();
  expect([await has(commits, 'left'), under('pending/')]).toEqual([[true], []]);
});

describe('a step that loses to another tab', () => {
  test.each([
    ['whose history is whole', ALL],
    ['whose past was dropped', NEWEST],
  ])('[P5] keeps the commit of another tab in the first attach of a database %s', async (_, retention) => {
    const { tab } = shared();
    const { commits: one } = await tab({ retention });
    await versions(one, 20);
    const oldest = one.snapshot().head[0] as Cid;
    await versions(one, 20);
    await one.compact();
    const { commits: opened } = await tab({ retention });
    const read = opened.readers.event(oldest).then(
      () => 'kept',
      (error: { code: string }) => error.code,
    );
    expect(await read).toBe(retention === NEWEST ? 'MISSING_BLOCK' : 'kept');
    const { commits: other } = await tab({ retention });
    await other.write([operation('of the other', 1)]);
    await one.prepareForSync();
    expect(await has(one, 'a', 'of the other')).toEqual([true, true]);
    // From now on, no compaction in any tab drops events.
    const first = one.snapshot().head[0] as Cid;
    await versions(one, 20);
    await one.compact();
    const { commits: later } = await tab({ retention });
    await later.compact();
    expect((await later.readers.event(first)).operations.length).toBeGreaterThan(0);
  });

  test("[P5] keeps the other tab's writes when merging from a remote", async () => {
    const [here, there] = [shared(), shared()];
    const { commits: remote } = await there.tab();
    await remote.write([operation('of the remote', 1)]);
    const { commits: one } = await here.tab();
    const { commits: other } = await here.tab();
    await other.write([operation('of the other', 1)]);
    await one.mergeRemote({
      head: remote.snapshot().head,
      archives: await archivesOf(remote),
      remember: [],
    });
    expect(await has(one, 'of the remote', 'of the other')).toEqual([true, true]);
    expect(await has((await here.tab()).commits, 'of the remote', 'of the other')).toEqual([true, true]);
  });

  test('[R8] postpones a compaction if all its plans become void, and loses nothing', async () => {
    const { tab, values } = shared();
    let plans = 0;
    const { commits } = await tab({
      retention: NEWEST,
      over: (store) => ({
        ...store,
        write: async (changes, guard) => {
          if (!changes.some(({ key }) => key.startsWith('idx/'))) return store.write(changes, guard);
          plans++;
          return false;
        },
      }),
    });
    await versions(commits, 20);
    const before = new Map(values);
    await commits.compact();
    expect([plans, commits.hasDropped(), values]).toEqual([5, false, before]);
  });
});

describe('writers with their own head records', () => {
  test('[R9] joins the heads with the next commit, which removes the merged records', async () => {
    const { tab, under } = shared();
    const writer = (number: number) => ({ over: (store: ByteStore) => ({ ...store, writer: number }) });
    const { commits: one } = await tab(writer(1));
    const { commits: two } = await tab(writer(2));
    await one.write([operation('a', 1)]);
    await two.write([operation('b', 1)]);
    expect(under('head')).toEqual(['head/1', 'head/2']);
    const { commits: three } = await tab(writer(3));
    expect(three.snapshot().head).toHaveLength(2);
    await three.write([operation('c', 1)]);
    expect(under('head')).toEqual(['head/3']);
    expect(await has((await tab(writer(4))).commits, 'a', 'b', 'c')).toEqual([true, true, true]);
  });
});

describe('archives that a remote sent before their head', () => {
  test('[R8] keeps the archives until their head arrives, and then unstages them', async () => {
    const [here, there] = [shared(), shared()];
    const { commits: remote } = await there.tab();
    for (let n = 0; n < 3; n++) await remote.write([operation('of the remote', n)]);
    const archives = await archivesOf(remote);
    const { commits } = await here.tab({ retention: NEWEST });
    await versions(commits, 3);
    await commits.mergeRemote({ head: [], archives, remember: [] });
    // The database already has the archive of the genesis.
    expect(here.under('staged/')).toHaveLength(archives.length - 1);
    await commits.compact();
    const settledNow = archives.map(({ cid }) => cid);
    await commits.mergeRemote({
      head: remote.snapshot().head,
      archives: [],
      remember: [],
      settled: [...settledNow, ...commits.archiveIds()],
    });
    expect(here.under('staged/')).toEqual([]);
    const { commits: again } = await here.tab();
    for (const cid of remote.snapshot().head) expect((await again.readers.event(cid)).root).toBeDefined();
    expect(again.snapshot().head).toHaveLength(2);
  });
});

describe('hints of other tabs', () => {
  /**
   * Creates a tab that counts its reads of the head records. Reads fail with `looks.failure` if
   * set.
   */
  async function looking() {
    const world = shared();
    const looks = { count: 0, failure: undefined as FixpointError | undefined };
    const { commits: writing } = await world.tab();
    await writing.write([operation('a', 1)]);
    const { commits, hint } = await world.tab({
      over: (store) => ({
        ...store,
        readPrefix: async (prefix) => {
          if (prefix !== 'head') return store.readPrefix(prefix);
          looks.count++;
          if (looks.failure !== undefined) throw looks.failure;
          return store.readPrefix(prefix);
        },
      }),
    });
    looks.count = 0;
    return { ...world, looks, writing, commits, hint };
  }

  test('[R12] reads the head once for all hints that arrive while a read waits, then announces the change', async () => {
    const { looks, writing, commits, hint } = await looking();
    const heard: (readonly string[])[] = [];
    commits.subscribe(({ ids, origin }) => heard.push([origin, ...ids]));
    await writing.write([operation('b', 1)]);
    for (let n = 0; n < 5; n++) hint();
    await settled();
    expect([looks.count, heard]).toEqual([1, [['elsewhere', 'b']]]);
    hint();
    await settled();
    expect([looks.count, heard.length]).toEqual([2, 1]);
  });

  test('[R9] makes a tab refresh its store if the store reads writes of other processes only on request', async () => {
    const { tab, values } = shared();
    const seen = new Map<string, Uint8Array>();
    const { commits, hint } = await tab({
      over: () => ({
        ...memoryStore(seen),
        refresh: async () => {
          for (const [key, bytes] of values) seen.set(key, bytes);
          return true;
        },
      }),
    });
    const { commits: other } = await tab();
    await other.write([operation('a', 1)]);
    hint();
    await settled();
    expect(commits.snapshot().head).toEqual(other.snapshot().head);
  });

  test('ignores hints in a tab that is closing or closed', async () => {
    const { looks, commits, hint, reports } = await looking();
    const closing = commits.close();
    hint();
    await closing;
    hint();
    await settled();
    expect([looks.count, reports]).toEqual([0, []]);
  });

  test('[R3] reports a failed read, and reads again after the next hint; does not report that the database was closed', async () => {
    const { looks, hint, reports } = await looking();
    looks.failure = new FixpointError('STORE_FAILED', 'EIO');
    hint();
    await settled();
    expect(reports).toEqual([looks.failure]);
    looks.failure = new FixpointError('DATABASE_CLOSED');
    hint();
    await settled();
    expect([looks.count, reports.length]).toEqual([2, 1]);
  });
});

describe('a hint while a tab opens', () => {
  /**
   * Returns a database with a document and a pending write of another tab. `over` sends a hint
   * while a tab reads the head for the first time, and waits until the tab has acted on it.
   */
  async function hintedWhileOpening() {
    const world = shared();
    const { commits } = await world.tab();
    await commits.write([operation('old', 1)]);
    const { head } = commits.snapshot();
    world.values.set(pendingKey('other', 0), encodePending([operation('new', 1)], head, 0));
    let isFirst = true;
    const over = (store: ByteStore): ByteStore => ({
      ...store,
      readPrefix: async (prefix) => {
        if (prefix === 'head' && isFirst) {
          isFirst = false;
          world.hintAll();
          await settled();
        }
        return store.readPrefix(prefix);
      },
      // The id of the device is read while a commit is made.
      read: async (key) => {
        await settled();
        return store.read(key);
      },
    });
    return { ...world, over };
  }

  test('[R2] [R9] commits pending writes of another tab on top of the stored head', async () => {
    const { tab, over, under } = await hintedWhileOpening();
    const { commits } = await tab({ over, commitEachWrite: false, stamps: true });
    await settled();
    expect(await has(commits, 'old', 'new')).toEqual([true, true]);
    expect(under('pending/')).toEqual([]);
  });

  test('[R2] has no effect if opening fails', async () => {
    const { tab, over, values, hintAll } = await hintedWhileOpening();
    const head = values.get('head') as Uint8Array;
    values.set('head', Uint8Array.of(1));
    const before = new Map(values);
    await expect(tab({ over, commitEachWrite: false, stamps: true })).rejects.toThrow(code('CORRUPT'));
    values.set('head', head);
    hintAll();
    await settled();
    expect([...values.keys()]).toEqual([...before.keys()]);
  });
});

describe('a read of the head while another tab moves the head and compacts', () => {
  /** Creates a database whose past was dropped. `behind` makes a store return an earlier head. */
  async function moved() {
    const world = shared();
    const { commits } = await world.tab({ retention: NEWEST });
    await versions(commits, 3);
    const stale = world.values.get('head') as Uint8Array;
    await versions(commits, 20);
    await commits.compact();
    expect(commits.hasDropped()).toBe(true);
    /** Makes a store return the earlier head a given number of times. */
    const behind =
      (times: number) =>
      (store: ByteStore): ByteStore => ({
        ...store,
        readPrefix: async (prefix) => {
          const found = await store.readPrefix(prefix);
          return prefix === 'head' && times-- > 0 ? new Map([['head', stale]]) : found;
        },
      });
    return { ...world, commits, behind };
  }

  test('[R8] restarts', async () => {
    const { commits, tab, behind } = await moved();
    const { commits: opened } = await tab({ over: behind(1) });
    expect(opened.snapshot()).toEqual(commits.snapshot());
  });

  test('[R4] reports damage if nobody moved the head', async () => {
    const { tab, behind } = await moved();
    await expect(tab({ over: behind(Number.POSITIVE_INFINITY) })).rejects.toThrow(code('MISSING_BLOCK'));
  });
});

describe('compaction of damaged databases', () => {
  test('[R4] drops nothing when an archive is missing, and reports the damage', async () => {
    const { tab, values, under } = shared();
    const { commits } = await tab({ retention: NEWEST });
    await versions(commits, 20);
    const [beforeLast = ''] = under('commit/').slice(-2);
    values.delete(beforeLast);
    const before = new Map(values);
    // The reopened database has nothing in memory.
    const { commits: opened } = await tab({ retention: NEWEST });
    await expect(opened.compact()).rejects.toThrow(code('MISSING_BLOCK'));
    expect(values).toEqual(before);
  });

  test('waits with a compaction while data is uploaded', async () => {
    const { tab, time } = shared();
    const { commits } = await tab({ retention: NEWEST });
    const text = 'a long text '.repeat(100_000);
    const write = (id: string, n: number) => {
      const key = parseDocKey(id);
      return commits.write([{ key, value: encodeDocument({ _id: id, n, text }, key) }]);
    };
    for (const id of ['a', 'b', 'c']) await write(id, 0);
    await time.pass(2000);
    for (const n of [1, 2, 3]) await write('a', n);
    const written = commits.archiveIds();
    for (let n = 0; n < 8; n++) {
      await commits.markUploaded([], []);
      await time.pass(500);
    }
    expect(commits.archiveIds()).toEqual(written);
    await time.pass(2000);
    await settled();
    expect(commits.archiveIds().length).toBeLessThan(written.length);
  });

  test('compacts nothing in an empty database', async () => {
    const { tab, values } = shared();
    await (await tab()).commits.compact();
    expect(values.size).toBe(0);
  });

  test('[R17] keeps every event of a database if an earlier version attached it without recording that', async () => {
    const { tab, values } = shared();
    const { commits } = await tab({ retention: NEWEST });
    await commits.write([operation('a', 0)]);
    const [first] = commits.snapshot().head;
    await versions(commits, 20);
    values.set('remote/some', Uint8Array.of(1));
    const { commits: later } = await tab({ retention: NEWEST });
    await later.compact();
    expect(later.hasDropped()).toBe(true);
    expect((await later.readers.event(first as Cid)).root).toBeDefined();
  });

  const failed = new FixpointError('STORE_FAILED');
  test.each([
    ['[R3] reports a background compaction that fails, and lets writers continue', failed, [failed]],
    ['does not report a full disk, because writes report it', new FixpointError('STORE_FULL'), []],
  ])('%s; does not compact a closed database', async (_, fault, expected) => {
    const { tab, reports } = shared();
    let isFaulty = true;
    const over = (store: ByteStore): ByteStore => ({
      ...store,
      write: async (changes, guard) => {
        if (isFaulty && changes.some(({ key }) => key.startsWith('idx/'))) throw fault;
        return store.write(changes, guard);
      },
    });
    const { commits } = await tab({ over });
    await versions(commits, 102);
    await settled();
    expect([...new Set(reports)]).toEqual(expected);
    expect(await has(commits, 'a')).toEqual([true]);
    reports.length = 0;
    isFaulty = false;
    // This write starts a merge of archives, which is still being planned when the database closes.
    const written = commits.write([operation('b', 1)]);
    await written;
    await commits.close();
    await settled();
    expect(reports).toEqual([]);
    await expect(commits.write([operation('c', 1)])).rejects.toThrow(code('DATABASE_CLOSED'));
  });
});

describe('files with a document', () => {
  test('stores the missing files of a document that is written again without changes', async () => {
    const { tab, values, under } = shared();
    const { commits } = await tab();
    const archive = await packFiles([], [blockOf(Uint8Array.of(1, 2, 3), RAW)]);
    const put = () => commits.write([operation('a', 1, { archives: [archive], staged: [] })]);
    await put();
    const { head } = commits.snapshot();
    const [key = ''] = under('file/');
    values.delete(key);
    await expect(commits.files.readHere(archive.cid)).rejects.toThrow(code('MISSING_CARS'));
    await put();
    expect(await commits.files.readHere(archive.cid)).toEqual(archive.bytes);
    values.delete(key);
    const { commits: late } = await tab();
    expect([...late.files.list()]).toEqual([]);
    await late.write([operation('a', 1, { archives: [archive], staged: [] })]);
    expect([...late.files.list()]).toEqual([archive.cid]);
    expect(commits.snapshot().head).toEqual(head);
    await commits.write([operation('a', 1)]);
    expect(commits.snapshot().head).toEqual(head);
  });

  test('lists files as soon as they are staged or fetched from a remote', async () => {
    const { tab, under } = shared();
    const { commits } = await tab();
    const [ahead, come] = await Promise.all(
      [1, 2].map((byte) => packFiles([], [blockOf(Uint8Array.of(byte), RAW)])),
    );
    if (ahead === undefined || come === undefined) throw new Error('two archives');
    await commits.files.stage(ahead);
    expect([...commits.files.list()]).toEqual([ahead.cid]);
    await commits.files.fetched(come, [{ key: 'remote/told', bytes: Uint8Array.of(1) }]);
    expect([...commits.files.list()]).toEqual([ahead.cid, come.cid]);
    expect(under('remote/')).toEqual(['remote/told']);
    expect(await commits.files.readHere(come.cid)).toEqual(come.bytes);
  });

  test('[R8] rejects a write whose staged files were removed, so that no document refers to missing files', async () => {
    const { tab } = shared();
    const { commits } = await tab();
    const archive = await packFiles([], [blockOf(Uint8Array.of(1), RAW)]);
    await expect(commits.write([operation('a', 1, { archives: [], staged: [archive.cid] })])).rejects.toThrow(
      code('STORE_FAILED'),
    );
    expect(commits.snapshot().head).toEqual([]);
  });

  test('[R4] reports an invalid time in the row of an unreferenced file as damage', async () => {
    const { tab, values } = shared();
    const { commits } = await tab();
    const archive = await packFiles([], [blockOf(Uint8Array.of(1), RAW)]);
    await commits.write([operation('a', 1)]);
    await commits.files.stage(archive);
    values.set(`loose/${archive.cid}`, Uint8Array.from(Buffer.from('since')));
    await expect(commits.compact()).rejects.toThrow(code('CORRUPT'));
    expect(await commits.files.readHere(archive.cid)).toEqual(archive.bytes);
  });
});
