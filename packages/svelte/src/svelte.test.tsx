import { collection, type Database, type Doc, fixpoint, type Remote } from 'fixpoint';
import { SvelteMap } from 'svelte/reactivity';
import { get, toStore } from 'svelte/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type Live, useAllDocs, useAttach, useChanges, useDocument, useFind, useLiveQuery } from './index.ts';

let opened = 0;

function memoryDatabase(): Database {
  opened += 1;
  const database = fixpoint(`svelte-${opened}`, { storage: 'memory' });
  onTestFinished(() => database.destroy());
  return database;
}

/** Subscribes as `$live` does in a component, until the test ends or `stop` is called. */
function subscribed<T>(live: Pick<Live<T>, 'subscribe'>) {
  const values: T[] = [];
  const stop = live.subscribe((value) => values.push(value));
  onTestFinished(stop);
  return { latest: () => values.at(-1) as T, stop };
}

/** Reads `live.current` in an effect, as a component with runes does. */
const shownByRunes = <T,>(live: Live<T>) => subscribed(toStore(() => live.current));

const titlesOf = ({ docs }: { docs: readonly object[] }) => docs.map((doc) => (doc as Doc)['title']);

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

describe.each([
  { as: 'a store', shown: subscribed },
  { as: 'runes', shown: shownByRunes },
])('a live value read as $as', ({ shown }) => {
  const follow = shown as <T>(live: Live<T>) => { latest: () => T; stop: () => void };

  test('shows live documents until nothing reads it', async () => {
    const { database, counts } = counted(memoryDatabase());
    await database.put({ _id: 'a', title: 'Milk' });
    const followed = [
      follow(useFind(database, { sort: { _id: 'asc' } })),
      follow(useLiveQuery(database, 'title')),
      follow(useAllDocs(database)),
      follow(useChanges(database)),
    ];
    expect(followed.map(({ latest }) => latest().hydrated)).toEqual([false, false, false, false]);
    for (const { latest } of followed) await expect.poll(() => titlesOf(latest())).toEqual(['Milk']);
    await database.put({ _id: 'b', title: 'Salt' });
    for (const { latest } of followed) await expect.poll(() => titlesOf(latest())).toEqual(['Milk', 'Salt']);
    expect(counts.listeners).toBe(4);
    for (const { stop } of followed) stop();
    await expect.poll(() => counts.listeners).toBe(0);
  });

  test('keeps its documents and shows an error when the database is destroyed', async () => {
    const database = memoryDatabase();
    await database.put({ title: 'Milk' });
    const { latest } = follow(useFind(database));
    await expect.poll(() => titlesOf(latest())).toEqual(['Milk']);
    await database.destroy();
    await expect.poll(() => latest().error).toBeInstanceOf(Error);
    expect(titlesOf(latest())).toEqual(['Milk']);
  });

  test('edits a draft of a typed document', async () => {
    opened += 1;
    const tasks = collection('tasks', { schema: z.object({ title: z.string() }) });
    const database = fixpoint(`svelte-${opened}`, { storage: 'memory', collections: { tasks } });
    onTestFinished(() => database.destroy());
    const draft = useDocument(database.tasks, { title: '' });
    const [{ latest }, found] = [
      follow(draft),
      follow(useFind(database.tasks, { where: { title: 'Milk' } })),
    ];
    latest().merge({ title: 'Milk' });
    await expect.poll(latest).toMatchObject({ doc: { title: 'Milk' }, edited: true });
    expect(get(draft)).toBe(latest());
    await latest().submit();
    await expect.poll(() => latest().doc).toEqual({ title: '' });
    await expect.poll(() => titlesOf(found.latest())).toEqual(['Milk']);
    // @ts-expect-error The title of a task is a text.
    latest().merge({ title: 1 });
    // @ts-expect-error Tasks have no such field.
    useFind(database.tasks, { where: { titel: 'Milk' } });
  });

  test('stays attached until nothing reads it', async () => {
    const calls: string[] = [];
    const attached = { detach: async () => void calls.push('detach') };
    const attach = async () => {
      calls.push('attach');
      return attached;
    };
    const live = useAttach({ attach } as unknown as Database, { attach } as unknown as Remote);
    const { latest, stop } = follow(live);
    await expect.poll(() => latest().state).toBe('attached');
    expect(latest().attached).toBe(attached);
    stop();
    await expect.poll(() => calls).toEqual(['attach', 'detach']);
  });
});

describe('runes', () => {
  test('follows options, and keeps the result while the options are equal', async () => {
    const { database, counts } = counted(memoryDatabase());
    await database.bulk([
      { title: 'Milk', list: 'a' },
      { title: 'Nails', list: 'b' },
    ]);
    const filter = new SvelteMap<string, { readonly list: string }>([['where', { list: 'a' }]]);
    const live = useFind(database, () => ({ where: { list: filter.get('where')?.list ?? '' } }));
    const { latest } = shownByRunes(live);
    const other = shownByRunes(live);
    await expect.poll(() => titlesOf(latest())).toEqual(['Milk']);
    filter.set('where', { list: 'b' });
    await expect.poll(() => titlesOf(latest())).toEqual(['Nails']);
    await expect.poll(() => titlesOf(other.latest())).toEqual(['Nails']);
    await expect.poll(() => counts).toEqual({ listeners: 1, finds: 2 });
    const before = latest();
    filter.set('where', { list: 'b' });
    await expect.poll(() => live.current).toBe(before);
    expect(counts).toEqual({ listeners: 1, finds: 2 });
  });

  test('shows another database, and forgets the first one', async () => {
    const [first, second] = [counted(memoryDatabase()), counted(memoryDatabase())];
    await first.database.put({ title: 'Milk' });
    await second.database.put({ title: 'Nails' });
    const chosen = new SvelteMap([['database', first.database]]);
    const live = useFind(() => chosen.get('database') ?? second.database);
    const { latest } = shownByRunes(live);
    await expect.poll(() => titlesOf(latest())).toEqual(['Milk']);
    chosen.delete('database');
    await expect.poll(() => titlesOf(latest())).toEqual(['Nails']);
    await expect.poll(() => [first.counts.listeners, second.counts.listeners]).toEqual([0, 1]);
  });
});
