import type { Result } from '@fixpoint/protocol';
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { EndedAccess } from '../../cloud/identity/session-port.ts';
import { drawPages, type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { PasswordCard } from './password-card.tsx';

withPages();

const LABELS = ['Current password', 'New password', 'Repeat new password'];

/** Renders the card, filled in and submitted. */
async function sentCard(preset?: EndedAccess, choose?: string) {
  const sent: string[][] = [];
  const answers: Waiting<Result<unknown>>[] = [];
  const change = (...passwords: string[]) => {
    sent.push(passwords);
    const answer = waiting<Result<unknown>>();
    answers.push(answer);
    return answer.promise;
  };
  await drawPages(
    [
      {
        path: '/',
        Component: () => <PasswordCard change={change} email="ada@example.com" preset={preset} />,
      },
    ],
    '/',
  );
  const fields = LABELS.map((label) => screen.getByLabelText<HTMLInputElement>(label));
  const type = (at: number, value: string) =>
    act(async () => void fireEvent.change(fields[at] as HTMLInputElement, { target: { value } }));
  await type(0, 'the old one');
  await type(1, 'the new one');
  await type(2, 'the new one');
  if (choose !== undefined) await act(async () => screen.getByRole('radio', { name: choose }).click());
  await act(async () => screen.getByRole('button', { name: 'Change password' }).click());
  return {
    sent,
    type,
    typed: () => fields.map(({ value }) => value),
    done: async () => {
      await answers[0]?.come({ ok: true, value: undefined });
      await screen.findByText(/Password changed/);
    },
  };
}

test('clears all fields after a password change', async () => {
  const { sent, typed, done } = await sentCard();
  await done();
  expect(sent).toEqual([['the old one', 'the new one', 'keep']]);
  expect(typed()).toEqual(['', '', '']);
});

test('keeps text typed during the change', async () => {
  const { type, typed, done } = await sentCard();
  await type(0, 'the new one');
  await type(1, 'a still newer');
  await done();
  expect(typed()).toEqual(['the new one', 'a still newer', '']);
});

test('revokes what was chosen along with the sessions, and reports it', async () => {
  const { sent, done } = await sentCard(undefined, 'Sign out programs and revoke API tokens');
  await done();
  expect(sent[0]?.[2]).toBe('all');
  expect(await screen.findByText(/your API tokens are revoked/)).toBeTruthy();
});

test('preselects the server’s default', async () => {
  const { sent, done } = await sentCard('devices');
  await done();
  expect(sent[0]?.[2]).toBe('devices');
  const chosen = screen.getByRole<HTMLInputElement>('radio', { name: 'Sign out programs' });
  expect(chosen.checked).toBe(true);
  expect(chosen.closest('fieldset')?.querySelector('legend')?.textContent).toBe('Programs and API tokens');
});
