import { act, cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../engine/engine-here.fixture.ts';
import { DocumentCount, keepCount } from './document-counts.tsx';

withEngine();
afterEach(cleanup);

test('follows the number of documents once it is known, until the database is closed', async () => {
  const database = await freshLocal([{ _id: 'milk' }, { _id: 'rice' }]);
  const count = vi.spyOn(database.rows, 'count');
  const { container } = render(<DocumentCount storage={database.name} />);
  const shown = () => container.querySelector<HTMLElement>('[data-count]')?.dataset['count'];
  await database.put({ _id: 'tea' });
  expect([shown(), count.mock.calls.length]).toEqual([undefined, 0]);
  act(() => keepCount(database, 3));
  expect([shown(), count.mock.calls.length]).toEqual(['3', 0]);
  act(() => keepCount(database, 3));
  await database.put({ _id: 'salt' });
  await waitFor(() => expect(shown()).toBe('4'));
  expect(count).toHaveBeenCalledTimes(1);
  await database.del('milk');
  await waitFor(() => expect(shown()).toBe('3'));
  await act(async () => database.close());
  expect(shown()).toBeUndefined();
});
