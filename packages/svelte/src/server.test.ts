/** Loads the part of Svelte for servers, as Node does. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collection, type Database, fixpoint } from 'fixpoint';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
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

test('opens no database that a module of the server creates', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-svelte-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const todos = collection('todos', { schema: z.object({ n: z.number() }), merge: 'fields' });
  const db = fixpoint('module', { directory, collections: { todos } });
  const live = useFind(db.todos);
  await new Promise(setImmediate);
  expect(live.current.hydrated).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});
