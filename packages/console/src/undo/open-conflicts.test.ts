import { FixpointError } from '@fixpoint/protocol';
import type { DocumentConflicts } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { withConflict } from '../features/history/conflicts/real-conflict.fixture.ts';
import { type ConflictDatabase, conflictsText, openConflicts, versionsKey } from './open-conflicts.ts';

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

  test.each(['MISSING_BLOCK', 'MISSING_CARS', 'KEY_UNKNOWN', 'CORRUPT'] as const)(
    'skips a document whose versions can’t be read: %s',
    async (code) => {
      const versions = { winner: { event: 'w' }, losers: [{ event: 'o' }] } as unknown as DocumentConflicts;
      const conflicts = async (id?: string) => {
        if (id === undefined || id === 'broken') throw new FixpointError(code);
        return id === 'milk' ? versions : undefined;
      };
      const database = { conflicts } as ConflictDatabase;
      expect([...(await openConflicts(database, many('broken', 'milk')))]).toEqual([['milk', 'w o']]);
      expect([...(await openConflicts(database, ['broken', 'milk']))]).toEqual([['milk', 'w o']]);
    },
  );

  test('passes on other failures', async () => {
    const conflicts = () => Promise.reject(new FixpointError('DATABASE_CLOSED'));
    const database = { conflicts } as ConflictDatabase;
    for (const ids of [['milk'], many('milk')])
      await expect(openConflicts(database, ids)).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });
});

test('says how many documents were left out', () => {
  expect([conflictsText(0), conflictsText(1), conflictsText(2000)]).toEqual([
    '',
    'Left out 1 document with a conflict. Open it to merge the versions.',
    'Left out 2,000 documents with a conflict. Open them to merge the versions.',
  ]);
});
