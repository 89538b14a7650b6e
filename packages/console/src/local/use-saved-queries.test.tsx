import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { freshName, withEngine } from '../engine/engine-here.fixture.ts';
import { createLocal, hasStorage } from './databases.ts';
import { removeSavedQueries, savedQueriesOf, saveQuery } from './saved-queries.ts';
import { useSavedQueries } from './use-saved-queries.ts';

withEngine();
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const source = '(doc, emit) => emit(doc._id)';

function shown(first: string) {
  const { result, rerender } = renderHook(({ database }) => useSavedQueries(database), {
    initialProps: { database: first },
  });
  const names = () => (result.current.loaded ? result.current.queries.map(({ name }) => name) : undefined);
  return { result, names, show: (database: string) => rerender({ database }) };
}

describe('the list of a database’s saved queries', () => {
  test('shows no queries for a database without saved queries, and creates no storage', async () => {
    const database = freshName();
    await createLocal(database);
    const { names } = shown(database);
    await waitFor(() => expect(names()).toEqual([]));
    expect(await hasStorage(`fp_${database}_queries`)).toBe(false);
  });

  test('shows the first query after it is saved, and each later query', async () => {
    const database = freshName();
    const { names } = shown(database);
    await waitFor(() => expect(names()).toEqual([]));
    await act(async () => void (await saveQuery(database, { name: 'By price', source })));
    await waitFor(() => expect(names()).toEqual(['By price']));
    await act(async () => void (await saveQuery(database, { name: 'By shelf', source })));
    await waitFor(() => expect(names()?.toSorted()).toEqual(['By price', 'By shelf']));
  });

  test('shows the queries of another database when the page switches to it, and no queries until they have loaded', async () => {
    const [one, other] = [freshName(), freshName()];
    await saveQuery(one, { name: 'First', source });
    await saveQuery(other, { name: 'Second', source });
    const { names, show } = shown(one);
    await waitFor(() => expect(names()).toEqual(['First']));
    show(other);
    expect(names()).toBeUndefined();
    await waitFor(() => expect(names()).toEqual(['Second']));
  });

  test('reports that the queries can’t be read', async () => {
    const database = freshName();
    await saveQuery(database, { name: 'By price', source });
    const damaged = new Error('the archive is damaged');
    vi.spyOn(savedQueriesOf(database), 'allDocs').mockRejectedValue(damaged);
    const { result, names } = shown(database);
    await waitFor(() => expect(names()).toEqual([]));
    expect(result.current.error).toBe(damaged);
  });

  test('is empty after all queries were removed', async () => {
    const database = freshName();
    await saveQuery(database, { name: 'By price', source });
    await removeSavedQueries(database);
    expect(await hasStorage(`fp_${database}_queries`)).toBe(false);
    const { names } = shown(database);
    await waitFor(() => expect(names()).toEqual([]));
  });
});
