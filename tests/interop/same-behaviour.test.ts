/** One suite, run on the client that exists and on `fixpoint/fireproof`: what an application may rely on when it switches by an alias. */
import { fireproof as existing } from '@fireproof/core';
import {
  isDatabase,
  isNotFoundError,
  fireproof as ours,
  SimpleTokenStrategy,
  toCloud,
} from 'fixpoint/fireproof';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newLedger, temporaryFolder, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';

type Doc = { _id: string; colour?: string; n?: number };
type Row = { readonly key: unknown; readonly id?: string; readonly value: unknown };
/** What both have in common, as this suite uses it. */
interface Common {
  readonly name: string;
  put(doc: object): Promise<{ id: string; clock: readonly unknown[]; name: string }>;
  get(id: string): Promise<object>;
  bulk(docs: Doc[]): Promise<{ ids: readonly string[]; clock: readonly unknown[] }>;
  del(id: string): Promise<{ id: string }>;
  allDocs(options?: object): Promise<{ rows: readonly Row[]; clock: readonly unknown[]; name: string }>;
  query(map: unknown, options?: object): Promise<{ rows: readonly Row[]; docs?: readonly unknown[] }>;
  changes(since?: readonly unknown[], options?: object): Promise<{ rows: readonly Row[] }>;
  subscribe(listener: (docs: readonly { _id: string }[]) => void, updates?: boolean): () => void;
  close(): Promise<void>;
}

const folder = await temporaryFolderForAll();
process.env['FP_KEYBAG_URL'] = `file://${folder}/keybag`;
const open = {
  '@fireproof/core': (name: string) =>
    existing(name, { storeUrls: { base: `file://${folder}/theirs` } }) as unknown as Common,
  'fixpoint/fireproof': (name: string) =>
    ours(name, { storeUrls: { base: `file://${folder}/ours` } }) as unknown as Common,
};

async function temporaryFolderForAll(): Promise<string> {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  return mkdtemp(`${tmpdir()}/fixpoint-same-`);
}

const COLOURS: Doc[] = [
  { _id: 'a', colour: 'red', n: 3 },
  { _id: 'b', colour: 'blue', n: 1 },
  { _id: 'c', colour: 'red', n: 2 },
  { _id: 'd', n: 4 },
];
const keysOf = ({ rows }: { rows: readonly Row[] }) => rows.map(({ key }) => key);
const idsOf = ({ rows }: { rows: readonly Row[] }) => rows.map(({ id }) => id);

describe.each(Object.entries(open))('%s', (product, openDatabase) => {
  const database = (name: string): Common => {
    const db = openDatabase(`${name}-${product.length}`);
    onTestFinished(() => db.close());
    return db;
  };

  test('a document comes back with its id, and a write says where it led', async () => {
    const db = database('documents');
    const written = await db.put({ _id: 'note', text: 'hello', list: [1, { deep: true }] });
    expect(written).toMatchObject({ id: 'note', name: db.name });
    expect(written.clock).toHaveLength(1);
    expect(await db.get('note')).toEqual({ _id: 'note', text: 'hello', list: [1, { deep: true }] });
    const { id } = await db.put({ text: 'without an id' });
    expect(await db.get(id)).toEqual({ _id: id, text: 'without an id' });
  });

  test('a document that is not there, or no more, is an ENOENT', async () => {
    const db = database('absent');
    await db.put({ _id: 'a' });
    expect(await db.del('a')).toMatchObject({ id: 'a' });
    for (const id of ['a', 'never']) await expect(db.get(id)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(db.get('')).rejects.toThrow(/Doc id is required/);
    await db.del('never was');
  });

  test('all documents come in the order of their ids, deleted ones on request', async () => {
    const db = database('all');
    const { ids } = await db.bulk([...COLOURS].reverse());
    expect(ids).toEqual(['d', 'c', 'b', 'a']);
    await db.del('b');
    expect(keysOf(await db.allDocs())).toEqual(['a', 'c', 'd']);
    expect(keysOf(await db.allDocs({ limit: 2 }))).toEqual(['a', 'c']);
    const { rows } = await db.allDocs({ includeDeleted: true });
    expect(rows[1]).toEqual({ key: 'b', value: { _id: 'b', _deleted: true } });
  });

  test('queries by a field and by a map function, with all ways to narrow them', async () => {
    const db = database('queries');
    await db.bulk(COLOURS);
    expect(keysOf(await db.query('colour'))).toEqual(['blue', 'red', 'red']);
    const { rows, docs } = await db.query('colour', { key: 'red' });
    expect(rows.map(({ id, value }) => [id, value])).toEqual([
      ['a', null],
      ['c', null],
    ]);
    expect(docs).toEqual([COLOURS[0], COLOURS[2]]);
    const byNumber = ({ n }: Doc) => n;
    expect(idsOf(await db.query(byNumber, { descending: true }))).toEqual(['d', 'a', 'c', 'b']);
    expect(idsOf(await db.query(byNumber, { range: [2, 3] }))).toEqual(['c', 'a']);
    expect(idsOf(await db.query(byNumber, { limit: 1 }))).toEqual(['b']);
    expect(idsOf(await db.query(byNumber, { keys: [4, 1] }))).toEqual(['d', 'b']);
    const pairs = await db.query(
      (doc: Doc, emit: (key: unknown, value?: unknown) => void) => {
        emit([doc.colour ?? 'none', doc.n], doc.n);
        emit('all');
      },
      { includeDocs: false },
    );
    expect(pairs.docs).toBeUndefined();
    expect(keysOf(pairs)).toEqual([
      'all',
      'all',
      'all',
      'all',
      ['blue', 1],
      ['none', 4],
      ['red', 2],
      ['red', 3],
    ]);
  });

  test('changes since a head are what was written after it', async () => {
    const db = database('changes');
    await db.put({ _id: 'a', n: 1 });
    const { clock } = await db.put({ _id: 'b', n: 1 });
    const since = [...clock];
    await db.put({ _id: 'a', n: 2 });
    await db.del('b');
    const { rows } = await db.changes(since);
    expect(rows.map(({ key, value }) => [key, value]).sort()).toEqual([
      ['a', { _id: 'a', n: 2 }],
      ['b', { _id: 'b', _deleted: true }],
    ]);
    expect(keysOf(await db.changes())).toHaveLength(2);
  });

  test('a subscriber hears of each write until it has had enough', async () => {
    const db = database('subscribers');
    await db.put({ _id: 'first' });
    const heard: string[] = [];
    const stop = db.subscribe((docs) => heard.push(...docs.map(({ _id }) => _id)), true);
    await db.put({ _id: 'a' });
    await db.bulk([{ _id: 'b' }, { _id: 'c' }]);
    await expect.poll(() => heard).toEqual(['a', 'b', 'c']);
    stop();
    await db.put({ _id: 'd' });
    expect(heard).toEqual(['a', 'b', 'c']);
  });

  test('handles of one name share a database, which is there again after the last was closed', async () => {
    const [one, two] = [openDatabase('shared'), openDatabase('shared')];
    await one.put({ _id: 'a' });
    expect(await two.get('a')).toEqual({ _id: 'a' });
    await one.close();
    await expect(one.close()).rejects.toThrow(/LedgerShell mismatch/);
    expect(await two.get('a')).toEqual({ _id: 'a' });
    await two.close();
    const again = openDatabase('shared');
    expect(await again.get('a')).toEqual({ _id: 'a' });
    await again.close();
  });
});

describe('fixpoint/fireproof alone', () => {
  test('it knows its own databases and errors, and leads to the whole engine', async () => {
    const db = ours('own', { storeUrls: { base: 'memory://own' } });
    expect(isDatabase(db)).toBe(true);
    expect(isDatabase({ ...db })).toBe(false);
    const failure = await db.get('absent').catch((cause: unknown) => cause);
    expect(isNotFoundError(failure)).toBe(true);
    const { clock } = await db.put({ _id: 'a' });
    expect(await db.fixpoint.at(clock).get('a')).toEqual({ _id: 'a' });
    await expect(db.ledger.close()).rejects.toThrow('use shellClose');
    await db.close();
    await expect(db.ready()).rejects.toThrow('CRDT is not ready: database is closed');
    expect(() => ours('own', { storeUrls: { base: 's3://bucket' } })).toThrow(/storeUrls.base/);
  });

  test('it attaches to the ledger that its token selects', async () => {
    const cloud = await testCloud();
    const { token } = await newLedger(cloud);
    const remote = () => toCloud({ urls: { base: cloud.url }, strategy: new SimpleTokenStrategy(token) });
    const [a, b] = [await temporaryFolder(), await temporaryFolder()].map((base) =>
      ours('synced', { storeUrls: { base: `file://${base}` } }),
    );
    if (a === undefined || b === undefined) throw new Error('two databases');
    const attached = await Promise.all([a.attach(remote()), b.attach(remote())]);
    expect(attached[0].status()).toBe('attached');
    await a.put({ _id: 'hello' });
    await expect.poll(async () => keysOf(await b.allDocs()), { timeout: 15_000 }).toEqual(['hello']);
    for (const one of attached) await one.detach();
    await Promise.all([a.close(), b.close()]);
    const none = ours('none', { storeUrls: { base: 'memory://none' } });
    await expect(
      none.attach(toCloud({ strategy: new SimpleTokenStrategy('no token') })),
    ).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await none.close();
  });
});
