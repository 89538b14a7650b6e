import { describe, expect, test } from 'vitest';
import { idsAfter, shownIds } from './shown-ids.ts';

/** A table that has loaded some rows of the database, by position. */
const table = (shown: Readonly<Record<number, string>>, database: string) => ({
  rowAt: (at: number) => (shown[at] === undefined ? undefined : { id: shown[at] }),
  after: async (id: string, limit: number) => idsAfter([...database], id, limit),
});

describe('the ids of rows', () => {
  test('includes rows between two loaded ones', async () => {
    expect(await shownIds(table({ 0: 'a', 3: 'd', 4: 'e' }, 'abcdef'), 0, 5)).toEqual([...'abcde']);
  });

  test('ends with the last row of the table', async () => {
    expect(await shownIds(table({ 1: 'b' }, 'abcd'), 1, 9)).toEqual([...'bcd']);
  });

  test.each(['abXcdef', 'acdef', 'ad', 'bcdef'])(
    'rejects rows that changed to %s between loaded ones',
    async (now) => {
      const reading = shownIds(table({ 0: 'a', 3: 'd', 4: 'e' }, now), 0, 5);
      await expect(reading).rejects.toThrow('the rows changed at the same time');
    },
  );

  test('rejects a first row that isn’t loaded', async () => {
    await expect(shownIds(table({ 1: 'b' }, 'ab'), 0, 2)).rejects.toThrow('isn’t loaded');
  });
});
