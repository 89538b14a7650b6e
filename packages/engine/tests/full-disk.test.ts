/**
 * Databases on a disk without a free block: a small tmpfs, and a simulated disk with a fixed size.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFixpointError } from '@fixpoint/protocol';
import Sqlite from 'libsql';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { fixpoint } from '../src/entries/node.ts';
import { sqliteStore } from '../src/entries/sqlite.ts';
import { nodeFiles } from '../src/platform/node/node-files.ts';
import { openNodeStore } from '../src/platform/node/node-store.ts';
import { sqliteStores } from '../src/platform/sqlite/sqlite-store.ts';
import { systemTime } from '../src/platform/system.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import { simulatedDisk } from '../src/testing/simulated-disk.ts';
import { fullDiskCases } from '../src/testing/store.ts';
import { diskPlatform, FOLDER, openOn } from './disk.fixture.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-full-'));
const mounted: string[] = [];
afterAll(() => {
  for (const place of mounted) spawnSync('umount', ['-l', place]);
  rmSync(base, { recursive: true, force: true });
});

/** Mounts a disk. Returns `undefined` if this process has no right to mount. */
function mountDisk(megabytes: number): string | undefined {
  const place = mkdtempSync(join(base, 'disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', place]).status !== 0)
    return undefined;
  mounted.push(place);
  return place;
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (cause: unknown) => (isFixpointError(cause) ? cause.code : String(cause)),
  );

/**
 * Puts smaller and smaller documents until not even a small document fits. Returns the ids of the
 * stored documents.
 */
async function fill(db: Database): Promise<string[]> {
  const ids: string[] = [];
  for (const bytes of [200_000, 20_000, 2000, 200, 1])
    for (let n = 0; ; n++) {
      const _id = `d-${String(bytes).padStart(6, '0')}-${n}`;
      const code = await codeOf(db.put({ _id, text: randomBytes(bytes).toString('latin1') }));
      if (code !== 'done') {
        expect(code).toBe('STORE_FULL');
        break;
      }
      ids.push(_id);
    }
  return ids.sort();
}

/** Fills all remaining blocks with a file of another program. Returns the path of this file. */
function stuff(disk: string): string {
  const path = join(disk, 'others');
  writeFileSync(path, '');
  for (const bytes of [65_536, 4096, 1])
    try {
      for (;;) appendFileSync(path, Buffer.alloc(bytes, 1));
    } catch (cause) {
      expect((cause as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  return path;
}

const idsOf = async (db: Database) => (await db.allDocs()).rows.map(({ key }) => key);

describe('[R10] a database on a full disk', () => {
  const disk = mountDisk(6);
  const other = disk === undefined ? undefined : mountDisk(3);
  const small = disk === undefined ? undefined : mountDisk(6);

  test.skipIf(disk === undefined)(
    'opens, reads, deletes and compacts, and writes again once there is space (skipped without the right to mount)',
    async () => {
      const directory = join(disk as string, 'databases');
      const first = fixpoint('notes', { directory });
      const ids = await fill(first);
      expect(ids.length).toBeGreaterThan(10);
      await first.close();
      // Another program fills the space that the log had allocated beyond its end.
      const others = stuff(disk as string);
      const db = fixpoint('notes', { directory });
      expect(await idsOf(db)).toEqual(ids);
      const [kept = ''] = ids;
      const large = ids.filter((id) => id.startsWith('d-200000'));
      expect(large.length).toBeGreaterThan(5);
      for (const id of large) expect([id, await codeOf(db.del(id))]).toEqual([id, 'done']);
      expect(await codeOf(db.put({ text: randomBytes(200_000).toString('latin1') }))).toBe('STORE_FULL');
      expect(await codeOf(db.compact())).toBe('done');
      const left = ids.filter((id) => !large.includes(id));
      expect(await idsOf(db)).toEqual(left);
      expect((await db.get(kept))._id).toBe(kept);
      rmSync(others);
      await db.put({ _id: 'after', text: randomBytes(500_000).toString('latin1') });
      expect(await idsOf(db)).toEqual(['after', ...left]);
      expect((await db.verify()).damaged).toEqual([]);
      await db.close();
    },
  );

  test.skipIf(other === undefined)(
    'needs only a compaction to free the space of deleted documents (skipped without the right to mount)',
    async () => {
      const directory = join(other as string, 'databases');
      const db = fixpoint('notes', { directory });
      const ids = await fill(db);
      for (const id of ids.slice(1)) expect([id, await codeOf(db.del(id))]).toEqual([id, 'done']);
      expect(await codeOf(db.compact())).toBe('done');
      await db.put({ _id: 'after', text: randomBytes(400_000).toString('latin1') });
      await db.close();
    },
  );

  test.skipIf(small === undefined)(
    'deletes each of many documents, frees the space and stores thirty documents again (skipped without the right to mount)',
    async () => {
      const directory = join(small as string, 'databases');
      const first = fixpoint('notes', { directory });
      const put = (n: number, to: Database) =>
        codeOf(to.put({ _id: `d-${n}`, text: randomBytes(20_000).toString('latin1') }));
      let count = 0;
      while ((await put(count, first)) === 'done') count++;
      await first.close();
      expect(count).toBeGreaterThan(50);
      const db = fixpoint('notes', { directory });
      for (let n = 0; n < count; n++) expect([n, await codeOf(db.del(`d-${n}`))]).toEqual([n, 'done']);
      expect(await codeOf(db.compact())).toBe('done');
      for (let n = 0; n < 30; n++) expect([n, await put(n, db)]).toEqual([n, 'done']);
      await db.close();
    },
  );

  test.skipIf(other === undefined)(
    'opens and reads without a reserve, because a lock needs no disk block (skipped without the right to mount)',
    async () => {
      const disk = other as string;
      rmSync(join(disk, 'databases'), { recursive: true });
      const directory = join(disk, 'databases');
      const first = fixpoint('notes', { directory });
      await first.put({ _id: 'a' });
      await first.close();
      for (const name of ['reserve', 'reserve-1', 'reserve-2']) rmSync(join(directory, 'notes', name));
      const others = stuff(disk);
      const db = fixpoint('notes', { directory });
      expect(await idsOf(db)).toEqual(['a']);
      expect(lstatSync(join(directory, 'notes', 'lock')).isSymbolicLink()).toBe(true);
      expect(await codeOf(db.put({ _id: 'b' }))).toBe('STORE_FULL');
      rmSync(others);
      await db.put({ _id: 'b' });
      await db.close();
      expect(await idsOf(fixpoint('notes', { directory }))).toEqual(['a', 'b']);
    },
  );
});

function connect(disk: string) {
  const driver = new Sqlite(join(disk, 'app.db'));
  onTestFinished(() => void driver.close());
  return driver;
}

const OPENERS: Readonly<Record<string, (disk: string) => Promise<ByteStore>>> = {
  'files in Node': (disk) =>
    openNodeStore(join(disk, 'notes'), 'strict', nodeFiles, systemTime, () => undefined),
  SQLite: (disk) => sqliteStores(connect(disk), systemTime).openStore('notes', 'strict'),
};

describe.each(Object.entries(OPENERS))('[R10] the store on a full disk: %s', (_, open) => {
  const disk = mountDisk(10);
  const cases = fullDiskCases(async () => ({
    open: () => open(disk as string),
    fill: async () => {
      const others = stuff(disk as string);
      return async () => rmSync(others);
    },
  }));
  for (const { name, run } of cases)
    test.skipIf(disk === undefined)(`${name} (skipped without the right to mount)`, async () => {
      await run();
      for (const entry of readdirSync(disk as string))
        rmSync(join(disk as string, entry), { recursive: true });
    });
});

describe('[R10] a database in SQLite on a full disk', () => {
  const disk = mountDisk(16);

  test.skipIf(disk === undefined)(
    'deletes, compacts and accepts writes again (skipped without the right to mount)',
    async () => {
      const driver = connect(disk as string);
      const directory = mkdtempSync(join(base, 'keys-'));
      const db = fixpoint('notes', { directory, store: sqliteStore(driver) });
      await db.put({ _id: 'a', text: randomBytes(300_000).toString('latin1') });
      const ids = ['a', ...(await fill(db))].sort();
      const others = stuff(disk as string);
      expect(await idsOf(db)).toEqual(ids);
      for (const id of ids.slice(1)) expect([id, await codeOf(db.del(id))]).toEqual([id, 'done']);
      expect(await codeOf(db.compact())).toBe('done');
      rmSync(others);
      await db.put({ _id: 'b', text: randomBytes(400_000).toString('latin1') });
      expect((await db.verify()).damaged).toEqual([]);
      await db.close();
    },
  );

  test.skipIf(disk === undefined)(
    'reports STORE_FULL if SQLite has no space for its own files (skipped without the right to mount)',
    async () => {
      const place = mountDisk(3) as string;
      const others = stuff(place);
      const stores = sqliteStores(connect(place), systemTime);
      await expect(stores.openStore('notes', 'strict')).rejects.toMatchObject({ code: 'STORE_FULL' });
      rmSync(others);
      const store = await stores.openStore('notes', 'strict');
      await store.close();
    },
  );
});

describe('[R10] a database on a full simulated disk', () => {
  const usedBy = (content: ReadonlyMap<string, Uint8Array>, counts = (_path: string) => true) =>
    [...content].reduce((sum, [path, { length }]) => sum + (counts(path) ? length : 0), 0);

  test('deletes each document, compacts, and accepts writes as soon as there is space', async () => {
    const disk = simulatedDisk();
    const platform = diskPlatform(disk, new Map());
    const first = openDatabase('notes', platform);
    await first.ready();
    disk.limit(3_000_000);
    const ids = await fill(first);
    await first.close();
    // Another program fills the space that the log had allocated beyond its end.
    disk.limit(usedBy(disk.content()));
    const db = openDatabase('notes', platform);
    expect(await idsOf(db)).toEqual(ids);
    for (const id of ids) expect([id, await codeOf(db.del(id))]).toEqual([id, 'done']);
    expect(await codeOf(db.put({ _id: 'big', text: randomBytes(100_000).toString('latin1') }))).toBe(
      'STORE_FULL',
    );
    expect(await codeOf(db.compact())).toBe('done');
    expect(await codeOf(db.put({ _id: 'after' }))).toBe('done');
    expect(await idsOf(db)).toEqual(['after']);
    await db.close();
  });

  test('removes the draft of a log when rewriting fails; the next compaction rewrites the log', async () => {
    const disk = simulatedDisk();
    const store = await openOn(disk, 'relaxed');
    const value = (length: number) => new Uint8Array(randomBytes(length));
    await store.write([{ key: 'a', bytes: value(80_000) }]);
    await store.write([{ key: 'b', bytes: value(800_000) }]);
    disk.limit(usedBy(disk.content()) + 50_000);
    await store.write([{ key: 'b', bytes: undefined }], { key: 'c', bytes: undefined, frees: 'later' });
    expect([...disk.content().keys()].filter((path) => path.endsWith('.new'))).toEqual([]);
    const usedByLogs = () => usedBy(disk.content(), (path) => !path.includes('reserve'));
    expect(usedByLogs()).toBeGreaterThan(880_000);
    await store.write([{ key: 'a', bytes: undefined }], { key: 'c', bytes: undefined, frees: 'later' });
    await store.shrink?.();
    expect(usedByLogs()).toBeLessThan(100_000);
    await store.close();
  });

  test('rejects documents while the reserve is released, because deletes need its space', async () => {
    const disk = simulatedDisk();
    const db = openDatabase('notes', diskPlatform(disk, new Map()));
    await db.bulk(Array.from({ length: 30 }, (_, n) => ({ _id: `d-${n}`, text: 'x'.repeat(1000) })));
    disk.limit(usedBy(disk.content()));
    const small = () => codeOf(db.put({ text: randomBytes(20_000).toString('latin1') }));
    while ((await small()) === 'done');
    for (let n = 0; n < 30; n++) {
      expect([n, await codeOf(db.del(`d-${n}`))]).toEqual([n, 'done']);
      expect([n, await small()]).toEqual([n, 'STORE_FULL']);
    }
    disk.limit(undefined);
    expect(await small()).toBe('done');
    expect(disk.content().get(`${FOLDER}/reserve`)?.length).toBeGreaterThan(0);
    await db.close();
  });
});
