/** `update`, `transact` and collections in the page of an engine in a worker. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { BridgePort } from '../src/bridge/line.ts';
import type { Database, DatabaseOptions } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { type BridgedDatabase, connectEngine, type Engine } from '../src/entries/bridge.ts';
import { collection } from '../src/entries/node.ts';
import { serveEngine } from '../src/entries/worker.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

interface Counter {
  readonly n: number;
}
const up = (doc: Counter | undefined) => ({ n: (doc?.n ?? 0) + 1 });
const code = (name: string) => expect.objectContaining({ code: name });

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function signal() {
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { told, tell };
}

interface World {
  /** A handle in the worker. */
  readonly own: Database;
  /** Opens a page. */
  page(): Engine & { end(): void };
}

/** Pages of one worker, which is simulated in this thread. */
function worker(): World {
  const { platform } = memoryPlatform();
  const open = (name: string, options?: DatabaseOptions) => openDatabase(name, platform, options);
  return {
    own: open('db'),
    page: () => {
      const { port1, port2 } = new MessageChannel();
      serveEngine(port2 as unknown as BridgePort, open);
      const end = () => port1.close();
      ends.push(end);
      return { ...connectEngine(port1 as unknown as BridgePort), end };
    },
  };
}

function start(): { own: Database; db: BridgedDatabase } {
  const { own, page } = worker();
  return { own, db: page().open('db') };
}

describe('[R9] a database that a worker and its pages change at the same time', () => {
  test('loses no change of a document', async () => {
    const thread = new Worker(new URL('writes-worker.fixture.mjs', import.meta.url), { execArgv: [] });
    ends.push(() => void thread.terminate());
    const [one, two] = Array.from({ length: 2 }, () => {
      const { port1, port2 } = new MessageChannel();
      thread.postMessage(port2, [port2 as never]);
      ends.push(() => port1.close());
      return connectEngine(port1 as unknown as BridgePort).open('shared');
    }) as [BridgedDatabase, BridgedDatabase];
    await Promise.all([one.ready(), two.ready()]);
    thread.postMessage(30);
    const counted = once(thread, 'message');
    const add = (db: Database) =>
      db.transact(async (tx) => {
        const before = await tx.get<Counter>('a').catch(() => undefined);
        tx.put({ _id: 'a', ...up(before) });
      });
    await Promise.all([
      ...Array.from({ length: 30 }, () => [
        one.update<Counter>('a', up),
        two.update<Counter>('a', up),
      ]).flat(),
      ...Array.from({ length: 10 }, () => [add(one), add(two)]).flat(),
      counted,
    ]);
    expect(await one.get('a')).toEqual({ _id: 'a', n: 110 });
  });

  test('loses none of the 300 updates that a page calls at the same time', async () => {
    const { db } = start();
    await Promise.all(Array.from({ length: 300 }, () => db.update<Counter>('a', up)));
    expect(await db.get('a')).toEqual({ _id: 'a', n: 300 });
  });

  test('calls a function again after another write, and rejects after 100 calls', async () => {
    const { own, page } = worker();
    const db = page().open('db');
    let calls = 0;
    const update = db.update<Counter>('a', (doc) => {
      calls += 1;
      if (calls === 1) void own.put({ _id: 'a', n: 5 });
      return up(doc);
    });
    await update;
    expect([calls, await db.get('a')]).toEqual([2, { _id: 'a', n: 6 }]);
    const always = db.update<Counter>('a', () => {
      void own.put({ _id: 'a', n: calls++ });
      return { n: -1 };
    });
    await expect(always).rejects.toEqual(code('CONFLICT'));
    expect(calls).toBe(102);
  });

  test('shows all writes of a transaction at once', async () => {
    const { own, page } = worker();
    const [one, two, reader] = [page().open('db'), page().open('db'), page().open('db')];
    await own.bulk([
      { _id: 'x', n: 100 },
      { _id: 'y', n: 0 },
    ]);
    const move = (db: Database) =>
      db.transact(async (tx) => {
        const [x, y] = await Promise.all([tx.get<Counter>('x'), tx.get<Counter>('y')]);
        tx.put({ ...x, n: x.n - 1 });
        tx.put({ ...y, n: y.n + 1 });
      });
    let isOver = false;
    const sums: number[] = [];
    const look = async () => {
      while (!isOver) {
        const docs = (await reader.allDocs<Counter>({ keys: ['x', 'y'] })).rows;
        sums.push(docs.reduce((sum, { value }) => sum + value.n, 0));
      }
    };
    const looking = look();
    await Promise.all([...Array(15)].flatMap(() => [move(one), move(two)]));
    isOver = true;
    await looking;
    expect(new Set(sums)).toEqual(new Set([100]));
    expect((await own.get<Counter>('y')).n).toBe(30);
  });

  test('continues while the function of another page never ends', async () => {
    const { own, page } = worker();
    const [stuck, db] = [page().open('db'), page().open('db')];
    const begun = signal();
    const never = stuck.transact(async (tx) => {
      tx.put({ _id: 'a', n: -1 });
      begun.tell();
      await new Promise(() => undefined);
    });
    never.catch(() => undefined);
    await begun.told;
    await db.update<Counter>('a', up);
    await own.update<Counter>('a', up);
    expect(await db.get('a')).toEqual({ _id: 'a', n: 2 });
  });
});

describe('a transaction of a page', () => {
  test('creates ids that sort in the order of the puts, and returns them at once', async () => {
    const { db, own } = start();
    const before = await own.put({});
    const ids = await db.transact((tx) =>
      Array.from({ length: 20 }, (_none, n) => tx.put(n === 0 ? { _id: '' } : { n }).id),
    );
    expect((await own.allDocs()).rows.map(({ key }) => key)).toEqual([before.id, ...ids]);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89abcdef][0-9a-f]{3}-[0-9a-f]{12}$/);
    const more = await db.transact((tx) => [tx.put({}).id, tx.put({}).id]);
    expect(new Set([...ids, ...more]).size).toBe(22);
  });

  test('stores the content that a document has when put is called', async () => {
    const { db } = start();
    await db.transact(async (tx) => {
      const doc = { _id: 'a', n: 1 };
      tx.put(doc);
      doc.n = 2;
      expect(await tx.get('a')).toEqual({ _id: 'a', n: 1 });
    });
    expect(await db.get('a')).toEqual({ _id: 'a', n: 1 });
  });

  test.each([
    ['a document', (value: unknown) => ({ value })],
    ['no document', (value: unknown) => value],
  ])('rejects and writes nothing if it puts a class instance as %s', async (_kind, wrapped) => {
    const { db } = start();
    const head = await db.head();
    const work = db.transact((tx) => {
      tx.put({ _id: 'a' });
      tx.put(wrapped(new (class Own {})()) as object);
      return 'the function ends well';
    });
    await expect(work).rejects.toEqual(code('DOC_INVALID'));
    for (const wrong of [null, 5, 'text', [], undefined])
      await expect(db.transact((tx) => tx.put(wrong as never))).rejects.toEqual(code('DOC_INVALID'));
    await expect(db.transact((tx) => tx.del(''))).rejects.toEqual(code('DOC_ID_REQUIRED'));
    await expect(db.transact((tx) => tx.put({ _deleted: true }))).rejects.toEqual(code('DOC_ID_REQUIRED'));
    expect(await db.head()).toEqual(head);
  });

  test('returns any value of the function, and rejects with the error that the function threw', async () => {
    const { db } = start();
    const result = new Map([[db, () => 1]]);
    expect(await db.transact(() => result)).toBe(result);
    const error = new (class Own extends Error {})('mine');
    const fails = () => {
      throw error;
    };
    await expect(db.transact(fails)).rejects.toBe(error);
    await expect(db.update('a', fails)).rejects.toBe(error);
    await expect(db.transact(async () => Promise.reject(error))).rejects.toBe(error);
  });

  test('keeps and writes files', async () => {
    const { db } = start();
    const file = (text: string) => new File([text], text);
    type Files = { _files: Record<string, { file(): Promise<File> }> };
    await db.update('a', () => ({ _files: { one: file('1') } }));
    await db.update<Files>('a', (doc) => ({ ...doc, _files: { ...doc?._files, two: file('22') } }));
    await db.transact(async (tx) => {
      const doc = await tx.get<Files>('a');
      tx.put({ ...doc, text: await (await doc._files['one']?.file())?.text() });
    });
    const { _files, text } = await db.get<Files & { text: string }>('a');
    expect(text).toBe('1');
    expect(await (await _files['two']?.file())?.text()).toBe('22');
  });

  test('ends without a write when its page ends, and rejects in the page when the worker is lost', async () => {
    const { own, page } = worker();
    const engine = page();
    const db = engine.open('db');
    const calls = vi.spyOn(own, 'transact');
    const begun = signal();
    const { port1, port2 } = new MessageChannel();
    serveEngine(port2 as unknown as BridgePort, () => own);
    const lost = connectEngine(port1 as unknown as BridgePort);
    const work = lost.open('db').transact(async (tx) => {
      tx.put({ _id: 'a' });
      begun.tell();
      await new Promise(() => undefined);
    });
    await begun.told;
    lost.lost('the page reloads');
    await expect(work).rejects.toEqual(code('WORKER_LOST'));
    port1.close();
    await expect(calls.mock.results[0]?.value).rejects.toEqual(code('DATABASE_CLOSED'));
    await expect(db.get('a')).rejects.toEqual(code('NOT_FOUND'));
  });
});

const lists = collection('lists', { schema: z.object({ title: z.string(), size: z.number().default(0) }) });
const todos = collection('todos', {
  schema: z.object({ title: z.string(), done: z.boolean().default(false), list: z.string() }),
  indexes: ['list'],
  search: ['title'],
  version: 2,
  migrate: { 2: (old) => ({ ...old, done: old['done'] ?? false }) },
});

describe('a collection in a page', () => {
  const open = () => {
    const { own, page } = worker();
    const engine = page();
    return { own, engine, db: engine.open('db', { collections: { todos, lists } }) };
  };

  test('checks documents in the page, and creates ids in the order of the writes', async () => {
    const { own, db } = open();
    const first = await db.todos.put({ title: 'Milk', list: 'a' });
    const { ids } = await db.todos.bulk([
      { title: 'Tea', list: 'a' },
      { title: 'Oat milk', list: 'b' },
    ]);
    expect(await own.get(`todos/${first.id}`)).toMatchObject({ title: 'Milk', done: false, _schema: 2 });
    expect((await db.todos.find()).docs.map(({ _id }) => _id)).toEqual([first.id, ...ids]);
    const wrong = { title: 1, list: 'a' } as unknown as { title: string; list: string };
    await expect(db.todos.put(wrong)).rejects.toMatchObject({
      code: 'DOC_INVALID',
      message: expect.stringContaining('todos: title'),
      cause: [expect.objectContaining({ path: 'title' })],
    });
    expect(await db.rows.count()).toBe(3);
  });

  test('finds, searches, updates, migrates and notifies listeners, with indexes in the worker', async () => {
    const { own, db } = open();
    const heard: (readonly string[])[] = [];
    db.todos.subscribe((ids) => heard.push(ids));
    await db.ready();
    await own.bulk([
      { _id: 'todos/old', title: 'Milk', list: 'a' },
      { _id: 'todos/odd', title: 1, list: 'a' },
    ]);
    await db.todos.update('old', (todo) => todo && { ...todo, title: `${todo.title} and tea` });
    await expect(db.todos.update('old', () => ({ title: 'x' }) as never)).rejects.toEqual(
      code('DOC_INVALID'),
    );
    await expect.poll(() => heard.flat()).toEqual(['old', 'odd', 'old']);
    const { docs, invalid } = await db.todos.find({ where: { list: 'a' } });
    expect([docs, invalid.map(({ _id }) => _id)]).toEqual([
      [{ _id: 'old', title: 'Milk and tea', done: false, list: 'a' }],
      ['odd'],
    ]);
    expect((await db.todos.search('tea')).docs.map(({ _id }) => _id)).toEqual(['old']);
    expect(await db.todos.explain({ where: { list: 'a' } })).toMatchObject({ indexes: [['list']] });
    await own.put({ _id: 'todos/older', title: 'Salt', list: 'b' });
    expect(await db.todos.migrateAll()).toMatchObject({ migrated: 1, invalid: [{ _id: 'odd' }] });
    expect(await own.get('todos/older')).toMatchObject({ done: false, _schema: 2 });
  });

  test('[R9] writes documents of several collections in one transaction', async () => {
    const { own, db } = open();
    await db.lists.put({ _id: 'a', title: 'Home' });
    const add = () =>
      db.transact(async (tx) => {
        const { id } = await tx.todos.put({ title: 'Milk', list: 'a' });
        // Not awaited: the transaction waits for it.
        void tx.lists.update('a', (list) => list && { ...list, size: list.size + 1 });
        return (await tx.todos.get(id)).done satisfies boolean;
      });
    expect(await Promise.all([add(), add(), add()])).toEqual([false, false, false]);
    expect(await db.lists.get('a')).toEqual({ _id: 'a', title: 'Home', size: 3 });
    expect((await own.events()).map(({ documents }) => documents).slice(0, 3)).toEqual([2, 2, 2]);
    const failing = db.transact(async (tx) => {
      await tx.todos.put({ title: 'Tea', list: 'a' });
      await tx.lists.put({ title: 5 as never }).catch(() => undefined);
    });
    await expect(failing).rejects.toEqual(code('DOC_INVALID'));
    expect(await db.todos.count()).toBe(3);
  });

  test('rejects a name of a call, and calls after close', async () => {
    const { engine, db } = open();
    expect(() => engine.open('db', { collections: { rows: lists } })).toThrow(code('CONFIG_INVALID'));
    expect(() => engine.open('', { collections: { lists } })).toThrow(code('MISSING_NAME'));
    await db.close();
    await expect(db.lists.put({ title: 'x' })).rejects.toEqual(code('DATABASE_CLOSED'));
  });
});
