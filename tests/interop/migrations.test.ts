/**
 * Runs the scripts of the migration guides against the real databases, which only the benchmark
 * installs. So these tests run by night only.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { type Database, fixpoint } from 'fixpoint';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensurePeers } from '../../scripts/ready.mjs';
import { codeBlocksOf } from '../architecture/code-blocks.fixture.ts';

const isQuick = ['check', 'commit'].includes(process.env['FIXPOINT_BUDGET'] ?? 'commit');
/** Below `bench`, so that the scripts find the other databases. */
const folder = resolve('bench/artefacts/migrations');

/** Loads the script of a guide. */
async function scriptOf<T>(page: string): Promise<T> {
  const [block] = codeBlocksOf(`docs/guide/${page}.md`).filter(({ language }) => language === 'ts');
  const path = join(folder, `${page}.ts`);
  writeFileSync(path, block?.code ?? '');
  return (await import(/* @vite-ignore */ path)) as T;
}

/** Loads a package that the benchmark installs. */
const load = async (name: string) =>
  await import(/* @vite-ignore */ pathToFileURL(createRequire(resolve('bench/run.mjs')).resolve(name)).href);

const newDatabase = () => fixpoint(`copied-${Math.random()}`, { storage: 'memory' });
const contentOf = async (db: Database) =>
  Object.fromEntries((await db.allDocs()).rows.map(({ key, value }) => [key, value]));
const textOf = async (db: Database, id: string, name: string) => {
  const doc = await db.get<{ _files: Record<string, { file(): Promise<File> }> }>(id);
  const file = await doc._files[name]?.file();
  return [await file?.text(), file?.type];
};

/** Compiles the script of a guide with the types of the other database. Returns the errors. */
function errorsIn(page: string): string[] {
  const options = { extends: resolve('tsconfig.tests.json'), files: [`${page}.ts`] };
  const relaxed = { incremental: false, noUncheckedIndexedAccess: false, noUnusedLocals: false };
  const loose = { exactOptionalPropertyTypes: false, noUnusedParameters: false, types: ['node'] };
  const compilerOptions = { ...relaxed, ...loose };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...options, compilerOptions }));
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.startsWith(page));
}

describe.skipIf(isQuick)('the script that copies data (by night)', () => {
  beforeAll(() => {
    ensurePeers();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('copies tables of Dexie with keys, dates and files, and nothing twice', async () => {
    // Dexie reads these when it is loaded, and keeps them.
    vi.stubGlobal('indexedDB', new IDBFactory());
    vi.stubGlobal('IDBKeyRange', IDBKeyRange);
    type Script = { copyFromDexie(name: string, db: Database): Promise<number> };
    const { copyFromDexie } = await scriptOf<Script>('from-dexie');
    const { default: Dexie } = await load('dexie');
    const old = new Dexie('household');
    old.version(1).stores({ todos: '++id, done', people: 'email', marks: '' });
    const at = new Date(0);
    await old.todos.bulkAdd(Array.from({ length: 1200 }, (_, rank) => ({ rank, done: false, at })));
    await old.people.add({ email: 'zoë@example.com', photo: new Blob(['face'], { type: 'image/png' }) });
    await old.marks.add({ color: 'red' }, 7);
    old.close();

    const db = newDatabase();
    expect(await copyFromDexie('household', db)).toBe(1202);
    expect(await db.get('todos/1')).toEqual({
      _id: 'todos/1',
      id: 1,
      rank: 0,
      done: false,
      at: at.toISOString(),
    });
    expect(await db.get('marks/7')).toEqual({ _id: 'marks/7', color: 'red' });
    expect(await textOf(db, 'people/zo%C3%AB%40example.com', 'photo')).toEqual(['face', 'image/png']);
    await db.put({ _id: 'todos/1', rank: 5 });
    await db.del('todos/2');
    expect(await copyFromDexie('household', db)).toBe(0);
    expect(Object.keys(await contentOf(db))).toHaveLength(1201);
    expect(await db.get('todos/1')).toEqual({ _id: 'todos/1', rank: 5 });
    expect(errorsIn('from-dexie')).toEqual([]);
  });

  test('copies documents of PouchDB with attachments, and names conflicts', async () => {
    type Script = { copyFromPouchDB(old: unknown, db: Database): Promise<string[]> };
    const { copyFromPouchDB } = await scriptOf<Script>('from-pouchdb');
    const { default: PouchDB } = await load('pouchdb');
    const old = new PouchDB(join(folder, 'old'));
    const other = new PouchDB(join(folder, 'other'));
    await old.bulkDocs(Array.from({ length: 250 }, (_, rank) => ({ _id: `n${rank}`, rank })));
    await old.put({ _id: '_design/by', views: {} });
    await old.put({ _id: 'für Zoë', title: 'Gift' });
    await old.put({ _id: 'gone' }).then(({ rev }: { rev: string }) => old.remove('gone', rev));
    const data = Buffer.from('hello');
    await old.put({ _id: 'filed', _attachments: { 'a.txt': { content_type: 'text/plain', data } } });
    await other.put({ _id: 'n1', rank: 'other' });
    await old.replicate.from(other);

    const db = newDatabase();
    expect(await copyFromPouchDB(old, db)).toEqual(['n1']);
    const { rank } = await old.get('n1');
    expect(await db.get('n1')).toEqual({ _id: 'n1', rank });
    expect(await db.get('f%C3%BCr%20Zo%C3%AB')).toMatchObject({ title: 'Gift' });
    expect(await textOf(db, 'filed', 'a.txt')).toEqual(['hello', 'text/plain']);
    await db.put({ _id: 'n2', rank: 'new' });
    await copyFromPouchDB(old, db);
    expect(Object.keys(await contentOf(db))).toHaveLength(252);
    expect(await db.get('n2')).toEqual({ _id: 'n2', rank: 'new' });
    await Promise.all([old.close(), other.close()]);
  });

  test('copies collections of RxDB with attachments, and nothing twice', async () => {
    type Script = { copyFromRxDB(old: unknown, db: Database): Promise<number> };
    const { copyFromRxDB } = await scriptOf<Script>('from-rxdb');
    const { addRxPlugin, createRxDatabase } = await load('rxdb');
    const { RxDBAttachmentsPlugin } = await load('rxdb/plugins/attachments');
    const { getRxStorageMemory } = await load('rxdb/plugins/storage-memory');
    addRxPlugin(RxDBAttachmentsPlugin);
    const old = await createRxDatabase({ name: 'household', storage: getRxStorageMemory() });
    const schema = (extra: object) => ({
      version: 0,
      primaryKey: 'id',
      type: 'object',
      properties: { id: { type: 'string', maxLength: 100 }, title: { type: 'string' } },
      ...extra,
    });
    await old.addCollections({
      todos: { schema: schema({}) },
      albums: { schema: schema({ attachments: {} }) },
    });
    await old.todos.bulkInsert(
      Array.from({ length: 1200 }, (_, at) => ({ id: `t${at}`, title: `Todo ${at}` })),
    );
    await (await old.todos.findOne('t9').exec()).remove();
    const album = await old.albums.insert({ id: 'für Zoë', title: 'Trip' });
    const data = new Blob(['picture'], { type: 'image/png' });
    await album.putAttachment({ id: 'cover', data, type: 'image/png' });

    const db = newDatabase();
    expect(await copyFromRxDB(old, db)).toBe(1200);
    expect(await db.get('todos/t8')).toEqual({ _id: 'todos/t8', title: 'Todo 8' });
    expect(await textOf(db, 'albums/f%C3%BCr%20Zo%C3%AB', 'cover')).toEqual(['picture', 'image/png']);
    expect(await copyFromRxDB(old, db)).toBe(0);
    expect(Object.keys(await contentOf(db))).toHaveLength(1200);
    expect(errorsIn('from-rxdb')).toEqual([]);
    await old.close();
  });
});
