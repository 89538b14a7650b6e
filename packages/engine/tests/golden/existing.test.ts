/** Imports golden stores in the layout that users have: a folder of databases and a key bag. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCar } from '../../src/archive/car.ts';
import { packArchive, readArchiveHeader } from '../../src/archive/pack.ts';
import type { Database, DatabaseOptions } from '../../src/database/database.ts';
import { importDatabase } from '../../src/entries/fireproof-node.ts';
import { fixpoint } from '../../src/entries/node.ts';
import type { StoredFile } from '../../src/files/read-file.ts';
import { decodeMetaEntry, encodeMetaEntry } from '../../src/sync/ledger/meta-entry-codec.ts';
import { toHex, untag, vectors } from './vectors.fixture.ts';

interface Row {
  readonly key: string;
  readonly value: Record<string, unknown>;
}
interface Expected {
  readonly head: readonly string[];
  readonly allDocs: readonly Row[];
  readonly allDocsIncludeDeleted: readonly Row[];
  readonly changes: readonly Row[];
  readonly files?: Readonly<Record<string, string>>;
}

const expectedOf = (path: string, part?: string): Expected => {
  const file = vectors<Record<string, Expected & { expected: Expected }>>(path);
  return (part === undefined ? file['expected'] : file[part]?.expected) as Expected;
};
const STORES = [
  ['db-small', 'demodb', 'db-small', expectedOf('db-small/expected.json')],
  ['db-heads', 'demoheads', 'db-heads', expectedOf('db-heads/expected.json')],
  ['db-unencrypted', 'demoplain', 'db-unencrypted', expectedOf('db-unencrypted/expected.json')],
  [
    'db-compact before',
    'democompact',
    'db-compact/0-before',
    expectedOf('db-compact/expected.json', 'before'),
  ],
  [
    'db-compact after',
    'democompact',
    'db-compact/1-compacted',
    expectedOf('db-compact/expected.json', 'after1'),
  ],
  [
    'db-compact again',
    'democompact',
    'db-compact/2-compacted-again',
    expectedOf('db-compact/expected.json', 'after2'),
  ],
] as const;

const golden = (path: string) => fileURLToPath(new URL(`../vectors/${path}`, import.meta.url));

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-existing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies a golden store and its keys to a new folder. */
function copyOf(path: string): { base: string; keyBag: string; folder: string } {
  const folder = temporaryFolder();
  cpSync(golden(path), folder, { recursive: true });
  return { base: `file://${folder}/store`, keyBag: `file://${folder}/keybag`, folder };
}

function opened(name: string, options: DatabaseOptions & { directory?: string }): Database {
  const database = fixpoint(name, { directory: temporaryFolder(), ...options });
  onTestFinished(() => database.close());
  return database;
}

const filesBelow = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path, readFileSync(path).toString('latin1')];
      }),
  );

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const stored = (value: unknown) =>
  JSON.parse(JSON.stringify(untag(value)), (key, item) => (key === 'url' ? undefined : item)) as unknown;
const shown = (rows: readonly { key: unknown; value: unknown }[]) =>
  rows.map(({ key, value }) => plain({ key, value }));

describe.each(STORES)('golden store %s as an existing database', (_, name, path, expected) => {
  test('imports its documents, deletions, head and files; leaves the old folder unchanged', async () => {
    const { base, keyBag, folder } = copyOf(path);
    const before = filesBelow(folder);
    const db = opened(name, { existing: { base, keyBag } });
    expect(shown((await db.allDocs({ includeDeleted: true })).rows)).toEqual(
      expected.allDocsIncludeDeleted.map(({ key, value }) => stored({ key, value })),
    );
    expect(await db.head()).toEqual([...expected.head].sort());
    for (const [where, hex] of Object.entries(expected.files ?? {})) {
      const [id = '', map = '', file = ''] = where.split('/');
      const doc = await db.get<Record<string, Record<string, StoredFile>>>(id);
      const content = await doc[map]?.[file]?.file();
      expect(toHex(new Uint8Array((await content?.arrayBuffer()) ?? []))).toBe(hex);
    }
    expect(await db.verify()).toMatchObject({ missing: [], damaged: [] });
    await db.put({ _id: 'ours', n: 1 });
    await db.compact();
    expect((await db.allDocs()).rows).toHaveLength(expected.allDocs.length + 1);
    expect(filesBelow(folder)).toEqual(before);
  });

  test('stores the new database in the folder of the old one, and reopens without the old keys', async () => {
    const { folder, keyBag } = copyOf(path);
    const before = filesBelow(join(folder, 'store'));
    const first = fixpoint(name, { directory: join(folder, 'store'), existing: { keyBag } });
    await first.put({ _id: 'ours', n: 1 });
    await first.close();
    rmSync(join(folder, 'keybag'), { recursive: true, force: true });
    const again = opened(name, { directory: join(folder, 'store') });
    expect((await again.allDocs()).rows).toHaveLength(expected.allDocs.length + 1);
    const after = filesBelow(join(folder, 'store'));
    for (const [file, content] of before) expect([file, after.get(file)]).toEqual([file, content]);
  });
});

test.each(['A', 'B'] as const)('golden sync: imports replica %s with both data keys', async (replica) => {
  const { base, keyBag } = copyOf(`sync/${replica}`);
  const { steps } = vectors<{ steps: { replica: string; result: { rows: [string, string | null][] } }[] }>(
    'sync/expected.json',
  );
  const db = opened('demosync', { existing: { base, keyBag } });
  const { rows } = await db.allDocs<{ v: string }>({ includeDeleted: true });
  const last = steps.filter((step) => step.replica === replica).at(-1)?.result.rows;
  expect(rows.map(({ key, value }) => [key, value.v ?? null])).toEqual(last);
});

test('finds the key in a key bag file with a different name, and ignores files without a key', async () => {
  const { folder, base, keyBag } = copyOf('db-small');
  renameSync(join(folder, 'keybag/_demodb_data_.json'), join(folder, 'keybag/_other_.json'));
  writeFileSync(join(folder, 'keybag/damaged.json'), '{');
  writeFileSync(
    join(folder, 'keybag/token.json'),
    '{"id":"x","clazz":"JwtKeyBagItem","item":{"jwtStr":"y"}}',
  );
  expect((await opened('demodb', { existing: { base, keyBag } }).allDocs()).rows.length).toBeGreaterThan(5);
});

test('finds a database and its keys in folders whose names contain escapes, which that product does not decode', async () => {
  const { folder } = copyOf('db-small');
  const [base, keyBag] = [`file://${folder}/my%20store`, `file://${folder}/100%`];
  renameSync(join(folder, 'store'), join(folder, 'my%20store'));
  renameSync(join(folder, 'keybag'), join(folder, '100%'));
  const db = opened('demodb', { existing: { base, keyBag } });
  expect(await db.head()).toEqual(expectedOf('db-small/expected.json').head);
});

test('golden sync: imports the folder of the remote with the keys', async () => {
  const { folder } = copyOf('sync');
  const place = {
    base: `file://${folder}/remote`,
    keyBag: `file://${folder}/A/keybag`,
    storeKey: '@demosync-data@',
  };
  expect((await opened('rem', { existing: place }).allDocs()).rows).toHaveLength(2);
});

test('imports nothing without a commit, without a database, or with `existing: false`', async () => {
  const { folder, base, keyBag } = copyOf('db-small');
  rmSync(join(folder, 'store/demodb/meta/main.json'));
  for (const file of readdirSync(join(folder, 'store/demodb/data')))
    if (file !== 'version') rmSync(join(folder, 'store/demodb/data', file));
  for (const name of ['demodb', 'other', '..'])
    expect((await opened(name, { existing: { base, keyBag } }).allDocs()).rows).toEqual([]);
  const whole = copyOf('db-small');
  const left = opened('demodb', { directory: join(whole.folder, 'store'), existing: false });
  expect((await left.allDocs()).rows).toEqual([]);
});

test('keeps changed documents when the database is imported again after a compaction', async () => {
  const { base, keyBag } = copyOf('db-small');
  const db = opened('demodb', { history: { commits: 1 }, commitEachWrite: true });
  const ids = expectedOf('db-small/expected.json').allDocs.map(({ key }) => key);
  const found = await importDatabase(db, { from: base, keyBag });
  for (let round = 0; round < 3; round++) for (const _id of ids) await db.put({ _id, ours: round });
  await db.compact();
  // Compaction never drops an event of a history that other replicas may also have.
  expect((await db.verify()).events).toBe((found?.events ?? 0) + 3 * ids.length);
  await importDatabase(db, { from: base, keyBag });
  const { rows } = await db.allDocs();
  expect(rows.map(({ key, value }) => [key, value])).toEqual(ids.map((_id) => [_id, { _id, ours: 2 }]));
});

test('imports an archive that is still in the folder, but that no header refers to any more', async () => {
  const { folder, base } = copyOf('db-unencrypted');
  const data = join(folder, 'store/demoplain/data');
  const meta = join(folder, 'store/demoplain/meta/main.json');
  const [newest] = decodeMetaEntry((JSON.parse(readFileSync(meta, 'utf8')) as [MetaEntry])[0]).group;
  const bytes = readFileSync(join(data, `${newest}.car`));
  const blocks = readCar(bytes)
    .blocks.slice(1)
    .map(({ cid, offset, length }) => ({ cid, bytes: bytes.subarray(offset, offset + length) }));
  const { head } = readArchiveHeader(bytes);
  const forgetful = await packArchive({ cars: [], compact: [], head }, blocks);
  writeFileSync(join(data, `${forgetful.cid}.car`), forgetful.bytes);
  rmSync(join(data, `${newest}.car`));
  writeFileSync(meta, JSON.stringify([encodeMetaEntry([forgetful.cid])]));
  const { rows } = await opened('demoplain', { existing: { base } }).allDocs();
  expect(rows).toHaveLength(expectedOf('db-unencrypted/expected.json').allDocs.length);
});

describe('[R4] a damaged existing database', () => {
  const DATA = 'store/demodb/data';
  const HEAD = () =>
    (
      JSON.parse(readFileSync(golden('db-small/store/demodb/meta/main.json'), 'utf8')) as { data: string }[]
    )[0]?.data ?? '';
  const headArchive = () => /baembei[a-z2-7]{52}/.exec(atob(HEAD().slice(1)))?.[0] ?? '';
  const flip = (path: string, at: number) => {
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  const DAMAGES: readonly (readonly [string, string, (folder: string) => void])[] = [
    [
      'the meta is empty',
      'CORRUPT',
      (folder) => writeFileSync(join(folder, 'store/demodb/meta/main.json'), ''),
    ],
    [
      'the meta lists nothing',
      'CORRUPT',
      (folder) => writeFileSync(join(folder, 'store/demodb/meta/main.json'), '[]'),
    ],
    ['the meta is missing', 'MISSING_HEAD', (folder) => rmSync(join(folder, 'store/demodb/meta/main.json'))],
    [
      'the newest archive is missing',
      'MISSING_CARS',
      (folder) => rmSync(join(folder, DATA, `${headArchive()}.car`)),
    ],
    [
      'an archive is missing',
      'MISSING_CARS',
      (folder) => rmSync(join(folder, DATA, anotherArchive(headArchive()))),
    ],
    [
      'a bit of an archive changed',
      'CORRUPT',
      (folder) => flip(join(folder, DATA, anotherArchive(headArchive())), 200),
    ],
    [
      'the keys are missing',
      'MISSING_STORE_KEY',
      (folder) => rmSync(join(folder, 'keybag/_demodb_data_.json')),
    ],
    [
      'the keys are wrong',
      'KEY_UNKNOWN',
      (folder) =>
        cpSync(golden('db-small/keybag/_demodb_wal_.json'), join(folder, 'keybag/_demodb_data_.json')),
    ],
    [
      'the key bag is damaged',
      'CORRUPT',
      (folder) => writeFileSync(join(folder, 'keybag/_demodb_data_.json'), '{'),
    ],
    [
      'a key is invalid',
      'CORRUPT',
      (folder) => writeFileSync(join(folder, 'keybag/_demodb_data_.json'), '{"name":"x","key":"z1"}'),
    ],
  ];
  const anotherArchive = (head: string) =>
    readdirSync(golden('db-small/store/demodb/data'))
      .filter((name) => name.endsWith('.car') && name !== `${head}.car`)
      .sort()
      .at(-1) ?? '';

  test('[R4] reports MISSING_CARS or imports everything when any one archive is missing', async () => {
    const { folder, base, keyBag } = copyOf('db-small');
    const whole = expectedOf('db-small/expected.json').allDocs.length;
    const archives = readdirSync(join(folder, DATA)).filter((name) => name.endsWith('.car'));
    const codes: string[] = [];
    for (const name of archives) {
      renameSync(join(folder, DATA, name), join(folder, 'away'));
      const db = fixpoint('demodb', { directory: temporaryFolder(), existing: { base, keyBag } });
      const found = await db.allDocs().catch((error: { code: string }) => error.code);
      if (typeof found === 'string') codes.push(found);
      else {
        expect([found.rows.length, (await db.verify()).missing]).toEqual([whole, []]);
        await db.close();
      }
      renameSync(join(folder, 'away'), join(folder, DATA, name));
    }
    expect(new Set(codes)).toEqual(new Set(['MISSING_CARS']));
    expect(codes.length).toBeGreaterThan(archives.length / 2);
  });

  test.each(DAMAGES)('rejects the import and imports nothing when %s: %s', async (_, code, damage) => {
    const { folder, base, keyBag } = copyOf('db-small');
    damage(folder);
    const before = filesBelow(folder);
    const directory = temporaryFolder();
    const db = fixpoint('demodb', { directory, existing: { base, keyBag } });
    await expect(db.allDocs()).rejects.toMatchObject({ code });
    await expect(db.put({ _id: 'x' })).rejects.toMatchObject({ code });
    expect(filesBelow(folder)).toEqual(before);
    // With `existing: false`, an application can continue without the old database.
    const without = opened('demodb', { directory, existing: false });
    expect((await without.allDocs({ includeDeleted: true })).rows).toEqual([]);
  });
});
