/** Loads the part of Solid for servers, as Node does. */
import type { Database } from 'fixpoint';
import { createRoot } from 'solid-js';
import { isServer } from 'solid-js/web';
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
  const live = createRoot(() => useFind(database));
  await Promise.resolve();
  expect([isServer, live().hydrated, live().docs]).toEqual([true, false, []]);
  expect(calls).toEqual([]);
});
