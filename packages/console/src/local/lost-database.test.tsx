import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { freshDatabase } from './fresh-database.fixture.ts';
import { useHasContent } from './lost-database.tsx';

test('reports when a database gets content, and returns true at once the next time', async () => {
  const database = await freshDatabase();
  const { result, unmount } = renderHook(() => useHasContent(database));
  await act(() => database.ready());
  expect(result.current).toBe(false);
  await act(() => database.put({ _id: 'a' }));
  await waitFor(() => expect(result.current).toBe(true));
  unmount();
  expect(renderHook(() => useHasContent(database)).result.current).toBe(true);
});
