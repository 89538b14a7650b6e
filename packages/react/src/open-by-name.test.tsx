import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { fixpoint } from 'fixpoint';
import { describe, expect, onTestFinished, test } from 'vitest';
import { long } from '../../engine/tests/budget.fixture.ts';
import { useFireproof } from './fireproof.ts';
import { useFixpoint } from './index.ts';

const strict = { reactStrictMode: true };

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'fixpoint-by-name-'));
  onTestFinished(() => {
    cleanup();
    rmSync(made, { recursive: true, force: true });
  });
  return made;
}

/** The hooks that open a database by name, called with a directory. */
const HOOKS = {
  useFixpoint: (name: string, directory: string) => useFixpoint(name, { directory }),
  useFireproof: (name: string, directory: string) =>
    useFireproof(name, { storeUrls: { base: `file://${directory}` } }),
};

describe.each(Object.entries(HOOKS))('%s, by name', (hook, use) => {
  const name = `by-name-${hook}`;
  const shown = (directory: string) =>
    renderHook(() => {
      const used = use(name, directory);
      return { database: used.database, all: used.useAllDocs() };
    }, strict).result;

  test('shares one handle between all components, and opens a new handle after the database was destroyed', async () => {
    const directory = folder();
    const [one, two] = [shown(directory), shown(directory)];
    const { database } = one.current;
    expect(two.current.database).toBe(database);
    await act(() => database.put({ _id: 'a' }));
    await waitFor(() => expect(two.current.all.docs).toEqual([{ _id: 'a' }]));
    await act(() => database.destroy());
    const next = shown(directory);
    expect(next.current.database).not.toBe(database);
    await waitFor(() =>
      expect(next.current.all).toMatchObject({ docs: [], hydrated: true, error: undefined }),
    );
    await act(() => next.current.database.put({ _id: 'b' }));
    await waitFor(() => expect(next.current.all.docs).toEqual([{ _id: 'b' }]));
    await act(() => next.current.database.destroy());
  });
});

test('reports why a database could not be opened, and retries with the next component', long, async () => {
  const directory = folder();
  const made = fixpoint('locked', { directory, passphrase: 'right' });
  await made.put({ _id: 'a' });
  await made.close();
  const shown = (passphrase: string) =>
    renderHook(() => {
      const { database, useAllDocs } = useFixpoint('locked', { directory, passphrase });
      return { database, all: useAllDocs() };
    }, strict).result;
  const wrong = shown('wrong');
  await waitFor(() => expect(wrong.current.all.error).toMatchObject({ code: 'KEY_BAG_LOCKED' }));
  expect(wrong.current.all.docs).toEqual([]);
  const right = shown('right');
  await waitFor(() => expect(right.current.all.docs).toEqual([{ _id: 'a' }]));
  expect(wrong.current.all.error).toMatchObject({ code: 'KEY_BAG_LOCKED' });
  await act(() => right.current.database.destroy());
});
