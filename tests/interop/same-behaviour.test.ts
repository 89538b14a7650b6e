/**
 * Runs one suite on the existing client and on `fixpoint/fireproof`. The suite tests behaviour that
 * applications rely on when they switch with an alias.
 */
import * as core from '@fireproof/core';
import * as aliased from 'fixpoint/fireproof';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newLedger, temporaryFolder, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';

type Doc = { _id: string; colour?: string; n?: number };
type Row = { readonly key: unknown; readonly id?: string; readonly value: unknown };
/** The methods of both APIs that this suite uses. */
interface Common {
  readonly name: string;
  readonly ledger: { readonly name: string };
  ready(): Promise<void>;
  compact(): Promise<void>;
  destroy(): Promise<void>;
  onClosed(fn: () => void): unknown;
  remove(id: string): Promise<{ id: string; clock: readonly unknown[]; name: string }>;
  allDocuments(): Promise<{ rows: readonly Row[] }>;
  put(doc: object): Promise<{ id: string; clock: readonly unknown[]; name: string }>;
  get(id: string): Promise<object>;
  bulk(docs: Doc[]): Promise<{ ids: readonly string[]; clock: readonly unknown[] }>;
  del(id: string): Promise<{ id: string }>;
  allDocs(options?: object): Promise<{ rows: readonly Row[]; clock: readonly unknown[]; name: string }>;
  query(map: unknown, options?: object): Promise<{ rows: readonly Row[]; docs?: readonly unknown[] }>;
  changes(
    since?: readonly unknown[],
    options?: object,
  ): Promise<{ rows: readonly (Row & { clock: unknown })[]; clock: readonly unknown[]; name: string }>;
  subscribe(listener: (docs: readonly { _id: string }[]) => void, updates?: boolean): () => void;
  close(): Promise<void>;
}

const folder = await temporaryFolderForAll();
process.env['FP_KEYBAG_URL'] = `file://${folder}/keybag`;
const open = {
  '@fireproof/core': (name: string) =>
    core.fireproof(name, { storeUrls: { base: `file://${folder}/theirs` } }) as unknown as Common,
  'fixpoint/fireproof': (name: string) =>
    aliased.fireproof(name, { storeUrls: { base: `file://${folder}/ours` } }) as unknown as Common,
};

async function temporaryFolderForAll(): Promise<string> {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  return mkdtemp(`${tmpdir()}/fixpoint-same-`);
}

const { isDatabase, isNotFoundError, fireproof: ours, SimpleTokenStrategy, toCloud } = aliased;
const texts = (clock: readonly unknown[]) => clock.map(String);

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

  test('returns a document with its id, and the clock after a write', async () => {
    const db = database('documents');
    const written = await db.put({ _id: 'note', text: 'hello', list: [1, { deep: true }] });
    expect(written).toMatchObject({ id: 'note', name: db.name });
    expect(written.clock).toHaveLength(1);
    expect(await db.get('note')).toEqual({ _id: 'note', text: 'hello', list: [1, { deep: true }] });
    const { id } = await db.put({ text: 'without an id' });
    expect(await db.get(id)).toEqual({ _id: id, text: 'without an id' });
  });

  test('rejects with ENOENT for an absent or deleted document', async () => {
    const db = database('absent');
    await db.put({ _id: 'a' });
    expect(await db.del('a')).toMatchObject({ id: 'a' });
    for (const id of ['a', 'never']) await expect(db.get(id)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(db.get('')).rejects.toThrow(/Doc id is required/);
    await db.del('never was');
  });

  test('lists documents by id, including deleted ones on request', async () => {
    const db = database('all');
    const { ids } = await db.bulk([...COLOURS].reverse());
    expect(ids).toEqual(['d', 'c', 'b', 'a']);
    await db.del('b');
    expect(keysOf(await db.allDocs())).toEqual(['a', 'c', 'd']);
    expect(keysOf(await db.allDocs({ limit: 2 }))).toEqual(['a', 'c']);
    const { rows } = await db.allDocs({ includeDeleted: true });
    expect(rows[1]).toEqual({ key: 'b', value: { _id: 'b', _deleted: true } });
  });

  test('queries with a field or a map function, and with every option that narrows the result', async () => {
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

  test('returns the changes since a head', async () => {
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

  test('notifies a subscriber of each write until it unsubscribes', async () => {
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

  test('shares one database between handles with the same name, and reopens the database after all handles close', async () => {
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

  test('creates equal events and clock texts for equal writes', async () => {
    const db = database('clocks');
    const { clock } = await db.put({ _id: 'a', n: 1 });
    expect(texts(clock)).toEqual(['bafyreidcjhempjoivbgpfiaa4tcja6ow7hzd46cz6ehczkic76f7ow22oi']);
    const { clock: later, rows, name } = await db.changes();
    expect([texts(later), name]).toEqual([texts(clock), db.name]);
    expect(rows.map(({ key, value, clock: event }) => [key, value, String(event)])).toEqual([
      ['a', { _id: 'a', n: 1 }, texts(clock)[0]],
    ]);
    expect((await db.allDocs()).clock.map(String)).toEqual(texts(clock));
  });

  test('copies documents at put and at read', async () => {
    const db = database('copies');
    const given = { _id: 'a', list: [1], at: new Date(0), nothing: undefined };
    await db.put(given);
    expect(Object.keys(given)).toEqual(['_id', 'list', 'at', 'nothing']);
    const read = (await db.get('a')) as { list: number[] };
    expect(read).toEqual({ _id: 'a', list: [1], at: '1970-01-01T00:00:00.000Z' });
    read.list.push(2);
    expect(await db.get('a')).toMatchObject({ list: [1] });
  });

  test('accepts a number as an id and stores its text', async () => {
    const db = database('numbers');
    expect(String((await db.put({ _id: 7, n: 1 })).id)).toBe('7');
    expect(await db.get('7')).toEqual({ _id: '7', n: 1 });
    await db.bulk([{ _id: 8 as never }]);
    expect(keysOf(await db.allDocs())).toEqual(['7', '8']);
    await db.del(8 as never);
    expect(keysOf(await db.allDocs())).toEqual(['7']);
  });

  test('treats remove as del and allDocuments as allDocs; returns no rows for a limit of 0', async () => {
    const db = database('names');
    await db.bulk(COLOURS);
    const { id, clock, name } = await db.remove('d');
    expect([id, clock.length, name]).toEqual(['d', 1, db.name]);
    expect(await db.allDocuments()).toEqual(await db.allDocs());
    expect((await db.allDocs({ limit: 0 })).rows).toEqual([]);
    expect(db.ledger.name).toBe(db.name);
  });

  test('returns the newest N changes, oldest first', async () => {
    const db = database('newest');
    for (const doc of COLOURS) await db.put(doc);
    expect(keysOf(await db.changes())).toEqual(['a', 'b', 'c', 'd']);
    expect(keysOf(await db.changes([], { limit: 2 }))).toEqual(['c', 'd']);
  });

  test('keeps all puts that run at the same time', async () => {
    const db = database('parallel');
    await Promise.all(COLOURS.map((doc) => db.put(doc)));
    await db.put({ _id: 'z' });
    expect(keysOf(await db.allDocs())).toEqual(['a', 'b', 'c', 'd', 'z']);
  });

  test('stores a file as an entry that returns the file', async () => {
    const db = database('files');
    const at = 1_700_000_000_000;
    const file = new File(['hello'], 'note.txt', { type: 'text/plain', lastModified: at });
    await db.put({ _id: 'with', _files: { note: file } });
    const { _files } = (await db.get('with')) as {
      _files: Record<
        string,
        { cid: unknown; car: unknown[]; size: number; type: string; file(): Promise<File> }
      >;
    };
    const { note } = _files;
    expect(note).toMatchObject({ size: 5, type: 'text/plain', lastModified: at });
    expect([String(note?.cid), note?.car.map(String)]).toEqual([
      'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq',
      [expect.stringMatching(/^baembei/)],
    ]);
    const read = await note?.file();
    expect([await read?.text(), read?.type, read?.lastModified]).toEqual(['hello', 'text/plain', at]);
  });

  test('lets a map function emit any value, and rejects with the error that the function throws', async () => {
    const db = database('maps');
    await db.bulk(COLOURS);
    const emitted = await db.query(
      ({ n }: Doc, emit: (key: unknown, value?: unknown) => void) => {
        emit(undefined);
        emit(n, '');
      },
      { includeDocs: false },
    );
    expect(emitted.rows).toEqual([
      { key: 1, id: 'b', value: null },
      { key: 2, id: 'c', value: null },
      { key: 3, id: 'a', value: null },
      { key: 4, id: 'd', value: null },
    ]);
    const failing = () => {
      throw new Error('boom');
    };
    await expect(db.query(failing)).rejects.toThrow('boom');
    for (const map of [7, async () => 1])
      await expect(db.query(map)).rejects.toThrow(/mapFn must be a function/);
  });

  test('notifies with documents only on request, sends deletes as ids, and isolates a subscriber that throws', async () => {
    const db = database('listeners');
    const heard: unknown[] = [];
    db.subscribe(() => {
      throw new Error('a bad subscriber');
    });
    db.subscribe((docs) => heard.push(docs.length));
    db.subscribe((docs) => heard.push(...docs), true);
    await db.put({ _id: 'a', n: 1 });
    // The order of subscribers isn't specified.
    await expect.poll(() => heard).toHaveLength(2);
    expect(new Set(heard)).toEqual(new Set([0, { _id: 'a', n: 1 }]));
    await db.del('a');
    await expect.poll(() => heard).toHaveLength(4);
    const [deleted] = heard.slice(2).filter((one) => one !== 0);
    expect(deleted).toMatchObject({ _id: 'a' });
    expect(deleted).not.toHaveProperty('n');
  });

  test('becomes ready, compacts, reports when its last handle is closed, and can be destroyed', async () => {
    const [one, two] = [openDatabase('ending'), openDatabase('ending')];
    await one.ready();
    await one.bulk(COLOURS);
    await one.compact();
    expect(keysOf(await two.allDocs())).toEqual(['a', 'b', 'c', 'd']);
    const told: string[] = [];
    two.onClosed(() => told.push('closed'));
    await one.close();
    expect(told).toEqual([]);
    await two.close();
    expect(told).toEqual(['closed']);
    const last = openDatabase('ending');
    await last.destroy();
  });

  test("rejects values that can't be stored, without changing anything", async () => {
    const db = database('refused');
    await db.put({ _id: 'a', n: 1 });
    const refused = [
      { _id: 'a', f: () => 1 },
      { _id: 'a', n: Number.POSITIVE_INFINITY },
      { _id: 'a', n: [undefined] },
      { _id: 'é' },
      { _id: 'x'.repeat(4097) },
    ];
    for (const doc of refused) await expect(db.put(doc)).rejects.toThrow();
    await expect(db.bulk([{ _id: 'b' }, refused[0] as Doc])).rejects.toThrow();
    expect((await db.allDocs()).rows).toEqual([{ key: 'a', value: { _id: 'a', n: 1 } }]);
  });

  test('rejects a database without a name', async () => {
    const use = async () => {
      const db = openDatabase('');
      await db.put({ _id: 'a' });
    };
    await expect(use()).rejects.toThrow('missing name');
  });
});

describe('fixpoint/fireproof, where it differs from the existing client', () => {
  test('exports the names that applications import, but no internals', () => {
    const names = ['fireproof', 'isDatabase', 'isNotFoundError', 'NotFoundError'];
    expect(names.filter((name) => !(name in core) || !(name in aliased))).toEqual([]);
    expect(
      Object.keys(aliased)
        .filter((name) => !(name in core))
        .sort(),
    ).toEqual(['SimpleTokenStrategy', 'exportDatabase', 'importDatabase', 'toCloud']);
  });

  test('recognises its own databases and errors, and gives access to the engine', async () => {
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

  test('attaches to the ledger that the token specifies', async () => {
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
    await expect.poll(async () => keysOf(await b.allDocs())).toEqual(['hello']);
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
