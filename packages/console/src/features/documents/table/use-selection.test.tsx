import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { useSelection } from './use-selection.ts';

afterEach(cleanup);

const IDS = ['a', 'b', 'c', 'd', 'e'];

const live = {
  rowAt: (at: number) => (IDS[at] === undefined ? undefined : { id: IDS[at] }),
  ids: async function* ids() {
    yield IDS.slice(0, 3);
    yield IDS.slice(3);
  },
} as never;
const database = { subscribe: () => () => undefined, allDocs: async () => ({ rows: [] }) } as never;

function selection() {
  const { result, rerender } = renderHook(({ filter }) => useSelection(database, live, IDS.length, filter), {
    initialProps: { filter: '' },
  });
  const now = () => result.current;
  return {
    now,
    filterBy: (filter: string) => rerender({ filter }),
    toggle: (at: number, toHere = false) => act(() => now().toggle(at, IDS[at] ?? '', toHere)),
    toggleAll: () => act(() => now().toggleAll()),
    selected: () => IDS.filter((id) => now().isSelected(id)),
    chosen: async () => {
      const ids: string[] = [];
      for await (const part of now().chosen(new AbortController().signal)) ids.push(...part);
      return ids;
    },
  };
}

describe('the selected rows', () => {
  test('starts empty', () => {
    const { now, selected } = selection();
    expect([now().count, now().all, selected()]).toEqual([0, 'none', []]);
  });

  test('selects all rows, also when some are already selected', async () => {
    const { now, toggle, chosen } = selection();
    toggle(1);
    act(() => now().selectAll());
    expect([now().count, now().all, await chosen()]).toEqual([5, 'all', IDS]);
  });

  test('adds and removes one row at a time', async () => {
    const { now, toggle, selected, chosen } = selection();
    toggle(1);
    toggle(3);
    expect([now().count, now().all, selected()]).toEqual([2, 'some', ['b', 'd']]);
    toggle(1);
    expect(await chosen()).toEqual(['d']);
  });

  test('extends to a range of rows, whichever end was selected first', () => {
    const { toggle, selected } = selection();
    toggle(3);
    toggle(1, true);
    expect(selected()).toEqual(['b', 'c', 'd']);
    toggle(4, true);
    expect(selected()).toEqual(['b', 'c', 'd', 'e']);
  });

  test('includes all rows except the excluded ones, without a list of ids', async () => {
    const { now, toggle, toggleAll, selected, chosen } = selection();
    toggleAll();
    expect([now().count, now().all, selected()]).toEqual([5, 'all', IDS]);
    toggle(2);
    expect([now().count, now().all]).toEqual([4, 'some']);
    expect(await chosen()).toEqual(['a', 'b', 'd', 'e']);
    toggleAll();
    expect(now().all).toBe('none');
  });

  test('is cleared when the filter changes', () => {
    const { now, toggle, filterBy } = selection();
    toggle(0);
    filterBy('milk');
    expect(now().count).toBe(0);
  });
});
