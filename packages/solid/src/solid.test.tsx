import { collection, type Database, type Doc, fixpoint, type Remote } from 'fixpoint';
import { liveHead } from 'fixpoint/live';
import { type Accessor, createRoot, createSignal } from 'solid-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { useAllDocs, useAttach, useChanges, useDocument, useFind, useLive, useLiveQuery } from './index.ts';

let opened = 0;

function memoryDatabase(): Database {
  opened += 1;
  const database = fixpoint(`solid-${opened}`, { storage: 'memory' });
  onTestFinished(() => database.destroy());
  return database;
}

/** Runs `make` as a component does, until the test ends or `dispose` is called. */
function owned<T>(make: () => T) {
  const owner = createRoot((dispose) => ({ result: make(), dispose }));
  onTestFinished(owner.dispose);
  return owner;
}

const titles = (live: Accessor<{ docs: readonly object[] }>) =>
  live().docs.map((doc) => (doc as Doc)['title']);

/** Wraps a database so that the test knows how many listeners and reads it has. */
function counted(database: Database) {
  const counts = { listeners: 0, finds: 0 };
  const subscribe = (listener: () => void) => {
    counts.listeners += 1;
    const stop = database.subscribe(listener);
    return () => {
      counts.listeners -= 1;
      stop();
    };
  };
  const find: Database['find'] = (options) => {
    counts.finds += 1;
    return database.find(options);
  };
  return { counts, database: { ...database, subscribe, find } as Database };
}

describe('an owner', () => {
  test('shows live documents until it is disposed of', async () => {
    const { database, counts } = counted(memoryDatabase());
    await database.put({ _id: 'a', title: 'Milk' });
    const { result, dispose } = owned(() => [
      useFind(database, { sort: { _id: 'asc' } }),
      useLiveQuery(database, 'title'),
      useAllDocs(database),
      useChanges(database),
    ]);
    expect(result.map((live) => live().hydrated)).toEqual([false, false, false, false]);
    for (const live of result) await expect.poll(() => titles(live)).toEqual(['Milk']);
    await database.put({ _id: 'b', title: 'Salt' });
    for (const live of result) await expect.poll(() => titles(live)).toEqual(['Milk', 'Salt']);
    expect(counts.listeners).toBe(4);
    dispose();
    expect(counts.listeners).toBe(0);
  });

  test('follows options in signals, and keeps the result while they are equal', async () => {
    const { database, counts } = counted(memoryDatabase());
    await database.bulk([
      { title: 'Milk', list: 'a' },
      { title: 'Nails', list: 'b' },
    ]);
    const [list, setList] = createSignal({ name: 'a' });
    const { result } = owned(() => useFind(database, () => ({ where: { list: list().name } })));
    await expect.poll(() => titles(result)).toEqual(['Milk']);
    setList({ name: 'b' });
    await expect.poll(() => titles(result)).toEqual(['Nails']);
    expect(counts).toEqual({ listeners: 1, finds: 2 });
    const before = result();
    setList({ name: 'b' });
    expect(result()).toBe(before);
    expect(counts).toEqual({ listeners: 1, finds: 2 });
  });

  test('shows another database when the signal changes, and forgets the first one', async () => {
    const [first, second] = [counted(memoryDatabase()), counted(memoryDatabase())];
    await first.database.put({ title: 'Milk' });
    await second.database.put({ title: 'Nails' });
    const [database, setDatabase] = createSignal(first.database);
    const { result } = owned(() => useFind(database));
    await expect.poll(() => titles(result)).toEqual(['Milk']);
    setDatabase(second.database);
    await expect.poll(() => titles(result)).toEqual(['Nails']);
    expect([first.counts.listeners, second.counts.listeners]).toEqual([0, 1]);
  });

  test('keeps its documents and shows an error when the database is destroyed', async () => {
    const database = memoryDatabase();
    await database.put({ title: 'Milk' });
    const { result } = owned(() => useFind(database));
    await expect.poll(() => titles(result)).toEqual(['Milk']);
    await database.destroy();
    await expect.poll(() => result().error).toBeInstanceOf(Error);
    expect(titles(result)).toEqual(['Milk']);
  });

  test('edits a draft of a typed document', async () => {
    opened += 1;
    const tasks = collection('tasks', { schema: z.object({ title: z.string() }) });
    const database = fixpoint(`solid-${opened}`, { storage: 'memory', collections: { tasks } });
    onTestFinished(() => database.destroy());
    const { result } = owned(() => ({
      draft: useDocument(database.tasks, { title: '' }),
      found: useFind(database.tasks, { where: { title: 'Milk' } }),
    }));
    const { draft, found } = result;
    draft().merge({ title: 'Milk' });
    expect(draft()).toMatchObject({ doc: { title: 'Milk' }, edited: true });
    await draft().submit();
    expect(draft().doc).toEqual({ title: '' });
    await expect.poll(() => titles(found)).toEqual(['Milk']);
    // @ts-expect-error The title of a task is a text.
    draft().merge({ title: 1 });
    // @ts-expect-error Tasks have no such field.
    owned(() => useFind(database.tasks, { where: { titel: 'Milk' } }));
  });

  test('stays attached until it is disposed of', async () => {
    const calls: string[] = [];
    const attached = { detach: async () => void calls.push('detach') };
    const attach = async () => {
      calls.push('attach');
      return attached;
    };
    const database = { attach } as unknown as Database;
    const { result, dispose } = owned(() => useAttach(database, { attach } as unknown as Remote));
    await expect.poll(() => result().state).toBe('attached');
    expect(result().attached).toBe(attached);
    dispose();
    await expect.poll(() => calls).toEqual(['attach', 'detach']);
  });

  test('shows at once what another owner has loaded', async () => {
    const database = memoryDatabase();
    await database.put({ title: 'Milk' });
    const { result: first } = owned(() => useLive(() => liveHead(database)));
    await expect.poll(first).toHaveLength(1);
    const { result: second } = owned(() => useLive(() => liveHead(database)));
    expect(second()).toBe(first());
  });
});
