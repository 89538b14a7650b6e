import { FixpointError, type Result } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { appWith, done, refused, refusedWith } from '../../cloud/app.fixture.ts';
import type { EndedAccess } from '../../cloud/identity/session-port.ts';
import { drawPart, enter, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { drawPages, type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { NoPasswordCard, PasswordCard } from './password-card.tsx';

withPages();

const LABELS = ['Current password', 'New password', 'Repeat new password'];

/** Renders the card, fills it in and submits it. */
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

test('revokes the chosen access along with the sessions, and reports it', async () => {
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

test('doesn’t send two different new passwords, and shows an error at the second field', async () => {
  const sent: unknown[] = [];
  const change = (...given: unknown[]) => {
    sent.push(given);
    return done(undefined);
  };
  await drawPart(() => <PasswordCard change={change} email="ada@example.com" />, appWith({}));
  await enter('Current password', 'the old one');
  await enter('New password', 'the new one');
  await enter('Repeat new password', 'another one');
  await press('Change password');
  const field = screen.getByLabelText<HTMLInputElement>('Repeat new password');
  expect((await screen.findByRole('alert')).textContent).toContain('The new passwords don’t match.');
  expect([sent, field.getAttribute('aria-invalid')]).toEqual([[], 'true']);
  await enter('Repeat new password', 'the new one');
  await press('Change password');
  await screen.findByText(/Password changed/);
  expect([sent, screen.queryByRole('alert')]).toEqual([[['the old one', 'the new one', 'keep']], null]);
});

test('keeps all fields when the server rejects the change, and says why', async () => {
  const change = () => refusedWith('Wrong password.');
  await drawPart(() => <PasswordCard change={change} email="ada@example.com" />, appWith({}));
  for (const label of LABELS) await enter(label, 'the same one');
  await press('Change password');
  expect((await screen.findByRole('alert')).textContent).toContain('Wrong password.');
  expect(LABELS.map((label) => screen.getByLabelText<HTMLInputElement>(label).value)).toEqual([
    'the same one',
    'the same one',
    'the same one',
  ]);
});

describe('the card for an account without a password', () => {
  test('mails the link to the address of the account, once per click', async () => {
    const mailed: string[] = [];
    const answer = waiting<Result<unknown>>();
    const mail = (email: string) => {
      mailed.push(email);
      return answer.promise;
    };
    await drawPart(() => <NoPasswordCard mail={mail} email="ada@example.com" />, appWith({}));
    await press('Email me a link to set a password');
    await waitFor(() => expect(isDisabled('Email me a link to set a password')).toBe(true));
    await press('Email me a link to set a password');
    await answer.come({ ok: true, value: undefined });
    await screen.findByText('We sent a link to ada@example.com. It’s valid for one hour.');
    expect(mailed).toEqual(['ada@example.com']);
  });

  test('reports mails that couldn’t be sent, and allows another attempt', async () => {
    const mail = () => refused(new FixpointError('RATE_LIMITED'));
    await drawPart(() => <NoPasswordCard mail={mail} email="ada@example.com" />, appWith({}));
    await press('Email me a link to set a password');
    expect((await screen.findByRole('alert')).textContent).toContain('Wait a minute, then try again.');
    await waitFor(() => expect(isDisabled('Email me a link to set a password')).toBe(false));
    expect(screen.queryByText(/We sent a link/)).toBeNull();
  });
});
