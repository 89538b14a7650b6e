/** Runs the same tests on a database in the same thread and on a database behind a bridge. */

import { Worker } from 'node:worker_threads';
import { CID } from 'multiformats/cid';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toCloud as bridgedToCloud } from '../src/bridge/attached.ts';
import type { BridgePort } from '../src/bridge/line.ts';
import type { Head } from '../src/clock/event.ts';
import { ownLinks } from '../src/codec/links.fixture.ts';
import type { Database, Stored } from '../src/database/database.ts';
import { type Rows, rowsOf } from '../src/database/database-rows.ts';
import { openDatabase } from '../src/database/open.ts';
import { verifyProof } from '../src/database/past/proofs.ts';
import { connectEngine, type Engine } from '../src/entries/bridge.ts';
import { serveEngine } from '../src/entries/worker.ts';
import type { Platform } from '../src/ports/platform.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { world } from './sync-world.fixture.ts';

interface Place {
  open(name?: string): { db: Database; rows: Rows };
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function bridgeTo(open: (name: string) => Database): Engine {
  const { port1, port2 } = new MessageChannel();
  serveEngine(port2 as unknown as BridgePort, open);
  ends.push(() => port1.close());
  return connectEngine(port1 as unknown as BridgePort);
}

const places: Readonly<Record<string, (platform: Platform) => Place>> = {
  direct: (platform) => ({
    open: (name = 'db') => {
      const db = openDatabase(name, platform);
      return { db, rows: rowsOf(db) };
    },
  }),
  bridged: (platform) => {
    const engine = bridgeTo((name) => openDatabase(name, platform));
    return {
      open: (name = 'db') => {
        const db = engine.open(name);
        return { db, rows: db.rows };
      },
    };
  },
};

const HASHED = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy');

describe.each(Object.entries(places))('a %s database', (_, placeOn) => {
  const start = () => {
    const { platform } = memoryPlatform();
    const place = placeOn(platform);
    return { ...place.open(), place };
  };

  test('returns documents exactly as they were put', async () => {
    const { db } = start();
    const doc = {
      _id: 'a',
      text: 'x\u0000é😀',
      bytes: new Uint8Array([9, 1, 2, 9]).subarray(1, 3),
      link: HASHED,
      big: 2n ** 60n,
      nested: [{ toJSON: 'text', '/': 'no link' }, null, true, 1.5],
      ['__proto__']: { kept: true },
    };
    const own = JSON.parse('{"__proto__": {"kept": true}}');
    await db.put({ ...doc, ...own });
    const found = await db.get('a');
    expect(found).toEqual(ownLinks(doc));
    expect(CID.asCID(found['link'])?.equals(HASHED)).toBe(true);
    expect(found['bytes']).toEqual(Uint8Array.of(1, 2));
    expect(Object.hasOwn(found, '__proto__')).toBe(Object.hasOwn(own, '__proto__'));
  });

  test('stores the content that a document has when put is called', async () => {
    const { db } = start();
    const doc = { _id: 'a', n: 1 };
    const putting = db.put(doc);
    doc.n = 2;
    await putting;
    expect(await db.get('a')).toEqual({ _id: 'a', n: 1 });
  });

  test.each([
    ['a function', () => 1],
    ['a Map', new Map([['link', 1]])],
    ['a Set', new Set([1])],
    ['a class instance', new (class Own {})()],
    ['NaN', Number.NaN],
    ['a lone surrogate', '\ud800'],
    ['an error', new Error('x')],
    ['a signal', new AbortController().signal],
  ])('rejects %s in a document', async (_kind, value) => {
    const { db } = start();
    await expect(db.put({ _id: 'a', value })).rejects.toMatchObject({ code: 'DOC_INVALID' });
    await expect(db.get('a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('rejects invalid calls with the expected codes and messages', async () => {
    const { db, place } = start();
    await expect(db.get('never')).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'Not found: never' });
    await expect(db.get('')).rejects.toMatchObject({
      code: 'DOC_ID_REQUIRED',
      message: 'Doc id is required',
    });
    await expect(db.put({ _id: 'é' })).rejects.toMatchObject({ code: 'KEY_INVALID' });
    expect(() => place.open('')).toThrow(expect.objectContaining({ code: 'MISSING_NAME' }));
  });

  test('rejects an invalid limit in every call that accepts a limit', async () => {
    const { db, rows } = start();
    await db.bulk([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }, { _id: 'c' }]);
    const counted = async (parts: AsyncIterable<readonly unknown[]>) => {
      let count = 0;
      for await (const part of parts) count += part.length;
      return count;
    };
    const asked: Readonly<Record<string, (limit: number) => Promise<number>>> = {
      allDocs: async (limit) => (await db.allDocs({ limit })).rows.length,
      'allDocs of the past': async (limit) => (await db.at(await db.head()).allDocs({ limit })).rows.length,
      query: async (limit) => (await db.query('_id', { limit })).rows.length,
      'query of the past': async (limit) =>
        (await db.at(await db.head()).query('_id', { limit })).rows.length,
      changes: async (limit) => (await db.changes([], { limit })).rows.length,
      window: async (limit) => (await rows.window({ limit })).rows.length,
      find: (limit) => counted(rows.find({ limit })),
      'find in an order': (limit) => counted(rows.find({ sort: 'n', limit })),
      map: (limit) => counted(rows.map('_id', { limit })),
      history: async (limit) => (await db.history('a', { limit })).length,
      events: async (limit) => (await db.events({ limit })).length,
    };
    const refused = async (work: Promise<unknown>) =>
      work.then(
        () => 'taken',
        (cause: Error) => cause.message,
      );
    for (const [call, ask] of Object.entries(asked)) {
      const all = call === 'history' ? 1 : call === 'events' ? 2 : 3;
      for (const limit of [0, 1, 2, Number.POSITIVE_INFINITY])
        expect([call, limit, await ask(limit)]).toEqual([call, limit, Math.min(limit, all)]);
      for (const limit of [-1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, '1' as never, null as never])
        expect([call, await refused(ask(limit))]).toEqual([
          call,
          `query options are not valid: limit is ${limit}`,
        ]);
    }
    for (const count of [-1, 1.5, Number.NaN]) {
      const refusal = (name: string) => `query options are not valid: ${name} is ${count}`;
      expect(await refused(rows.window({ offset: count }))).toBe(refusal('offset'));
      expect(await refused(counted(rows.scan({ batch: count })))).toBe(refusal('batch'));
    }
    expect((await rows.window({ offset: Number.POSITIVE_INFINITY })).rows).toEqual([]);
    expect(await counted(rows.scan({ batch: 2 }))).toBe(3);
  });

  test('returns the head after each acknowledged write, also to a listener', async () => {
    const { db } = start();
    const heard: Promise<Head>[] = [];
    db.subscribe(() => heard.push(db.head()));
    expect(await db.head()).toEqual([]);
    expect(await db.put({ _id: 'a' })).toEqual({ id: 'a' });
    const first = await db.head();
    expect((await db.allDocs()).clock).toEqual(first);
    expect(await db.bulk([{ _id: 'b' }, { _id: 'c' }], { del: ['a'] })).toEqual({ ids: ['b', 'c', 'a'] });
    const second = await db.head();
    expect((await db.allDocs()).clock).toEqual(second);
    expect(second).not.toEqual(first);
    expect(await Promise.all(heard)).toEqual([first, second]);
    await db.close();
    await expect(db.head()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });

  test('notifies subscribers of each change until they unsubscribe', async () => {
    const { db } = start();
    const heard: Stored[][] = [];
    const stop = db.subscribe((docs) => heard.push([...docs]), true);
    await db.ready();
    await db.put({ _id: 'a', n: 1 });
    await db.del('a');
    await expect.poll(() => heard).toEqual([[{ _id: 'a', n: 1 }], [{ _id: 'a', _deleted: true }]]);
    stop();
    await db.put({ _id: 'b' });
    await db.get('b');
    expect(heard.length).toBe(2);
  });

  test('returns query results, changes, history and past states', async () => {
    const { db } = start();
    await db.bulk([
      { _id: 'a', n: 2 },
      { _id: 'b', n: 1 },
    ]);
    const head = await db.head();
    await db.put({ _id: 'a', n: 3 });
    expect((await db.query('n', { descending: true })).rows.map(({ id, key }) => [id, key])).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
    expect((await db.changes(head)).rows.map(({ value }) => value)).toEqual([{ _id: 'a', n: 3 }]);
    expect((await db.history('a')).map(({ value }) => value?.['n'])).toEqual([3, 2]);
    expect(await db.at(head).get('a')).toEqual({ _id: 'a', n: 2 });
    expect((await db.at(head).allDocs()).rows.length).toBe(2);
    expect((await db.diff(head, await db.head())).map(({ id }) => id)).toEqual(['a']);
    await db.restore('a', head);
    expect(await db.get('a')).toEqual({ _id: 'a', n: 2 });
  });

  test('finds, counts and explains', async () => {
    const { db, rows } = start();
    await db.bulk([
      { _id: 'a', n: 2 },
      { _id: 'b', n: 1 },
    ]);
    expect(await db.find({ where: { n: { gt: 0 } }, sort: { n: 'asc' }, limit: 1 })).toEqual({
      docs: [{ _id: 'b', n: 1 }],
      next: expect.any(String),
    });
    expect(await db.count({ n: { gt: 1 } })).toBe(1);
    expect(await db.explain()).toEqual({
      indexes: [],
      reads: 'all',
      sorts: false,
      building: [],
      declared: [],
    });
    expect(await rows.count()).toBe(2);
    await expect(db.find({ where: { n: { above: 1 } as never } })).rejects.toMatchObject({
      code: 'QUERY_INVALID',
    });
  });

  test('returns files of documents that a listener or a stream received', async () => {
    const { db, rows } = start();
    const heard = new Promise<Stored>((resolve) => db.subscribe(([doc]) => doc && resolve(doc), true));
    await db.put({ _id: 'a', _files: { f: new File(['hello'], 'f') } });
    const textOf = async (doc: object | undefined) =>
      (await (doc as { _files: { f: { file(): Promise<File> } } })._files.f.file()).text();
    expect(await textOf(await heard)).toBe('hello');
    for await (const docs of rows.scan()) expect(await textOf(docs[0])).toBe('hello');
  });

  test('returns files with their content, name, type and time', async () => {
    const { db } = start();
    const file = new File(['hello'], 'hello.txt', { type: 'text/plain', lastModified: 5 });
    await db.put({ _id: 'a', _files: { 'hello.txt': file } });
    const doc = await db.get<{
      _files: Record<string, { size: number; file(): Promise<File>; stream(): ReadableStream }>;
    }>('a');
    await db.put({ _id: 'a' });
    const entry = doc._files['hello.txt'];
    expect(entry?.size).toBe(5);
    const back = await entry?.file();
    expect(back).toBeInstanceOf(File);
    expect([back?.name, back?.type, back?.lastModified, await back?.text()]).toEqual([
      'hello.txt',
      'text/plain',
      5,
      'hello',
    ]);
    expect(await new Response(entry?.stream()).text()).toBe('hello');
  });

  test('serves windows, field counts, cursors and streams of rows, and stops cursors and streams early', async () => {
    const { db, rows } = start();
    const told: string[][] = [];
    const stop = rows.onFields((uses) =>
      told.push(uses.map(({ field, documents }) => `${field} ${documents}`)),
    );
    await db.bulk(
      Array.from({ length: 600 }, (_none, n) => ({ _id: `d${String(n).padStart(3, '0')}`, n: n % 7 })),
    );
    expect(await rows.count()).toBe(600);
    expect((await rows.window({ offset: 300, limit: 2 })).rows.map(({ id }) => id)).toEqual(['d300', 'd301']);
    await expect.poll(() => told.at(-1)).toEqual(['_id 600', 'n 600']);
    stop();
    const progress: number[] = [];
    const found: string[] = [];
    for await (const ids of rows.find({
      where: { n: 3 },
      onProgress: ({ seen }) => progress.push(seen),
    }))
      found.push(...ids);
    expect(found.length).toBe(86);
    await expect.poll(() => progress.at(-1)).toBe(600);
    let batches = 0;
    for await (const batch of rows.scan({ batch: 100 })) {
      expect(batch.length).toBe(100);
      batches += 1;
      if (batches === 2) break;
    }
    const aborter = new AbortController();
    const reason = new Error('enough');
    const ended = (async () => {
      for await (const ids of rows.find({ sort: 'n', signal: aborter.signal }))
        if (ids.length > 0) aborter.abort(reason);
    })();
    aborter.abort(reason);
    await expect(ended).rejects.toBe(reason);
    await expect(rows.fields({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('ignores a second close, and rejects calls after close', async () => {
    const { db, place } = start();
    const other = place.open().db;
    await db.put({ _id: 'a' });
    let closed = 0;
    other.onClosed(() => closed++);
    await db.close();
    await expect(db.get('a')).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
    await db.close();
    await Promise.all([db.close(), db.close()]);
    expect(await other.get('a')).toEqual({ _id: 'a' });
    await other.close();
    await expect.poll(() => closed).toBe(1);
  });
});

describe('a bridge', () => {
  test('rejects each call with the reason when a database can’t be opened; other databases work', async () => {
    const { platform } = memoryPlatform();
    const engine = bridgeTo((name) =>
      openDatabase(name, platform, name === 'odd' ? { storage: 'Memory' as never } : {}),
    );
    const odd = engine.open('odd');
    await expect(odd.get('a')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(odd.put({ _id: 'a' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const other = engine.open('other');
    await other.put({ _id: 'a' });
    expect(await other.get('a')).toEqual({ _id: 'a' });
  });

  test('has all methods of a direct database, of its rows and of its past states', async () => {
    const { platform } = memoryPlatform();
    const direct = openDatabase('db', platform);
    const bridged = bridgeTo((name) => openDatabase(name, platform)).open('db');
    const namesOf = (object: object) => Object.keys(object).sort();
    expect(namesOf(bridged).filter((name) => name !== 'rows')).toEqual(namesOf(direct));
    expect(namesOf(bridged.rows)).toEqual(namesOf(rowsOf(direct)));
    await direct.put({ _id: 'a' });
    const head = await direct.head();
    expect(namesOf(bridged.at(head))).toEqual(namesOf(direct.at(head)));
  });

  test('forwards past states, proofs, conflicts, verification and rotated keys', async () => {
    const { platform } = memoryPlatform();
    const db = bridgeTo((name) => openDatabase(name, platform)).open('db');
    await db.ready();
    await db.put({ _id: 'a', n: 1 });
    const head = await db.head();
    await db.bulk([{ _id: 'a', n: 2 }, { _id: 'b' }]);
    expect(await db.diff(head, await db.head())).toEqual([
      { id: 'a', before: { _id: 'a', n: 1 }, after: { _id: 'a', n: 2 } },
      { id: 'b', after: { _id: 'b' } },
    ]);
    await db.restore('a', head);
    expect(await db.get('a')).toEqual({ _id: 'a', n: 1 });
    expect(await verifyProof(await db.prove('b'), await db.head(), 'b')).toEqual({ _id: 'b' });
    expect(await db.conflicts('a')).toBeUndefined();
    expect(await db.conflicts()).toEqual([]);
    const conflicts = vi.fn();
    const stop = db.onConflicts(conflicts);
    await vi.waitUntil(() => conflicts.mock.calls.length > 0);
    expect(conflicts.mock.calls).toEqual([[[], []]]);
    stop();
    expect((await db.events({ limit: 2 })).map(({ ids }) => ids)).toEqual([['a'], ['a', 'b']]);
    await db.compact();
    const seen: number[] = [];
    const found = await db.verify({ onProgress: (done) => seen.push(done) });
    expect(found.damaged).toEqual([]);
    await expect.poll(() => seen.at(-1)).toBe(found.archives);
    expect((await db.rotateKey()).keyId).not.toBe('');
    await db.remove('b');
    await expect(db.get('b')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await db.destroy();
  });

  test('rejects a map function that is not passed as text', async () => {
    const { platform } = memoryPlatform();
    const db = bridgeTo((name) => openDatabase(name, platform)).open('db');
    await expect(db.query((doc) => doc.n)).rejects.toMatchObject({ code: 'NOT_IMPLEMENTED' });
    await expect(
      db.rows
        .map((doc) => doc.n)
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toMatchObject({
      code: 'NOT_IMPLEMENTED',
    });
  });

  test('attaches to a ledger that the page describes, with a token function in the page', async () => {
    const { replica, time } = world();
    const [near, far] = [replica(), replica()];
    await time.run(far.db.put({ _id: 'from-far' }).then(async () => (await far.attach()).synced()));
    const db = bridgeTo(() => near.db).open('db');
    let tokens = 0;
    const remote = bridgedToCloud({
      base: 'https://cloud.test',
      tenant: 't',
      ledger: 'l',
      token: async () => {
        tokens += 1;
        return 'token';
      },
    });
    const states: string[] = [];
    const attached = await time.run(db.attach(remote));
    attached.onStatus(({ state }) => states.push(state));
    await time.run(attached.synced());
    expect(await db.get('from-far')).toEqual({ _id: 'from-far' });
    expect(tokens).toBeGreaterThan(0);
    expect(attached.status().state).toBe('in-sync');
    expect(states.at(-1)).toBe('in-sync');
    const heard = states.length;
    await time.run(attached.held());
    expect(states.length).toBe(heard);
    expect(attached.kind()).toBe('open-key');
    await time.run(attached.detach());
    await expect(db.attach({ attach: () => Promise.reject(new Error()) })).rejects.toMatchObject({
      code: 'NOT_IMPLEMENTED',
    });
  });

  test('works with a worker, and rejects every call when the worker stops', async () => {
    const worker = new Worker(new URL('worker.fixture.mjs', import.meta.url), { execArgv: [] });
    ends.push(() => void worker.terminate());
    const engine = connectEngine(worker as unknown as BridgePort);
    const db = engine.open('db');
    await db.put({ _id: 'a', link: HASHED });
    expect(await db.get('a')).toEqual(ownLinks({ _id: 'a', link: HASHED }));
    let closed = 0;
    db.onClosed(() => closed++);
    const waiting = [db.rows.fields(), engine.open('end').ready()];
    for (const call of await Promise.allSettled(waiting.slice(1)))
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'WORKER_LOST' } });
    expect(closed).toBe(1);
    await expect(db.get('a')).rejects.toMatchObject({ code: 'WORKER_LOST' });
    await Promise.allSettled(waiting);
  });
});

test('finds documents by words behind a bridge', async () => {
  const { platform } = memoryPlatform();
  const indexes = [{ text: ['title'] }];
  const db = bridgeTo((name) => openDatabase(name, platform, { indexes })).open('db');
  await db.bulk([
    { _id: 'a', title: 'Buy milk' },
    { _id: 'b', title: 'Buy bread' },
  ]);
  const page = await db.find({ search: 'buy', limit: 1 });
  expect(page.docs).toEqual([{ _id: 'a', title: 'Buy milk' }]);
  expect((await db.find({ search: 'buy', after: page.next })).docs).toEqual([
    { _id: 'b', title: 'Buy bread' },
  ]);
  expect(await db.explain({ search: 'milk' })).toMatchObject({ indexes: [['title']], reads: 'matches' });
});

test('reads a past state once for many documents, and again after a failure', async () => {
  const real = openDatabase('db', memoryPlatform().platform);
  const db = bridgeTo(() => real).open('db');
  await db.bulk([{ _id: 'a' }, { _id: 'b' }]);
  const head = await db.head();
  await db.put({ _id: 'a', n: 1 });
  const at = vi.spyOn(real, 'at');
  for (const id of ['a', 'b']) expect(await db.at(head).get(id)).toEqual({ _id: id });
  expect(at).toHaveBeenCalledTimes(1);
  await expect(db.at(head).get('c')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await db.at(head).get('a')).toEqual({ _id: 'a' });
  expect(at).toHaveBeenCalledTimes(2);
  expect(await db.at(await db.head()).get('a')).toEqual({ _id: 'a', n: 1 });
  expect(at).toHaveBeenCalledTimes(3);
});
