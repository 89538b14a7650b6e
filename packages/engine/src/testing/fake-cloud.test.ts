import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { collection, type Database } from '../entries/node.ts';
import { fakeCloud, memoryDatabase } from './fake-cloud.ts';

const todos = collection('todos', {
  schema: z.object({ title: z.string(), done: z.boolean() }),
  merge: 'fields',
});

function opened() {
  const db = memoryDatabase({ collections: { todos } });
  onTestFinished(() => db.destroy());
  return db;
}
const titlesIn = async (db: ReturnType<typeof opened>) =>
  (await db.todos.find({ sort: { title: 'asc' } })).docs.map(({ title }) => title);

describe('a database in memory', () => {
  test('is empty, and no other database has its documents', async () => {
    const [a, b] = [opened(), opened()];
    await a.todos.put({ title: 'Milk', done: false });
    expect([await titlesIn(a), await titlesIn(b)]).toEqual([['Milk'], []]);
  });

  test('has types, or none', async () => {
    const typed = memoryDatabase<{ title: string }>();
    await typed.put({ title: 'a' });
    // @ts-expect-error: a wrong type
    typed.put({ title: 1 }).catch(() => undefined);
    const untyped: Database = memoryDatabase({ indexes: ['title'] });
    expect(await untyped.find({ where: { title: 'a' } })).toMatchObject({ docs: [] });
    await Promise.all([typed.destroy(), untyped.destroy()]);
  });
});

describe('a fake cloud', () => {
  test('syncs databases, each with those of the same name', async () => {
    const cloud = fakeCloud();
    const [a, b, other] = [opened(), opened(), opened()];
    await a.todos.put({ title: 'Milk', done: false });
    const first = await a.attach(cloud.remote());
    await first.synced();
    const second = await b.attach(cloud.remote());
    const third = await other.attach(cloud.remote({ ledger: 'other' }));
    await Promise.all([second.synced(), third.synced()]);
    expect([await titlesIn(b), await titlesIn(other)]).toEqual([['Milk'], []]);
    expect([first.kind(), first.status().state]).toEqual(['open-key', 'in-sync']);
  });

  test('says at once that databases are offline, and merges what they wrote offline', async () => {
    const cloud = fakeCloud();
    const [a, b] = [opened(), opened()];
    const { id } = await a.todos.put({ title: 'Milk', done: false });
    const attached = [await a.attach(cloud.remote()), await b.attach(cloud.remote())];
    for (const one of attached) await one.synced();
    cloud.offline();
    expect(attached.map((one) => one.status().state)).toEqual(['offline', 'offline']);
    await a.todos.update(id, (todo) => todo && { ...todo, title: 'Oat milk' });
    await b.todos.update(id, (todo) => todo && { ...todo, done: true });
    expect(await titlesIn(b)).toEqual(['Milk']);
    cloud.online();
    await expect.poll(() => a.todos.get(id)).toMatchObject({ title: 'Oat milk', done: true });
    await expect.poll(() => b.todos.get(id)).toMatchObject({ title: 'Oat milk', done: true });
  });

  test('rejects what a reader writes', async () => {
    const cloud = fakeCloud();
    const [writer, reader] = [opened(), opened()];
    await writer.todos.put({ title: 'Milk', done: false });
    await (await writer.attach(cloud.remote())).synced();
    const attached = await reader.attach(cloud.remote({ right: 'read' }));
    await expect.poll(() => titlesIn(reader)).toEqual(['Milk']);
    await reader.todos.put({ title: 'Salt', done: false });
    await expect.poll(() => attached.status().state).toBe('refused');
    expect(await titlesIn(writer)).toEqual(['Milk']);
  });
});

test('syncs documents with bytes where `Uint8Array` is that of another realm, as under jsdom', async () => {
  vi.stubGlobal('Uint8Array', runInNewContext('Uint8Array'));
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(new TextEncoder().encode('a')).not.toBeInstanceOf(Uint8Array);
  const cloud = fakeCloud();
  const [ann, ben] = [memoryDatabase(), memoryDatabase()];
  await ann.attach(cloud.remote());
  await ben.attach(cloud.remote());
  const _files = { note: new File(['of a file'], 'note.txt', { type: 'text/plain' }) };
  await ann.put({ _id: 'a', text: new TextEncoder().encode('text'), _files });
  await expect.poll(async () => (await ben.allDocs()).rows).toHaveLength(1);
  const found = await ben.get<{ text: Uint8Array }>('a');
  expect(new TextDecoder().decode(found.text)).toBe('text');
  expect((await ben.query(({ text }: { text?: unknown }) => text)).rows).toHaveLength(1);
  for (const db of [ann, ben]) await db.destroy();
});
