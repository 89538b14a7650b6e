import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { expect, test, vi } from 'vitest';
import { findConflicts } from './find-conflicts.ts';

const signal = new AbortController().signal;

test('checks only documents that more than one event wrote', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
  const database = fixpoint('linear', { directory, commitEachWrite: true });
  await database.put({ _id: 'once' });
  await database.put({ _id: 'twice', n: 1 });
  await database.put({ _id: 'twice', n: 2 });
  const asked = vi.spyOn(database, 'conflicts');
  const onProgress = vi.fn();
  expect(await findConflicts(database, { signal, onProgress })).toEqual([]);
  expect(asked.mock.calls).toEqual([['twice']]);
  expect(onProgress).toHaveBeenCalledWith(1, []);
  await database.close();
  rmSync(directory, { recursive: true });
});

test('finds conflicts in a history of several pages', async () => {
  const events = Array.from({ length: 450 }, (_, n) => ({
    event: `e${n}`,
    parents: [],
    ids: [`d${n % 300}`],
    documents: 1,
    state: 'sent' as const,
  }));
  const winner = { event: 'e0', parents: [], concurrent: true };
  const database = {
    events: async ({ limit = 0, after }: { limit?: number; after?: string | undefined } = {}) => {
      const from = after === undefined ? 0 : events.findIndex(({ event }) => event === after) + 1;
      return events.slice(from, from + limit);
    },
    conflicts: async (id: string) => (id === 'd7' ? { winner, losers: [winner] } : undefined),
  };
  const onProgress = vi.fn();
  const found = await findConflicts(database as never, { signal, onProgress });
  expect(found.map(({ id }) => id)).toEqual(['d7']);
  expect(onProgress).toHaveBeenLastCalledWith(150, found);
});
