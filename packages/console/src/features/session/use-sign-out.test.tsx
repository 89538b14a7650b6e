// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { warnWhile } from '../../ui/leaving.ts';
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

/** Presses "Sign out" on a page with a text; gives how often the session was ended, and where that led. */
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

const QUESTION = 'Something on this page is not saved. Sign out without saving it?';

describe('signing out beside a text that is not saved', () => {
  test('is asked about before the session ends, and not done when somebody thinks better of it', async () => {
    isAgreed = false;
    expect(await signOut(true)).toEqual({ ended: 0, path: '/document' });
    expect(asked).toEqual([QUESTION]);
  });

  test('is asked about once', async () => {
    isAgreed = true;
    expect(await signOut(true)).toEqual({ ended: 1, path: '/login' });
    expect(asked).toEqual([QUESTION]);
  });

  test('is not asked about where nothing would be lost', async () => {
    expect(await signOut(false)).toEqual({ ended: 1, path: '/login' });
    expect(asked).toEqual([]);
  });
});
