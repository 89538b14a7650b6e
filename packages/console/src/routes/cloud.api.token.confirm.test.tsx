import type { Result } from '@fixpoint/protocol';
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { appWith } from '../cloud/app.fixture.ts';
import { agreedWith, takeHandOff } from '../cloud/sign-in/token-hand-offs.ts';
import { drawPages, pageCalled, waiting, withPages } from '../ui/pages.fixture.tsx';
import { Component } from './cloud.api.token.tsx';

withPages();

const BACK = 'https://app.example/cb';

async function question() {
  history.replaceState(null, '', '/fp/cloud/api/token');
  let asked = 0;
  const token = waiting<Result<string>>();
  const parts = appWith({
    api: {
      cloudSessionToken: () => {
        asked += 1;
        return token.promise;
      },
    },
  });
  const places = [{ tenantId: 't1', ledgerId: 'l1', name: 'notes', label: 'notes in Acme' }];
  const confirm = { back: BACK, user: 'ada@example.com', places };
  const drawn = await drawPages(
    [
      { path: '/fp/cloud/api/token', Component, loader: () => ({ confirm }) },
      { path: '/fp/cloud', Component: pageCalled('Cloud') },
    ],
    '/fp/cloud/api/token',
    parts,
  );
  await act(async () => (await screen.findByRole('button', { name: 'Allow access' })).click());
  return { ...drawn, token, asked: () => asked };
}

test('[S11] hands nothing over when the user cancels while the token is pending', async () => {
  const { token, path } = await question();
  await act(async () => screen.getByRole('link', { name: 'Cancel' }).click());
  await token.come({ ok: true, value: 'secret' });
  expect(path()).toBe('/fp/cloud');
  expect(agreedWith('ada@example.com', 'https://app.example')).toBeUndefined();
  expect(takeHandOff(new URL(BACK))).toBeUndefined();
});

test('[S11] requests one token on a double click, and hands this token over to the confirmed address', async () => {
  const { token, asked, path } = await question();
  await act(async () => screen.getByRole('button', { name: 'Allow access' }).click());
  await token.come({ ok: true, value: 'secret' });
  await waitFor(() => expect(path()).toBe('/fp/cloud/api/token?token=ready'));
  expect(asked()).toBe(1);
  expect(agreedWith('ada@example.com', 'https://app.example')).toMatchObject({ ledgerId: 'l1' });
  expect(takeHandOff(new URL(BACK))?.searchParams.get('fpToken')).toBe('secret');
});
