import type { BridgedDatabase } from 'fixpoint/bridge';
import { expect, test } from 'vitest';
import { isAsked, waitingWrite, withWindow } from '../ui/leaving.fixture.ts';
import { guardWrites, WRITES } from './guarded-writes.ts';

withWindow();

/** A handle all of whose calls wait to be answered. */
function waitingDatabase() {
  const calls: { readonly args: readonly unknown[]; readonly ends: ReturnType<typeof waitingWrite> }[] = [];
  const call = (...args: unknown[]) => {
    const ends = waitingWrite();
    calls.push({ args, ends });
    return ends.promise;
  };
  const verbs = [...WRITES, 'get', 'allDocs', 'compact'] as const;
  const handle = {
    get head() {
      return ['now'];
    },
    ...Object.fromEntries(verbs.map((verb) => [verb, call])),
  };
  return { database: guardWrites(handle as unknown as BridgedDatabase), calls };
}

test.each(WRITES)('%s warns until it is answered, and its answer is that of the database', async (verb) => {
  const { database, calls } = waitingDatabase();
  const answer = (database[verb] as (...args: unknown[]) => Promise<unknown>)('first', 2);
  expect(calls[0]?.args).toEqual(['first', 2]);
  expect(isAsked()).toBe(true);
  calls[0]?.ends.resolve('answer');
  expect(await answer).toBe('answer');
  expect(isAsked()).toBe(false);
});

test('a write that the database refuses warns no longer', async () => {
  const { database, calls } = waitingDatabase();
  const refused = database.put({ _id: 'a' });
  calls[0]?.ends.reject(new Error('refused'));
  await expect(refused).rejects.toThrow('refused');
  expect(isAsked()).toBe(false);
});

test('to read warns of nothing, and the head is the one of now', () => {
  const { database } = waitingDatabase();
  void database.get('a');
  void database.allDocs();
  void database.compact();
  expect(isAsked()).toBe(false);
  expect(database.head).toEqual(['now']);
});
