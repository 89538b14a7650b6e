import type { BridgedDatabase } from 'fixpoint/bridge';
import { expect, test } from 'vitest';
import { isAsked, waitingWrite, withWindow } from '../leaving/ask-before-leaving.fixture.ts';
import { guardWrites, WRITES } from './guarded-writes.ts';

withWindow();

/** Returns a handle whose calls remain pending until the test resolves them. */
function waitingDatabase() {
  const calls: { readonly args: readonly unknown[]; readonly ends: ReturnType<typeof waitingWrite> }[] = [];
  const call = (...args: unknown[]) => {
    const ends = waitingWrite();
    calls.push({ args, ends });
    return ends.promise;
  };
  const verbs = [...WRITES, 'head', 'get', 'allDocs', 'compact'] as const;
  const handle = {
    ...Object.fromEntries(verbs.map((verb) => [verb, call])),
  };
  return { database: guardWrites(handle as unknown as BridgedDatabase), calls };
}

test.each(WRITES)('warns about %s until it settles, and returns the answer', async (verb) => {
  const { database, calls } = waitingDatabase();
  const answer = (database[verb] as (...args: unknown[]) => Promise<unknown>)('first', 2);
  expect(calls[0]?.args).toEqual(['first', 2]);
  expect(isAsked()).toBe(true);
  calls[0]?.ends.resolve('answer');
  expect(await answer).toBe('answer');
  expect(isAsked()).toBe(false);
});

test('stops warning when the database rejects a write', async () => {
  const { database, calls } = waitingDatabase();
  const refused = database.put({ _id: 'a' });
  calls[0]?.ends.reject(new Error('refused'));
  await expect(refused).rejects.toThrow('refused');
  expect(isAsked()).toBe(false);
});

test('does not warn about reads', () => {
  const { database } = waitingDatabase();
  void database.head();
  void database.get('a');
  void database.allDocs();
  void database.compact();
  expect(isAsked()).toBe(false);
});
