/** Databases in an SQLite file. By night also with `node:sqlite`, in a Node that npm installs. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Sqlite from 'libsql';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { fixpoint } from '../src/entries/node.ts';
import { sqliteStore } from '../src/entries/sqlite.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { byteStoreCases, ownStore } from '../src/testing/store.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { expectNothingLost, someMoment, writeUntilKilled } from './killed-writer.fixture.ts';

const KILLS = budget({ commit: 3, night: 100, release: 500 });
const NODE = '22.21.1';
const isNight = ['night', 'release'].includes(process.env['FIXPOINT_BUDGET'] ?? '');
const options = { timeout: patienceMs() };
const base = mkdtempSync(join(tmpdir(), 'fixpoint-sqlite-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const newDirectory = () => mkdtempSync(join(base, 'dir-'));

/** Opens a database as another process would: with a connection and keys of its own. */
function opened(directory: string, name = 'crash') {
  const driver = new Sqlite(join(directory, 'crash.db'));
  onTestFinished(() => void driver.close());
  return fixpoint(name, { directory, store: sqliteStore(driver) });
}

async function expectKillsLoseNothing(driver: string, node?: string): Promise<void> {
  const random = seededRandom(seed());
  const directory = newDirectory();
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const env = { FIXPOINT_SQLITE: driver, COMMIT_EACH_WRITE: kill % 3 === 2 ? 'yes' : 'no' };
    const from = kill * 100_000 + 1;
    const how = kill % 2 === 0 ? 'writes' : 'compacts';
    acknowledged.push(...(await writeUntilKilled(directory, from, how, someMoment(random, 40), env, node)));
    const db = opened(directory);
    await expectNothingLost(db, acknowledged, 'writes');
    await db.close();
  }
  expect(acknowledged.length).toBeGreaterThan(0);
}

test('[R1] loses no acknowledged write in SQLite when a writer is killed again and again', options, () =>
  expectKillsLoseNothing('libsql'),
);

test('[R9] shows the writes of another process in SQLite, and loses none of either', options, async () => {
  const directory = newDirectory();
  const here = opened(directory);
  const heard = new Set<string>();
  here.subscribe((docs) => {
    for (const { _id } of docs) heard.add(_id);
  }, true);
  await here.put({ _id: 'here-0' });
  const written: string[] = [];
  const writing = writeUntilKilled(
    directory,
    1,
    'writes',
    { lines: 40, ms: 0 },
    { FIXPOINT_SQLITE: 'libsql' },
  );
  for (let at = 1; at < 20; at++) {
    await here.put({ _id: `here-${at}` });
    written.push(`here-${at}`);
  }
  const acknowledged = await writing;
  const last = acknowledged.map((line) => line.replace(/^put /, 'put-').replace(/^bulk (.*)/, 'bulk-$1-c'));
  await expect.poll(() => last.filter((id) => !heard.has(id))).toEqual([]);
  await expectNothingLost(here, [...acknowledged, ...written], 'writes');
  await here.close();
});

test(
  'stores documents, files and indexes in SQLite, apart from other databases of the file',
  options,
  async () => {
    const directory = newDirectory();
    const [db, other] = [opened(directory), opened(directory, 'other')];
    await other.put({ _id: 'a' });
    const note = new File(['x'.repeat(300_000)], 'n.txt');
    await db.put({ _id: 'a', city: 'Bern', _files: { note } });
    await db.close();
    await other.destroy();
    const again = opened(directory);
    const { docs } = await again.find({ where: { city: 'Bern' } });
    const [found] = docs as unknown as readonly { _files: { note: { file(): Promise<File> } } }[];
    expect((await found?._files.note.file())?.size).toBe(300_000);
    await again.compact();
    expect(await again.verify()).toMatchObject({ damaged: [], missing: [] });
    await again.close();
  },
);

test('stores documents in a store of the application, and rejects values that are no store', async () => {
  const rows = new Map<string, Uint8Array>();
  const store = ownStore({ openStore: async () => memoryStore(rows) });
  const directory = newDirectory();
  const db = fixpoint('own', { directory, store });
  await db.put({ _id: 'a' });
  await db.close();
  expect(rows.size).toBeGreaterThan(0);
  const again = fixpoint('own', { directory, store });
  expect((await again.allDocs()).rows.map(({ key }) => key)).toEqual(['a']);
  await again.close();
  for (const wrong of [1, {}, null])
    expect(() => fixpoint('own', { directory, store: wrong as never })).toThrow('store is not a store');
  expect(() => sqliteStore({} as never)).toThrow('the driver has no `prepare` or `exec`');
});

test('finds a store that breaks the contract by returning wrong bytes', async () => {
  const [first] = byteStoreCases(async () => ({
    open: async () => ({ ...memoryStore(), read: async () => Uint8Array.of(2) }),
  }));
  await expect(first?.run()).rejects.toThrow('found "1 bytes: 2" instead of "2 bytes: 2,3"');
});

test('finds a store that breaks the contract by delaying some reads', async () => {
  for (const late of ['read', 'readPrefix', 'keys'] as const) {
    const values = new Map<string, Uint8Array>();
    const store = memoryStore(values);
    const slow = async (given: string) => {
      for (let turn = 0; turn < 20; turn++) await undefined;
      return store[late](given);
    };
    const cases = byteStoreCases(async () => ({ open: async () => ({ ...store, [late]: slow }) }));
    const order = cases.find(({ name }) => name.startsWith('[B6]'));
    await expect(order?.run()).rejects.toThrow('found');
  }
});

test.skipIf(!isNight)('[B1] [R1] keeps the contract and all writes with `node:sqlite`', options, async () => {
  const folder = newDirectory();
  mkdirSync(join(folder, 'node'));
  writeFileSync(
    join(folder, 'node/package.json'),
    JSON.stringify({ private: true, dependencies: { node: NODE } }),
  );
  const execute = promisify(execFile);
  await execute('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: join(folder, 'node'),
  });
  const node = join(folder, 'node/node_modules/node/bin/node');
  const script = fileURLToPath(new URL('sqlite-contract.fixture.mjs', import.meta.url));
  const { stdout } = await execute(node, [script, folder, 'node:sqlite']);
  expect(stdout.match(/^kept: /gm)).toHaveLength(byteStoreCases(async () => ({}) as never).length);
  await expectKillsLoseNothing('node:sqlite', node);
});
