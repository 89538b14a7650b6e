import { act, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { warnWhile } from '../../leaving/ask-before-leaving.ts';
import { drawPages, pageCalled, withPages } from '../../ui/pages.fixture.tsx';
import { useSignOut } from './use-sign-out.ts';

withPages();

const asked: string[] = [];
let isAgreed = true;

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal('confirm', (question: string) => {
    asked.push(question);
    return isAgreed;
  });
});
afterEach(() => void vi.unstubAllGlobals());

/**
 * Presses "Sign out" on a page with text; returns how often the session was ended, and the page
 * that is open afterwards.
 */
async function signOut(isUnsaved: boolean) {
  let ended = 0;
  const parts = appWith({
    session: {
      signOut: async () => {
        ended += 1;
        return undefined;
      },
    },
  });
  function Editor() {
    useEffect(() => warnWhile(() => isUnsaved, 'Leave?'), []);
    const leave = useSignOut();
    return (
      <button type="button" onClick={() => void leave()}>
        Sign out
      </button>
    );
  }
  const { path } = await drawPages(
    [
      { path: '/document', Component: Editor },
      { path: '/login', Component: pageCalled('Sign in') },
    ],
    '/document',
    parts,
  );
  await act(async () => screen.getByRole('button', { name: 'Sign out' }).click());
  return { ended, path: path() };
}

const QUESTION = 'This page has unsaved changes. Sign out without saving them?';

describe('signing out with unsaved text', () => {
  test('asks before the session ends, and does nothing when the user cancels', async () => {
    isAgreed = false;
    expect(await signOut(true)).toEqual({ ended: 0, path: '/document' });
    expect(asked).toEqual([QUESTION]);
  });

  test('asks only once', async () => {
    isAgreed = true;
    expect(await signOut(true)).toEqual({ ended: 1, path: '/login' });
    expect(asked).toEqual([QUESTION]);
  });

  test('doesn’t ask when nothing would be lost', async () => {
    expect(await signOut(false)).toEqual({ ended: 1, path: '/login' });
    expect(asked).toEqual([]);
  });
});
