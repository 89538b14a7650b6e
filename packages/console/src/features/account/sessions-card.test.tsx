import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { appWith, done } from '../../cloud/app.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { SessionsCard } from './sessions-card.tsx';

withPages();

const session = (id: string, current: boolean) => ({ id, updatedAt: '', createdAt: '', current });

test('asks what else to revoke when signing out everywhere else, and revokes it', async () => {
  const ended: unknown[] = [];
  const sessions = {
    list: () => done([session('a', true), session('b', false)]),
    end: () => done(undefined),
    endOthers: (access: string) => {
      ended.push(access);
      return done(undefined);
    },
  };
  const Component = () => <SessionsCard sessions={sessions} />;
  await drawPages([{ path: '/', Component }], '/', appWith({}));
  await act(async () => (await screen.findByRole('button', { name: 'Sign out everywhere else' })).click());
  expect(screen.getByRole('group', { name: 'Programs and API tokens' })).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Keep programs and API tokens' }).checked).toBe(
    true,
  );
  await act(async () => screen.getByRole('radio', { name: 'Sign out programs' }).click());
  expect(ended).toEqual([]);
  const dialog = screen.getByRole('dialog');
  await act(async () => [...dialog.querySelectorAll('button')].at(-1)?.click());
  expect(ended).toEqual(['devices']);
  await screen.findByText(/All other browsers are signed out\. Programs have to sign in again/);
});
