import 'fake-indexeddb/auto';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { fixpoint } from '../../entries/index.ts';
import { vectorsFolder } from './vectors-folder.fixture.ts';
import { forgetWritten } from './written-mark.ts';

const NAME = 'demodb';
const STORES = ['version', 'data', 'wal', 'meta', 'idx.data', 'idx.wal', 'idx.meta'];

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function make(
  name: string,
  stores: readonly string[],
  values: readonly (readonly [string, string, unknown])[],
) {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    for (const store of stores) opening.result.createObjectStore(store);
  };
  const database = await done(opening);
  for (const [store, key, value] of values)
    await done(database.transaction(store, 'readwrite').objectStore(store).put(value, key));
  database.close();
}

async function contentOf(name: string): Promise<unknown> {
  const database = await done(indexedDB.open(name));
  const found = [];
  for (const store of database.objectStoreNames) {
    const values = database.transaction(store, 'readonly').objectStore(store);
    found.push([store, await done(values.getAllKeys()), await done(values.getAll())]);
  }
  database.close();
  return found;
}

const namesNow = async () => (await indexedDB.databases()).map(({ name }) => name).sort();

/** Stores the golden database in IndexedDB in the form that the first implementation uses. */
async function makeExisting(keys = true): Promise<void> {
  const folder = `${vectorsFolder}db-small/`;
  const data = readdirSync(`${folder}store/demodb/data`).filter((file) => file !== 'version');
  const bytes = (path: string) => Uint8Array.from(readFileSync(folder + path));
  await make(`fp.${NAME}`, STORES, [
    ['version', 'version', { version: 'v0.19-indexeddb' }],
    ['meta', 'main', bytes('store/demodb/meta/main.json')],
    ['wal', 'main', bytes('store/demodb/wal/main.json')],
    ...data.map((file) => ['data', file.replace('.car', ''), bytes(`store/demodb/data/${file}`)] as const),
  ]);
  const record = JSON.parse(readFileSync(`${folder}keybag/_demodb_data_.json`, 'utf8'));
  await make('fp-keybag', ['bag'], keys ? [['bag', '@demodb-data@', record]] : []);
  onTestFinished(async () => {
    for (const { name } of await indexedDB.databases()) await done(indexedDB.deleteDatabase(name ?? ''));
    // Another test of this process may have made marks outlast their test.
    forgetWritten(`fp.${NAME}`);
  });
}

beforeEach(() => void vi.stubGlobal('navigator', {}));

test('imports a database of the first implementation, and keeps the original unchanged until the database is destroyed', async () => {
  await makeExisting();
  const before = await contentOf(`fp.${NAME}`);
  const expected = JSON.parse(readFileSync(`${vectorsFolder}db-small/expected.json`, 'utf8')).expected;
  const first = fixpoint(NAME);
  expect((await first.allDocs()).rows.map(({ key }) => key)).toEqual(
    expected.allDocs.map(({ key }: { key: string }) => key),
  );
  await first.put({ _id: 'ours' });
  await first.close();
  expect(await contentOf(`fp.${NAME}`)).toEqual(before);

  // The imported database doesn't need the original any more.
  await done(indexedDB.deleteDatabase(`fp.${NAME}`));
  const again = fixpoint(NAME);
  expect(await again.get('ours')).toEqual({ _id: 'ours' });
  await again.close();
  expect(await namesNow()).not.toContain(`fp.${NAME}`);
});

test('removes the imported database and the original when destroyed', async () => {
  await makeExisting();
  const database = fixpoint(NAME);
  await database.put({ _id: 'ours' });
  await database.destroy();
  expect((await namesNow()).filter((name) => name?.includes(NAME))).toEqual([]);
  const fresh = fixpoint(NAME);
  expect((await fresh.allDocs()).rows).toEqual([]);
  await fresh.close();
  expect(await namesNow()).toContain(`fp.${NAME}`);
});

test('fails with MISSING_STORE_KEY when the keys are missing, instead of opening an empty database', async () => {
  await makeExisting(false);
  const database = fixpoint(NAME);
  await expect(database.allDocs()).rejects.toMatchObject({ code: 'MISSING_STORE_KEY' });
});
