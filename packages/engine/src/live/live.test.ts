import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { collection } from '../entries/collection.ts';
import {
  type LiveStore,
  liveAllDocs,
  liveAttach,
  liveChanges,
  liveConflicts,
  liveDocument,
  liveFile,
  liveFind,
  liveHead,
  liveQuery,
  liveRows,
  liveSyncStatus,
  sameStore,
} from '../entries/live.ts';
import { fixpoint } from '../entries/node.ts';
import type { Attached, Remote, SyncStatus } from '../sync/remote.ts';

let opened = 0;

/** Opens a database in memory, which is destroyed after the test. */
function memoryDatabase(): Database {
  opened += 1;
  const database = fixpoint(`live-${opened}`, { storage: 'memory' });
  onTestFinished(() => database.destroy());
  return database;
}

/** Subscribes until the test ends, and records the values in order. */
function followed<T>(store: LiveStore<T>) {
  const values: T[] = [];
  const stop = store.subscribe(() => values.push(store.current()));
  onTestFinished(stop);
  return { values, stop };
}

const until = <T>(store: LiveStore<T>, isReached: (value: T) => boolean): Promise<T> =>
  vi
    .waitUntil(() => (isReached(store.current()) ? { value: store.current() } : false), { timeout: 60_000 })
    .then(({ value }) => value);

const titlesOf = (docs: readonly object[]) => docs.map((doc) => (doc as { title?: unknown }).title);

/** A database whose calls all fail the test. Only its name can be read. */
const untouchable = new Proxy({ name: 'untouchable' } as unknown as Database, {
  get: (target, key) => {
    if (key === 'name') return target.name;
    if (key === 'onClosed' || key === 'subscribe' || key === 'rows' || key === 'database') return undefined;
    throw new Error(`${String(key)} was called`);
  },
  has: () => false,
});

describe('a store without listeners', () => {
  test('returns a value that has not loaded, and calls nothing', async () => {
    const stores = [
      liveQuery(untouchable, 'title'),
      liveFind(untouchable, { where: { done: false } }),
      liveAllDocs(untouchable),
      liveChanges(untouchable),
      liveConflicts(untouchable),
      liveRows(untouchable),
      liveDocument(untouchable, { _id: 'a' }),
    ];
    await pause(0);
    expect(stores.map((store) => (store.current() as { hydrated: boolean }).hydrated)).toEqual(
      stores.map(() => false),
    );
    expect(liveHead(untouchable).current()).toEqual([]);
    expect(liveAttach(untouchable, undefined).current().state).toBe('initial');
    expect(liveFile(undefined).current().url).toBeUndefined();
  });

  test('returns the same value until it changes', () => {
    const store = liveFind(untouchable);
    expect(store.current()).toBe(store.current());
    expect(store.current()).toEqual({ docs: [], next: undefined, hydrated: false, error: undefined });
  });
});

describe('a live result', () => {
  test('loads for the first listener, and follows later writes', async () => {
    const database = memoryDatabase();
    await database.put({ _id: 'a', title: 'Milk' });
    const stores = [
      liveQuery(database, 'title'),
      liveFind(database, { sort: { _id: 'asc' } }),
      liveAllDocs(database),
      liveChanges(database),
    ];
    for (const store of stores) followed(store as LiveStore<unknown>);
    for (const store of stores) {
      const docsOf = () => titlesOf((store.current() as { docs: readonly object[] }).docs);
      await expect.poll(docsOf).toEqual(['Milk']);
    }
    await database.put({ _id: 'b', title: 'Salt' });
    for (const store of stores) {
      const docsOf = () => titlesOf((store.current() as { docs: readonly object[] }).docs);
      await expect.poll(docsOf).toEqual(['Milk', 'Salt']);
      expect(store.current()).toMatchObject({ hydrated: true, error: undefined });
    }
  });

  test('keeps the objects of unchanged documents', async () => {
    const database = memoryDatabase();
    await database.bulk([
      { _id: 'a', title: 'Milk' },
      { _id: 'b', title: 'Salt' },
    ]);
    const store = liveFind(database, { sort: { _id: 'asc' } });
    followed(store);
    const before = await until(store, ({ docs }) => docs.length === 2);
    await database.put({ _id: 'b', title: 'Sugar' });
    const now = await until(store, ({ docs }) => titlesOf(docs)[1] === 'Sugar');
    expect(now).not.toBe(before);
    expect(now.docs[0]).toBe(before.docs[0]);
    expect(now.docs[1]).not.toBe(before.docs[1]);
  });

  test('does not notify listeners when its documents did not change', async () => {
    const database = memoryDatabase();
    await database.put({ _id: 'a', list: 1 });
    const store = liveFind(database, { where: { list: 1 } });
    const everything = liveFind(database);
    const { values } = followed(store);
    followed(everything);
    await until(store, ({ docs }) => docs.length === 1);
    await database.put({ _id: 'b', list: 2 });
    await until(everything, ({ docs }) => docs.length === 2);
    await database.put({ _id: 'c', list: 1 });
    await until(store, ({ docs }) => docs.length === 2);
    expect(values.map(({ docs }) => docs.length)).toEqual([1, 2]);
  });

  test('stops loading after its last listener, and keeps its last value', async () => {
    const database = memoryDatabase();
    await database.put({ _id: 'a' });
    const store = liveAllDocs(database);
    const other = liveAllDocs(database, { limit: 9 });
    const { stop } = followed(store);
    followed(other);
    const last = await until(store, ({ rows }) => rows.length === 1);
    stop();
    await database.put({ _id: 'b' });
    await until(other, ({ rows }) => rows.length === 2);
    expect(store.current()).toBe(last);
  });

  test('keeps its rows and shows an error when the database closes', async () => {
    const database = memoryDatabase();
    await database.put({ _id: 'a', title: 'Milk' });
    const store = liveQuery(database, 'title');
    followed(store);
    await until(store, ({ rows }) => rows.length === 1);
    await database.destroy();
    const { rows, hydrated } = await until(store, ({ error }) => error !== undefined);
    expect([rows.length, hydrated]).toEqual([1, true]);
  });

  test('finds documents of a collection, with those that break its schema', async () => {
    opened += 1;
    const tasks = collection('tasks', { schema: z.object({ title: z.string() }) });
    const database = fixpoint(`live-${opened}`, { storage: 'memory', collections: { tasks } });
    onTestFinished(() => database.destroy());
    const store = liveFind(database.tasks);
    expect(store.current().invalid).toEqual([]);
    followed(store);
    await database.tasks.put({ title: 'Milk' });
    const { docs, invalid } = await until(store, (value) => value.docs.length === 1);
    expect([titlesOf(docs), invalid]).toEqual([['Milk'], []]);
  });

  test('reads a window of rows, and the documents with a conflict', async () => {
    const database = memoryDatabase();
    await database.put({ _id: 'a', title: 'Milk' });
    const [rows, conflicts] = [liveRows(database, { limit: 5 }), liveConflicts(database)];
    followed(rows);
    followed(conflicts);
    await until(rows, (window) => window.rows[0]?.id === 'a');
    expect((await until(conflicts, ({ hydrated }) => hydrated)).conflicts).toEqual([]);
  });
});

describe('inputs of stores', () => {
  test('keeps a store while options are equal, also when they are written again', () => {
    const database = memoryDatabase();
    const before = liveFind(database, { where: { list: 1, done: false } });
    const again = liveFind(database, { where: { done: false, list: 1 } });
    const other = liveFind(database, { where: { list: 2, done: false } });
    expect(sameStore(before, again)).toBe(before);
    expect(sameStore(before, other)).toBe(other);
    expect(sameStore(undefined, other)).toBe(other);
    expect(sameStore(before, liveFind(memoryDatabase(), { where: { list: 1, done: false } }))).not.toBe(
      before,
    );
  });

  test('compares queries by the texts of their functions and the values that they capture', () => {
    const database = memoryDatabase();
    const byLength = (length: number) =>
      liveQuery(database, (doc, emit) => emit(Object.keys(doc).length === length), { deps: [length] });
    const before = byLength(1);
    expect(sameStore(before, byLength(1))).toBe(before);
    const other = byLength(2);
    expect(sameStore(before, other)).toBe(other);
  });

  test('compares drafts by their database and id', () => {
    const database = memoryDatabase();
    const before = liveDocument(database, { _id: 'a', n: 1 });
    expect(sameStore(before, liveDocument(database, { _id: 'a', n: 2 }))).toBe(before);
    expect(sameStore(before, liveDocument(database, { _id: 'b', n: 1 }))).not.toBe(before);
  });

  test('copies options, so that later changes and proxies do not reach the engine', async () => {
    const received: unknown[] = [];
    const database = {
      name: 'a',
      subscribe: () => () => undefined,
      onClosed: () => () => undefined,
      find: (options: unknown) => {
        received.push(options);
        return Promise.resolve({ docs: [] });
      },
    } as unknown as Database;
    const at = new Date(5);
    const where = new Proxy({ list: [1], at, ['__proto__']: 1 }, {});
    followed(liveFind(database, { where: { list: { in: where.list }, at: { gte: at } } }));
    const options = { where } as object;
    const store = liveFind(database, options);
    where.list.push(2);
    followed(store);
    expect(received).toHaveLength(2);
    expect(structuredClone(received[1])).toEqual({ where: { list: [1], at, ['__proto__']: 1 } });
    expect((received[1] as { where: { at: Date } }).where.at).toBe(at);
  });
});

describe('a live draft', () => {
  test('shows edits, saves, and follows the stored document', async () => {
    const database = memoryDatabase();
    const store = liveDocument<{ title: string }>(database, { title: '' });
    const { merge, save } = store.current();
    followed(store);
    merge({ title: 'Milk' });
    expect(store.current()).toMatchObject({ doc: { title: 'Milk' }, edited: true, hydrated: true });
    const { id } = await save();
    expect(await database.get(id)).toMatchObject({ title: 'Milk' });
    expect(store.current()).toMatchObject({ doc: { _id: id }, edited: false });
    await database.put({ _id: id, title: 'Oat milk' });
    await until(store, ({ doc }) => doc.title === 'Oat milk');
    expect(store.current().merge).toBe(merge);
  });

  test('is empty again after a form is submitted', async () => {
    const database = memoryDatabase();
    const store = liveDocument<{ title: string }>(database, { title: '' });
    followed(store);
    store.current().merge({ title: 'Milk' });
    const preventDefault = vi.fn();
    await store.current().submit({ preventDefault });
    expect(preventDefault).toHaveBeenCalledOnce();
    expect(store.current().doc).toEqual({ title: '' });
    expect(titlesOf((await database.find()).docs)).toEqual(['Milk']);
  });
});

describe('liveHead', () => {
  test('returns one store for each database, which follows its head', async () => {
    const database = memoryDatabase();
    const store = liveHead(database);
    expect(liveHead(database)).toBe(store);
    followed(store);
    await database.put({ _id: 'a' });
    await expect.poll(() => store.current()).toEqual(await database.head());
    expect(store.current()).toHaveLength(1);
  });
});

describe('liveAttach', () => {
  const status: SyncStatus = { state: 'synced', toSend: 0, toFetch: 0, rejected: 0 } as unknown as SyncStatus;

  function attachable() {
    const calls: string[] = [];
    let failure: Error | undefined;
    const statusListeners = new Set<(status: SyncStatus) => void>();
    const attached = {
      detach: async () => void calls.push('detach'),
      status: () => ({ ...status }),
      onStatus: (listener: (status: SyncStatus) => void) => {
        statusListeners.add(listener);
        return () => statusListeners.delete(listener);
      },
    } as unknown as Attached;
    const database = {
      attach: async () => {
        calls.push('attach');
        if (failure !== undefined) throw failure;
        return attached;
      },
    } as unknown as Database;
    const remote = { attach: () => undefined } as unknown as Remote;
    const fail = (error: Error | undefined) => {
      failure = error;
    };
    return { calls, database, remote, fail, attached };
  }

  test('attaches while there are listeners, and detaches after the last one', async () => {
    const { calls, database, remote, attached } = attachable();
    const store = liveAttach(database, remote);
    const { stop, values } = followed(store);
    const { attached: shown } = await until(store, ({ state }) => state === 'attached');
    expect(shown).toBe(attached);
    expect(values.map(({ state }) => state)).toEqual(['attaching', 'attached']);
    stop();
    await until(store, ({ state }) => state === 'initial');
    expect(calls).toEqual(['attach', 'detach']);
  });

  test('shows why attaching failed, and retries', async () => {
    const { database, remote, fail } = attachable();
    fail(new Error('rejected'));
    const store = liveAttach(database, remote);
    followed(store);
    const { error, retry } = await until(store, ({ state }) => state === 'error');
    expect(error?.message).toBe('rejected');
    fail(undefined);
    retry();
    await until(store, ({ state }) => state === 'attached');
    expect(store.current().retry).toBe(retry);
  });

  test('counts options of the same ledger as the same inputs', () => {
    const { database } = attachable();
    const target = { base: 'https://a.example', tenant: 't', ledger: 'l' };
    const before = liveAttach(database, { ...target, token: async () => 'a' });
    expect(sameStore(before, liveAttach(database, { ...target, token: async () => 'b' }))).toBe(before);
    const other = liveAttach(database, { ...target, ledger: 'm', token: async () => 'a' });
    expect(sameStore(before, other)).toBe(other);
    const rotating = liveAttach(database, { ...target, token: async () => 'a', members: { newKeyAfter: 7 } });
    expect(sameStore(before, rotating)).toBe(rotating);
  });

  test('returns the same status while it is equal', () => {
    const { attached } = attachable();
    const store = liveSyncStatus(attached);
    expect(store.current()).toBe(store.current());
    expect(store.current()).toEqual(status);
    expect(liveSyncStatus(undefined).current()).toBeUndefined();
  });
});
