import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { byteStoreSuite } from '../../testing/adapter-suites.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { systemTime } from '../system.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import { sqliteStores } from './sqlite-store.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-sqlite-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const newFile = () => join(mkdtempSync(join(base, 'file-')), 'db');

function connect(file: string): SqliteDriver {
  const driver = new Sqlite(file);
  onTestFinished(() => void driver.close());
  return driver;
}

byteStoreSuite('SQLite (libsql)', async () => {
  const file = newFile();
  return { open: () => sqliteStores(connect(file), systemTime).openStore('notes', 'strict') };
});

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('the store in SQLite', () => {
  test('covers writes of other connections by the guard, and reports them after the next poll', async () => {
    const file = newFile();
    const time = simulatedTime();
    const [a, b] = await Promise.all(
      [1, 2].map(() => sqliteStores(connect(file), time).openStore('notes', 'strict')),
    );
    let calls = 0;
    const stop = a?.watch?.(() => calls++);
    expect(await b?.write([{ key: 'k', bytes: bytes(1) }], { key: 'k', bytes: undefined })).toBe(true);
    expect(await a?.write([{ key: 'k', bytes: bytes(2) }], { key: 'k', bytes: undefined })).toBe(false);
    expect(await a?.read('k')).toEqual(bytes(1));
    await time.pass(100);
    await expect.poll(() => calls).toBe(1);
    await time.pass(1000);
    expect(calls).toBe(1);
    stop?.();
  });

  test('keeps databases of one file apart, and stores the bytes of a view alone', async () => {
    const stores = sqliteStores(connect(newFile()), systemTime);
    const [a, b] = await Promise.all([stores.openStore('a', 'strict'), stores.openStore('b', 'relaxed')]);
    await a.write([{ key: 'k', bytes: bytes(1, 2, 3).subarray(1, 2) }]);
    await b.write([{ key: 'k', bytes: bytes(4) }]);
    await b.destroy();
    expect(await a.readPrefix('')).toEqual(new Map([['k', bytes(2)]]));
  });

  test('closes the store of other connections when a database is destroyed, even if it was created again', async () => {
    const file = newFile();
    const [here, elsewhere] = [1, 2].map(() => sqliteStores(connect(file), systemTime));
    const store = await here?.openStore('notes', 'strict');
    const reasons: unknown[] = [];
    store?.onClosed?.((reason) => void reasons.push(reason.code));
    await (await elsewhere?.openStore('notes', 'strict'))?.destroy();
    const again = await elsewhere?.openStore('notes', 'strict');
    await expect(store?.write([{ key: 'k', bytes: bytes(1) }])).rejects.toMatchObject({
      code: 'DATABASE_CLOSED',
    });
    await expect(store?.read('k')).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
    expect([reasons, await again?.keys('')]).toEqual([['DATABASE_CLOSED'], []]);
  });

  test('rejects with STORE_FULL on a full disk, writes nothing then, and writes again once there is space', async () => {
    const driver = connect(newFile());
    const store = await sqliteStores(driver, systemTime).openStore('notes', 'strict');
    await store.write([{ key: 'a', bytes: bytes(1) }]);
    driver.exec('PRAGMA max_page_count = 20');
    const changes = [
      { key: 'a', bytes: undefined },
      { key: 'b', bytes: new Uint8Array(200_000) },
    ];
    await expect(store.write(changes)).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect([...(await store.readPrefix(''))]).toEqual([['a', bytes(1)]]);
    driver.exec('PRAGMA max_page_count = 1000');
    expect(await store.write(changes)).toBe(true);
    expect(await store.keys('')).toEqual(['b']);
  });

  test.each([
    ['of the application', 'BEGIN', 'COMMIT'],
    ['that a failed write left open', '', ''],
  ])('[R4] takes and detaches the reserve after a transaction %s', async (_, begin, end) => {
    const file = newFile();
    const driver = connect(file);
    let failures = 0;
    const exec = (sql: string) => {
      if (/^(COMMIT|ROLLBACK)$/.test(sql) && failures-- > 0) throw new Error('disk I/O error');
      return driver.exec(sql);
    };
    const stores = sqliteStores({ exec, prepare: (sql) => driver.prepare(sql) }, systemTime);
    const store = await stores.openStore('notes', 'strict');
    driver.exec(begin);
    failures = begin === '' ? 2 : 0;
    const failing =
      begin === '' ? stores.openStore('other', 'strict') : store.write([{ key: 'k', bytes: bytes(1) }]);
    await expect(failing).rejects.toMatchObject({ code: 'STORE_FAILED' });
    driver.exec(end);
    await store.write([{ key: 'k', bytes: bytes(2) }]);
    expect(driver.prepare('PRAGMA database_list').all()).toMatchObject([{ name: 'main' }]);
    expect(statSync(`${file}-reserve`).size).toBeGreaterThan(1_572_864);
    expect(await store.read('k')).toEqual(bytes(2));
  });

  test('[R4] uses a reserve again that an earlier failure left attached', async () => {
    const file = newFile();
    const driver = connect(file);
    const store = await sqliteStores(driver, systemTime).openStore('notes', 'strict');
    driver.exec(`ATTACH '${file}-reserve' AS fixpoint_reserve`);
    await store.write([{ key: 'k', bytes: bytes(1) }]);
    expect(driver.prepare('PRAGMA database_list').all()).toMatchObject([{ name: 'main' }]);
    expect(statSync(`${file}-reserve`).size).toBeGreaterThan(1_572_864);
  });

  test('returns the space of removed values to the disk, if it is much', async () => {
    const file = newFile();
    const store = await sqliteStores(connect(file), systemTime).openStore('notes', 'strict');
    const values = Array.from({ length: 10 }, (_, at) => `car/${at}`);
    for (const key of values) await store.write([{ key, bytes: new Uint8Array(600_000) }]);
    await store.write(values.slice(0, 5).map((key) => ({ key, bytes: undefined })));
    await store.shrink?.();
    expect(statSync(file).size).toBeGreaterThan(6_000_000);
    await store.write(values.slice(5, 9).map((key) => ({ key, bytes: undefined })));
    await store.shrink?.();
    expect(statSync(file).size).toBeLessThan(5_000_000);
    expect((await store.read('car/9'))?.length).toBe(600_000);
  });

  test.each([
    ['COMMIT', 0],
    ['COMMIT', 1],
    ['COMMIT', 3],
  ])(
    '[R1] undoes a write whose %s failed, also after %i failures to undo it',
    async (failing, undoFailures) => {
      const driver = connect(newFile());
      let left = 0;
      let undoLeft = 0;
      const exec = (sql: string) => {
        if (sql === failing && left-- > 0) throw new Error('disk I/O error');
        if (sql === 'ROLLBACK' && undoLeft-- > 0) throw new Error('disk I/O error');
        return driver.exec(sql);
      };
      const stores = sqliteStores({ exec, prepare: (sql) => driver.prepare(sql) }, systemTime);
      const store = await stores.openStore('notes', 'strict');
      await store.write([{ key: 'a', bytes: bytes(1) }]);
      [left, undoLeft] = [1, undoFailures];
      const failed = { code: 'STORE_FAILED' };
      await expect(store.write([{ key: 'a', bytes: bytes(2) }])).rejects.toMatchObject(failed);
      // While the transaction can't be undone, calls fail instead of reading what it wrote.
      for (let calls = 1; calls < undoFailures; calls += 1)
        await expect(calls % 2 ? store.read('a') : store.write([])).rejects.toMatchObject(failed);
      expect(await store.read('a')).toEqual(bytes(1));
      await store.write([{ key: 'a', bytes: bytes(3) }]);
      expect(await store.read('a')).toEqual(bytes(3));
    },
  );

  test('[B3] rejects with CORRUPT if the file is not a database, and with STORE_FAILED for a closed driver', async () => {
    const file = newFile();
    writeFileSync(file, 'x'.repeat(5000));
    await expect(sqliteStores(connect(file), systemTime).openStore('a', 'strict')).rejects.toMatchObject({
      code: 'CORRUPT',
    });
    const driver = new Sqlite(newFile());
    const store = await sqliteStores(driver, systemTime).openStore('a', 'strict');
    driver.close();
    await expect(store.read('k')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(store.write([])).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  test('[R1] syncs the log of SQLite with the disk before a strict write resolves', async () => {
    const driver = connect(newFile());
    const executed: string[] = [];
    const exec = (sql: string) => {
      executed.push(sql);
      return driver.exec(sql);
    };
    const stores = sqliteStores({ exec, prepare: (sql) => driver.prepare(sql) }, systemTime);
    for (const durability of ['strict', 'relaxed'] as const) {
      const store = await stores.openStore(durability, durability);
      // The first write takes the reserve.
      await store.write([{ key: 'k', bytes: bytes(1) }]);
      executed.length = 0;
      await store.write([{ key: 'k', bytes: bytes(2) }]);
      const mode = durability === 'strict' ? 'EXTRA' : 'NORMAL';
      expect(executed).toEqual([`PRAGMA synchronous = ${mode}`, 'BEGIN IMMEDIATE', 'COMMIT']);
    }
    expect(driver.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
  });
});
