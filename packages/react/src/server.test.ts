/** Hooks on a server, where nothing loads: renders components in Node, without a window. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collection, type Database } from 'fixpoint';
import { createElement, Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { useFireproof } from './fireproof.ts';
import {
  FixpointProvider,
  type FixpointProviderProps,
  useFind,
  useFixpoint,
  useSuspenseFind,
} from './index.ts';

const todos = collection('todos', { schema: z.object({ title: z.string() }), merge: 'fields' });

/** Renders a component, and returns the text and the handle that the component got. */
function rendered(
  options: FixpointProviderProps['defaults'] = {},
  defaults?: FixpointProviderProps['defaults'],
) {
  let found: Pick<Database, 'put' | 'close'> | undefined;
  const Todos = () => {
    const { database } = useFixpoint('rendered', { ...options, collections: { todos } });
    const { docs, invalid, hydrated } = useFind(database.todos);
    found = database;
    return createElement('p', null, JSON.stringify({ docs, invalid, hydrated }));
  };
  const props: FixpointProviderProps = { defaults };
  const text = renderToString(createElement(FixpointProvider, props, createElement(Todos)));
  return { text: text.replaceAll('&quot;', '"'), database: found as NonNullable<typeof found> };
}

test('renders values that have not loaded on a server, and opens no database', async () => {
  const { text, database } = rendered();
  expect(text).toBe('<p>{"docs":[],"invalid":[],"hydrated":false}</p>');
  await expect(database.put({ title: 'Milk' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await Promise.race([database, 'not a promise'])).toBe(database);
});

test('renders the hooks of use-fireproof in the same way', async () => {
  let database: Pick<Database, 'put'> | undefined;
  const Notes = () => {
    const used = useFireproof('rendered');
    database = used.database;
    const { docs, hydrated } = used.useLiveQuery('title');
    return createElement(
      'p',
      null,
      `${docs.length} ${used.useDocument({ title: 'a' }).doc.title} ${hydrated}`,
    );
  };
  expect(renderToString(createElement(Notes))).toBe('<p>0 a false</p>');
  await expect(database?.put({})).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('renders the fallback of a suspended component on a server', () => {
  const Suspended = () => {
    const { database } = useFixpoint('rendered');
    return createElement('p', null, useSuspenseFind(database).docs.length);
  };
  const fallback = createElement('i', null, 'Loading');
  const text = renderToString(createElement(Suspense, { fallback }, createElement(Suspended)));
  expect(text).toContain('<i>Loading</i>');
});

test.each(['the component', 'the provider'])(
  'opens a database on a server if %s names a folder',
  async (who) => {
    const directory = mkdtempSync(join(tmpdir(), 'fixpoint-server-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const { text, database } =
      who === 'the component' ? rendered({ directory }) : rendered({}, { directory });
    expect(text).toContain('"hydrated":false');
    await database.put({ title: 'Milk' });
    expect(existsSync(join(directory, 'rendered'))).toBe(true);
    await database.close();
  },
);

test.each(['index.ts', 'use-fireproof.ts', 'files/img-file.tsx'])(
  'marks %s as code of the browser',
  (file) => {
    expect(readFileSync(join('packages/react/src', file), 'utf8')).toMatch(/^'use client';/);
  },
);
