import { act, cleanup, render } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { useState } from 'react';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetNotesOf } from '../../../local/forget-notes.ts';
import { afterSave, type Draft, draftOf, withText } from './draft.ts';
import { readKeptBase, readKeptText } from './kept-text.ts';
import type { LiveDraft } from './live-draft.ts';
import { useKeptText } from './use-kept-text.ts';

const database = { name: 'notes' } as Database;
const live = { change: () => undefined } as unknown as LiveDraft;
const TEXT = '{ "litres": 2 }';
const typed = withText(draftOf('milk', { _id: 'milk', litres: 1 }), TEXT);

/** Renders the page of a document with this draft. */
async function page(first: Draft) {
  let show: (draft: Draft | undefined) => void = () => undefined;
  const Editor = ({ draft }: { draft: Draft }) => String(useKeptText(database, draft, live));
  function Page() {
    const [draft, setDraft] = useState<Draft | undefined>(first);
    show = setDraft;
    return draft === undefined ? 'Not found' : <Editor draft={draft} />;
  }
  history.replaceState(null, '', '/docs/milk');
  const router = createBrowserRouter([
    { path: '/docs/milk', Component: Page },
    { path: '*', element: '' },
  ]);
  render(<RouterProvider router={router} />);
  return {
    show: (draft: Draft | undefined) => act(async () => show(draft)),
    go: (path: string) => act(async () => router.navigate(path)),
  };
}

beforeEach(() => sessionStorage.clear());
afterEach(cleanup);

test('keeps typed text when the session ends and the login page opens', async () => {
  const { go } = await page(typed);
  await go('/login?redirect_url=%2Ffp%2Fcloud');
  expect(readKeptText('notes', 'milk')).toBe(TEXT);
});

test('keeps the document that the text is based on, and forgets both together', async () => {
  const { go, show } = await page(typed);
  await go('/login?redirect_url=%2Ffp%2Fcloud');
  expect(JSON.parse(readKeptBase('notes', 'milk') ?? '')).toEqual({ litres: 1 });
  forgetNotesOf('notes');
  expect([readKeptText('notes', 'milk'), readKeptBase('notes', 'milk')]).toEqual([undefined, undefined]);
  await show(undefined);
});

test('keeps typed text when another page, such as "no access", shows at the same address', async () => {
  const { show } = await page(typed);
  await show(undefined);
  expect(readKeptText('notes', 'milk')).toBe(TEXT);
});

test.each(['/databases', '/login'])('keeps nothing when users confirm leaving for %s', async (path) => {
  const { go } = await page(typed);
  await go(path);
  expect(readKeptText('notes', 'milk')).toBeUndefined();
});

test('doesn’t keep text typed during the save of a new document for the next new document', async () => {
  const fresh = withText(draftOf(undefined, undefined), '{ "litres": 1 }');
  const { show } = await page(fresh);
  await show(withText(afterSave(fresh, 'milk', { litres: 1 }, undefined), TEXT));
  expect(readKeptText('notes', undefined)).toBeUndefined();
});
