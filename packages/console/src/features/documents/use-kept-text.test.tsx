// @vitest-environment happy-dom
import { cleanup, renderHook } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draftOf, withText } from './draft.ts';
import { readKeptText } from './kept-text.ts';
import type { LiveDraft } from './live-draft.ts';
import { useKeptText } from './use-kept-text.ts';

const database = { name: 'notes' } as Database;
const live = { change: () => undefined } as unknown as LiveDraft;
const typed = withText(draftOf('milk', { _id: 'milk', litres: 1 }), '{ "litres": 2 }');

/** Somebody typed, and is led to this page. */
function leaveFor(path: string): string | undefined {
  const { unmount } = renderHook(() => useKeptText(database, typed, live));
  history.replaceState(null, '', path);
  unmount();
  return readKeptText('notes', 'milk');
}

beforeEach(() => sessionStorage.clear());
afterEach(cleanup);

test('whose session ended finds what was typed when he is signed in again', () => {
  expect(leaveFor('/login?redirect_url=%2Ffp%2Fcloud')).toBe('{ "litres": 2 }');
});

test.each(['/fp/databases', '/login'])('who left for %s was asked, and keeps nothing', (path) => {
  expect(leaveFor(path)).toBeUndefined();
});
