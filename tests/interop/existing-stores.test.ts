/**
 * Fixpoint reads and changes databases that `@fireproof/core` 0.24.19 from npm wrote on this
 * machine. The existing client reads and changes databases that Fixpoint exports.
 */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { StoredFile } from 'fixpoint';
import { type Database, exportDatabase, fireproof, importDatabase } from 'fixpoint/fireproof';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../packages/cloud/tests/cloud.fixture.ts';

const script = fileURLToPath(new URL('./store-peer.mjs', import.meta.url));
const run = promisify(execFile);

type Doc = { readonly _id: string; readonly value: number };
interface Place {
  readonly base: string;
  readonly keyBag: string;
}
interface Shown {
  /** Rows of `changes()`, if a step called it. */
  readonly changed?: readonly (readonly [id: string, value: number | null])[];
  readonly rows: readonly (readonly [id: string, value: number | null])[];
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly head: readonly string[];
}

async function newPlace(parameters = ''): Promise<Place> {
  const folder = await temporaryFolder();
  return { base: `file://${folder}/store${parameters}`, keyBag: `file://${folder}/keybag` };
}

/** Runs the steps in the existing client. Returns the resulting content of its database. */
async function existing(
  { base, keyBag }: Place,
  steps: readonly object[] = [],
): Promise<Shown & { error?: string }> {
  const env = { ...process.env, FP_KEYBAG_URL: keyBag };
  const given = JSON.stringify({ base, name: 'notes', steps });
  const { stdout } = await run(process.execPath, [script, given], { env, timeout: 200_000, maxBuffer: 1e8 });
  return JSON.parse(
    stdout
      .split('\n')
      .find((line) => line.startsWith('='))
      ?.slice(1) ?? '{}',
  );
}

/** Opens a Fixpoint database in a new folder. */
async function ours(name = 'notes'): Promise<Database> {
  const db = fireproof(name, { storeUrls: { base: `file://${await temporaryFolder()}` } });
  onTestFinished(() => db.close());
  return db;
}

/** Merges everything of one database into another one, through a folder of the existing client. */
async function passOn(from: Database, to: Database): Promise<void> {
  const place = await newPlace();
  await exportDatabase(from, { to: place.base, keyBag: place.keyBag });
  await importDatabase(to, { from: place.base, keyBag: place.keyBag });
}

async function shown(db: Database): Promise<Shown> {
  const { rows } = await db.allDocs<{ value: number; _files?: Record<string, StoredFile> }>({
    includeDeleted: true,
  });
  const files: Record<string, Record<string, string>> = {};
  for (const { key, value } of rows)
    for (const [name, entry] of Object.entries(value._files ?? {}))
      files[key] = { ...files[key], [name]: await (await entry.file()).text() };
  return {
    rows: rows.map(({ key, value }) => [key, value.value ?? null]),
    files,
    head: [...(await db.fixpoint.head())],
  };
}

const docs = (name: string, count: number, value = 0): Doc[] =>
  Array.from({ length: count }, (_, at) => ({ _id: `${name}-${String(at).padStart(3, '0')}`, value }));

/** Steps that write, change and delete documents, and attach a file. */
const STEPS = [
  { bulk: docs('bulk', 20) },
  { attached: { _id: 'with-file', value: 1, file: 'the attached text' } },
  { del: 'bulk-003' },
  { put: { _id: 'bulk-004', value: 4 } },
];

describe('a database that the existing client wrote', () => {
  test('is imported with changes, deletions, files and several heads; the existing client then reads our writes', async () => {
    const place = await newPlace();
    const theirs = await existing(place, [...STEPS, { parallel: docs('parallel', 5) }]);
    expect(theirs.head.length).toBeGreaterThan(1);
    const db = await ours();
    const found = await importDatabase(db, { from: place.base, keyBag: place.keyBag });
    expect(found).toMatchObject({ documents: 25, deleted: 1, files: 1, filesMissing: 0 });
    expect(await shown(db)).toEqual(theirs);

    await db.put({ _id: 'bulk-000', value: 10 });
    await db.del('bulk-001');
    await db.put({
      _id: 'ours',
      value: 1,
      _files: { it: new File(['of ours'], 'it', { type: 'text/plain' }) },
    });
    const target = await newPlace();
    await exportDatabase(db, { to: target.base, keyBag: target.keyBag });
    expect(await existing(target)).toEqual(await shown(db));

    // Both sides change documents before the next import.
    const there = await existing(place, [
      { put: { _id: 'bulk-005', value: 55 } },
      { put: { _id: 'later', value: 1 } },
    ]);
    expect(there.error).toBeUndefined();
    await db.put({ _id: 'bulk-006', value: 66 });
    await importDatabase(db, { from: place.base, keyBag: place.keyBag });
    const joined = new Map((await shown(db)).rows);
    expect(['bulk-000', 'bulk-001', 'bulk-005', 'bulk-006', 'later'].map((id) => joined.get(id))).toEqual([
      10,
      null,
      55,
      66,
      1,
    ]);
    const head = await db.fixpoint.head();
    await importDatabase(db, { from: place.base, keyBag: place.keyBag });
    expect(await db.fixpoint.head()).toEqual(head);
  });

  test('opens for an application that switched with the alias, in the same folder and with the same keys', async () => {
    const place = await newPlace();
    const theirs = await existing(place, STEPS);
    const db = fireproof('notes', { storeUrls: { base: place.base }, keyBag: { url: place.keyBag } });
    onTestFinished(() => db.close());
    expect(await shown(db)).toEqual(theirs);
    await db.put({ _id: 'bulk-000', value: 10 });
    // The import leaves the original database unchanged.
    expect(await existing(place)).toEqual(theirs);
  });

  test('can be unencrypted, both when it is imported and when it is exported', async () => {
    const place = await newPlace('?storekey=insecure');
    const theirs = await existing(place, STEPS);
    const db = fireproof('notes', { storeUrls: { base: place.base } });
    onTestFinished(() => db.close());
    expect(await shown(db)).toEqual(theirs);
    const target = await newPlace('?storekey=insecure');
    await exportDatabase(db, { to: target.base });
    expect(await existing(target)).toEqual(theirs);
    expect(await readdir(new URL(target.keyBag)).catch(() => [])).not.toContain('_notes_data_.json');
  });

  test('is imported after a compaction, and when it has grown too long for the existing client to open', async () => {
    const compacted = await newPlace();
    const theirs = await existing(compacted, [
      ...STEPS,
      { compact: null },
      { put: { _id: 'x', value: 1 } },
      { compact: null },
    ]);
    const db = await ours();
    await importDatabase(db, { from: compacted.base, keyBag: compacted.keyBag });
    expect(await shown(db)).toEqual(theirs);
    expect((await db.fixpoint.verify()).missing).toEqual([]);

    // The existing client compacts while it writes, and loses the writes that happen during a
    // compaction. The import must find all of these writes.
    const broken = await newPlace();
    const many = docs('one', 130);
    await existing(broken, [{ oneByOne: many }]);
    const rescued = await ours();
    await importDatabase(rescued, { from: broken.base, keyBag: broken.keyBag });
    expect((await shown(rescued)).rows).toEqual(many.map(({ _id, value }) => [_id, value]));
  });
});

describe('a Fixpoint database in the format of the existing client', () => {
  test('is exported as several archives that the existing client reads and changes, and imports the changes', async () => {
    const db = await ours();
    await db.bulk([...docs('bulk', 300), { _id: 'long', value: 1, text: 'x'.repeat(1_200_000) }]);
    await db.put({ _id: 'bulk-000', value: 1 });
    await db.del('bulk-001');
    await db.compact();
    const target = await newPlace();
    const written = await exportDatabase(db, { to: target.base, keyBag: target.keyBag });
    expect(written).toMatchObject({
      documents: 301,
      files: 0,
      filesMissing: 0,
      head: await db.fixpoint.head(),
    });
    expect(await existing(target)).toEqual(await shown(db));
    const theirs = await existing(target, [{ put: { _id: 'bulk-002', value: 2 } }, { del: 'bulk-003' }]);
    await importDatabase(db, { from: target.base, keyBag: target.keyBag });
    expect(await shown(db)).toEqual(theirs);
  });

  test('is exported with all versions that changes() of the existing client reads in a diverged history', async () => {
    const [one, two] = [await ours(), await ours()];
    for (const doc of docs('both', 4)) await one.put(doc);
    await passOn(one, two);
    await one.put({ _id: 'both-000', value: 1 });
    for (const id of ['both-000', 'both-001', 'only']) await two.put({ _id: id, value: 2 });
    await passOn(two, one);
    expect(await one.fixpoint.head()).toHaveLength(2);
    const target = await newPlace();
    const written = await exportDatabase(one, { to: target.base, keyBag: target.keyBag });
    expect(written).toMatchObject({ documents: 5, versionsMissing: 0 });
    const changes = { changes: null };
    const { changed, ...theirs } = await existing(target, [changes]);
    expect(theirs).toEqual(await shown(one));
    const ids = (await shown(one)).rows.map(([id]) => id);
    expect(changed?.map(([id]) => id).sort()).toEqual(ids);
    const later = await existing(target, [{ put: { _id: 'later', value: 3 } }, { compact: null }, changes]);
    expect(later.changed?.map(([id]) => id).sort()).toEqual([...ids, 'later'].sort());
  });

  test('is exported only into an empty folder, and only if the database has content', async () => {
    const place = await newPlace();
    await existing(place, [{ put: { _id: 'a', value: 1 } }]);
    const db = await ours();
    await expect(exportDatabase(db, { to: place.base })).rejects.toMatchObject({ code: 'CONFLICT' });
    const empty = await newPlace();
    await expect(exportDatabase(db, { to: empty.base })).rejects.toMatchObject({ code: 'MISSING_HEAD' });
    await expect(exportDatabase(db, { to: 'memory://x' })).rejects.toMatchObject({ code: 'NOT_IMPLEMENTED' });
    expect(await importDatabase(db, { from: empty.base })).toBeUndefined();
  });
});
