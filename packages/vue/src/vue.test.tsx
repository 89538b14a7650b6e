import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collection, type Database, type Doc, fixpoint, type Remote } from 'fixpoint';
import { liveConflicts } from 'fixpoint/live';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createApp,
  createSSRApp,
  effectScope,
  h,
  nextTick,
  reactive,
  ref,
  type ShallowRef,
  shallowRef,
} from 'vue';
import { renderToString } from 'vue/server-renderer';
import { z } from 'zod';
import { useAllDocs, useAttach, useChanges, useDocument, useFind, useLive, useLiveQuery } from './index.ts';

let opened = 0;

function memoryDatabase(): Database {
  opened += 1;
  const database = fixpoint(`vue-${opened}`, { storage: 'memory' });
  onTestFinished(() => database.destroy());
  return database;
}

/** Mounts a component with this `setup`, until the test ends or `unmount` is called. */
function mounted<T>(setup: () => T) {
  let result: T | undefined;
  const app = createApp({
    setup: () => {
      result = setup();
      return () => h('p');
    },
  });
  app.mount(document.createElement('div'));
  let isMounted = true;
  const unmount = () => {
    if (isMounted) app.unmount();
    isMounted = false;
  };
  onTestFinished(unmount);
  return { result: result as T, unmount };
}

const titles = ({ value }: Readonly<ShallowRef<{ docs: readonly object[] }>>) =>
  value.docs.map((doc) => (doc as Doc)['title']);

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

describe('a component', () => {
  test('shows live documents until it is unmounted', async () => {
    const { database, counts } = counted(memoryDatabase());
    await database.put({ _id: 'a', title: 'Milk' });
    const { result, unmount } = mounted(() => [
      useFind(database, { sort: { _id: 'asc' } }),
      useLiveQuery(database, 'title'),
      useAllDocs(database),
      useChanges(database),
    ]);
    expect(result.map(({ value }) => value.hydrated)).toEqual([false, false, false, false]);
    for (const live of result) await expect.poll(() => titles(live)).toEqual(['Milk']);
    await database.put({ _id: 'b', title: 'Salt' });
    for (const live of result) await expect.poll(() => titles(live)).toEqual(['Milk', 'Salt']);
    expect(counts.listeners).toBe(4);
    unmount();
    expect(counts.listeners).toBe(0);
  });

  test('follows options in refs, and keeps the result while they are equal', async () => {
    const { database, counts } = counted(memoryDatabase());
    await database.bulk([
      { title: 'Milk', list: 'a' },
      { title: 'Nails', list: 'b' },
    ]);
    const filter = reactive({ list: 'a', unrelated: 1 });
    const { result } = mounted(() => useFind(database, () => ({ where: { list: filter.list } })));
    await expect.poll(() => titles(result)).toEqual(['Milk']);
    filter.list = 'b';
    await expect.poll(() => titles(result)).toEqual(['Nails']);
    expect(counts).toEqual({ listeners: 1, finds: 2 });
    const before = result.value;
    filter.unrelated = 2;
    filter.list = 'a';
    filter.list = 'b';
    await nextTick();
    expect(result.value).toBe(before);
    expect(counts).toEqual({ listeners: 1, finds: 2 });
  });

  test('passes no proxies to the database', async () => {
    const received: unknown[] = [];
    const { find, ...rest } = memoryDatabase();
    const spied: Database['find'] = (options) => {
      received.push(structuredClone(options));
      return find(options);
    };
    const options = ref({ where: { tags: { in: ['a'] } } });
    const { result } = mounted(() => useFind({ ...rest, find: spied } as Database, options));
    await expect.poll(() => result.value.hydrated).toBe(true);
    options.value.where.tags.in.push('b');
    await expect
      .poll(() => received)
      .toEqual([{ where: { tags: { in: ['a'] } } }, { where: { tags: { in: ['a', 'b'] } } }]);
    expect(result.value.error).toBeUndefined();
  });

  test('shows another database when the ref changes, and forgets the first one', async () => {
    const [first, second] = [counted(memoryDatabase()), counted(memoryDatabase())];
    await first.database.put({ title: 'Milk' });
    await second.database.put({ title: 'Nails' });
    const database = shallowRef(first.database);
    const { result } = mounted(() => useFind(database));
    await expect.poll(() => titles(result)).toEqual(['Milk']);
    database.value = second.database;
    await expect.poll(() => titles(result)).toEqual(['Nails']);
    expect([first.counts.listeners, second.counts.listeners]).toEqual([0, 1]);
  });

  test('keeps its documents and shows an error when the database is destroyed', async () => {
    const database = memoryDatabase();
    await database.put({ title: 'Milk' });
    const { result } = mounted(() => useFind(database));
    await expect.poll(() => titles(result)).toEqual(['Milk']);
    await database.destroy();
    await expect.poll(() => result.value.error).toBeInstanceOf(Error);
    expect(titles(result)).toEqual(['Milk']);
  });

  test('edits a draft of a typed document', async () => {
    opened += 1;
    const tasks = collection('tasks', { schema: z.object({ title: z.string() }) });
    const database = fixpoint(`vue-${opened}`, { storage: 'memory', collections: { tasks } });
    onTestFinished(() => database.destroy());
    const { result } = mounted(() => ({
      draft: useDocument(database.tasks, { title: '' }),
      found: useFind(database.tasks, { where: { title: 'Milk' } }),
    }));
    const { draft, found } = result;
    draft.value.merge({ title: 'Milk' });
    expect(draft.value).toMatchObject({ doc: { title: 'Milk' }, edited: true });
    await draft.value.submit();
    expect(draft.value.doc).toEqual({ title: '' });
    await expect.poll(() => titles(found)).toEqual(['Milk']);
    // @ts-expect-error The title of a task is a text.
    draft.value.merge({ title: 1 });
    // @ts-expect-error Tasks have no such field.
    mounted(() => useFind(database.tasks, { where: { titel: 'Milk' } }));
  });

  test('stays attached until it is unmounted', async () => {
    const calls: string[] = [];
    const attached = { detach: async () => void calls.push('detach') };
    const attach = async () => {
      calls.push('attach');
      return attached;
    };
    const database = { attach } as unknown as Database;
    const { result, unmount } = mounted(() => useAttach(database, { attach } as unknown as Remote));
    await expect.poll(() => result.value.state).toBe('attached');
    expect(result.value.attached).toBe(attached);
    unmount();
    await expect.poll(() => calls).toEqual(['attach', 'detach']);
  });

  test('follows any store of fixpoint/live', async () => {
    const database = memoryDatabase();
    const { result } = mounted(() => useLive(() => liveConflicts(database)));
    await expect.poll(() => result.value.hydrated).toBe(true);
    expect(result.value.conflicts).toEqual([]);
  });
});

test('loads outside of a component until its scope is stopped', async () => {
  const { database, counts } = counted(memoryDatabase());
  await database.put({ title: 'Milk' });
  const scope = effectScope();
  const live = scope.run(() => useFind(database));
  await expect.poll(() => live && titles(live)).toEqual(['Milk']);
  scope.stop();
  expect(counts.listeners).toBe(0);
});

test('renders a value that has not loaded on a server, and calls nothing', async () => {
  const { database, counts } = counted(memoryDatabase());
  const app = createSSRApp({
    setup: () => {
      const live = useFind(database);
      return () => h('p', `hydrated: ${live.value.hydrated}`);
    },
  });
  expect(await renderToString(app)).toBe('<p>hydrated: false</p>');
  expect(counts).toEqual({ listeners: 0, finds: 0 });
});

test('opens no database that a module of the server creates, and shares nothing between requests', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-vue-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const todos = collection('todos', { schema: z.object({ title: z.string() }), merge: 'fields' });
  const db = fixpoint('module', { directory, collections: { todos } });
  const render = (title: string) =>
    renderToString(
      createSSRApp({
        setup: () => {
          const list = useFind(db.todos);
          const draft = useDocument(db.todos, { title: 'new' });
          if (title !== '') draft.value.merge({ title });
          return () => h('p', `${draft.value.doc.title} ${list.value.docs.length} ${list.value.hydrated}`);
        },
      }),
    );
  expect(await render('private')).toBe('<p>new 0 false</p>');
  expect(await render('')).toBe('<p>new 0 false</p>');
  await new Promise(setImmediate);
  expect(readdirSync(directory)).toEqual([]);
});
