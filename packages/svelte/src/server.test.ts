/** Loads the part of Svelte for servers, as Node does. */
import type { Database } from 'fixpoint';
import { expect, test } from 'vitest';
import { useFind } from './index.ts';

test('returns a value that has not loaded on a server, and calls nothing', async () => {
  const calls: string[] = [];
  const call = (name: string) => () => {
    calls.push(name);
    return () => undefined;
  };
  const database = {
    name: 'server',
    subscribe: call('subscribe'),
    onClosed: call('onClosed'),
    find: call('find'),
  } as unknown as Database;
  const live = useFind(database);
  const values: unknown[] = [];
  live.subscribe((value) => values.push(value))();
  await Promise.resolve();
  expect([live.current.hydrated, live.current.docs]).toEqual([false, []]);
  expect(values).toEqual([live.current]);
  expect(calls).toEqual([]);
});
