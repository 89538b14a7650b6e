import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { freshName, withEngine } from '../engine/engine-here.fixture.ts';
import { recordConnection } from './connections.ts';
import { createLocal, destroyLocal, existsLocal, isLostLocal, openLocal, resetLocal } from './databases.ts';
import { saveQuery } from './saved-queries.ts';
import { isBlocked, listDatabases, useLocalDatabases } from './use-local-databases.ts';

withEngine();
afterEach(cleanup);

const names = async () => (await listDatabases()).map(({ name }) => name);
const entryOf = async (name: string) => (await listDatabases()).find((one) => one.name === name);

describe('the list of this browser’s databases', () => {
  test('contains a database from its creation to its deletion', async () => {
    const name = freshName();
    const { result } = renderHook(() => useLocalDatabases());
    const shown = () => result.current?.map((one) => one.name);
    expect(shown()).toBeUndefined();
    await waitFor(() => expect(shown()).toBeDefined());
    await act(async () => void (await createLocal(name)));
    await waitFor(() => expect(shown()).toContain(name));
    await act(async () => await destroyLocal(name));
    await waitFor(() => expect(shown()).not.toContain(name));
  });

  test('contains a database that an app created, once the user returns to the page', async () => {
    const name = freshName();
    const { result } = renderHook(() => useLocalDatabases());
    await waitFor(() => expect(result.current).toBeDefined());
    await openLocal(name).ready();
    expect(result.current?.map((one) => one.name)).not.toContain(name);
    await act(async () => void window.dispatchEvent(new Event('focus')));
    await waitFor(() => expect(result.current?.map((one) => one.name)).toContain(name));
  });

  test('omits Fixpoint’s internal databases, and says which databases have saved queries', async () => {
    const [queried, plain] = [freshName(), freshName()];
    await createLocal(queried);
    await createLocal(plain);
    await saveQuery(queried, { name: 'By price', source: '' });
    expect((await names()).filter((name) => name.endsWith('_queries'))).toEqual([]);
    expect([await entryOf(queried), await entryOf(plain)]).toMatchObject([
      { hasSavedQueries: true },
      { hasSavedQueries: false },
    ]);
  });

  test('links to a database with a tilde in the path when another database uses the same name as its remote name', async () => {
    const [name, other] = [freshName(), freshName()];
    await createLocal(name);
    await createLocal(other);
    expect((await entryOf(name))?.path).toBe(`/fp/databases/${name}`);
    await recordConnection({
      localName: other,
      remoteName: name,
      sanitizedRemoteName: name,
      endpoint: '',
      firstConnect: true,
    });
    expect((await entryOf(name))?.path).toBe(`/fp/databases/~${name}`);
  });

  test('is empty if the browser can’t list storages, and every database then counts as existing', async () => {
    vi.stubGlobal('indexedDB', { databases: () => Promise.reject(new Error('not supported')) });
    expect([await names(), await existsLocal(freshName())]).toEqual([[], true]);
  });

  test.each([
    [
      'rejects',
      () => ({ databases: () => Promise.reject(new DOMException('denied', 'SecurityError')) }),
      true,
    ],
    ['isn’t supported', () => ({ databases: () => Promise.reject(new Error('not supported')) }), false],
    ['lacks the method', () => ({}), false],
    ['has no storages', () => ({ databases: () => Promise.resolve([]) }), false],
  ])('knows whether the browser blocks storage if its list %s', async (_, factory, expected) => {
    vi.stubGlobal('indexedDB', factory());
    const list = await listDatabases();
    expect([list, isBlocked(list)]).toEqual([[], expected]);
  });
});

describe('one database of this browser', () => {
  test('has one handle for all names with the same storage', async () => {
    const name = freshName();
    expect(openLocal(`${name}!`)).toBe(openLocal(`${name}_`));
    expect(openLocal(name)).not.toBe(openLocal(`${name}_`));
  });

  test('exists from its creation to its deletion', async () => {
    const name = freshName();
    expect(await existsLocal(name)).toBe(false);
    await createLocal(name);
    expect(await existsLocal(name)).toBe(true);
    await destroyLocal(name);
    expect([await existsLocal(name), await isLostLocal(name)]).toEqual([false, false]);
  });

  test('loses its saved queries when it is deleted', async () => {
    const name = freshName();
    await createLocal(name);
    await saveQuery(name, { name: 'By price', source: '' });
    await destroyLocal(name);
    await createLocal(name);
    expect((await entryOf(name))?.hasSavedQueries).toBe(false);
  });

  test('starts empty after a reset, and keeps its saved queries', async () => {
    const name = freshName();
    const database = await createLocal(name);
    await database.put({ _id: 'milk' });
    await saveQuery(name, { name: 'By price', source: '' });
    await resetLocal(name);
    expect((await openLocal(name).allDocs()).rows).toEqual([]);
    expect((await entryOf(name))?.hasSavedQueries).toBe(true);
  });
});
