import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test, vi } from 'vitest';
import { withConflict } from '../features/history/conflicts/real-conflict.fixture.ts';
import {
  type ConflictDatabase,
  conflictsText,
  knownConflicts,
  openConflicts,
  versionsKey,
} from './open-conflicts.ts';

const many = (...ids: string[]) => [...ids, ...Array.from({ length: 30 }, (_, n) => `d${n}`)];

describe('openConflicts', () => {
  test.each([
    ['few documents', ['rice', 'milk', 'unknown']],
    ['many documents', many('rice', 'milk')],
  ])('returns those of %s that have a conflict, with their versions', async (_what, ids) => {
    const { database, seen } = await withConflict([{ _id: 'rice' }]);
    expect([...(await openConflicts(database, ids))]).toEqual([['milk', versionsKey(seen)]]);
    expect((await openConflicts(database, many('rice'))).size).toBe(0);
    await database.put({ _id: 'milk', litres: 9 });
    expect((await openConflicts(database, ids)).size).toBe(0);
  });

  test('skips documents whose versions can’t be read, but knows that they may have a conflict', async () => {
    const found = [
      { id: 'broken', events: [] },
      { id: 'milk', events: ['w', 'o'] },
    ];
    const database = { conflicts: async () => found } as unknown as ConflictDatabase;
    expect([...(await openConflicts(database, ['broken', 'milk']))]).toEqual([['milk', 'w o']]);
    expect([...(await knownConflicts(database, ['broken', 'milk']))]).toEqual([
      ['broken', ''],
      ['milk', 'w o'],
    ]);
  });

  test('asks once, for these documents only, and for none not at all', async () => {
    const { database } = await withConflict();
    const conflicts = vi.spyOn(database, 'conflicts');
    await openConflicts(database, many('milk'));
    await openConflicts(database, []);
    expect(conflicts.mock.calls.map(([ids]) => ids)).toEqual([many('milk')]);
  });

  test.each(['DATABASE_CLOSED', 'STORE_FULL', 'STORE_FAILED'] as const)(
    'fails if conflicts can’t be looked for: %s',
    async (code) => {
      const conflicts = () => Promise.reject(new FixpointError(code));
      const database = { conflicts } as ConflictDatabase;
      await expect(openConflicts(database, ['milk'])).rejects.toMatchObject({ code });
    },
  );
});

test('says how many documents were left out', () => {
  expect([conflictsText(0), conflictsText(1), conflictsText(2000)]).toEqual([
    '',
    'Left out 1 document with a conflict. Open it to merge the versions.',
    'Left out 2,000 documents with a conflict. Open them to merge the versions.',
  ]);
});
