import { FixpointError, type Result } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { appWith, done, refused, refusedWith } from '../../cloud/app.fixture.ts';
import type { EndedAccess } from '../../cloud/identity/session-port.ts';
import { drawPart, enter, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { NoPasswordCard, PasswordCard } from './password-card.tsx';

withPages();

const LABELS = ['Current password', 'New password', 'Repeat new password'];

/** Renders the card, opens its dialog, fills it in and submits it. */
async function sentCard(preset?: EndedAccess, choose?: string) {
  const sent: string[][] = [];
  const answers: Waiting<Result<unknown>>[] = [];
  const change = (...passwords: string[]) => {
    sent.push(passwords);
    const answer = waiting<Result<unknown>>();
    answers.push(answer);
    return answer.promise;
  };
  await drawPart(() => <PasswordCard change={change} email="ada@example.com" preset={preset} />, appWith({}));
  await press('Change password');
  await enter('Current password', 'the old one');
  await enter('New password', 'the new one');
  await enter('Repeat new password', 'the new one');
  if (choose !== undefined) await act(async () => screen.getByRole('radio', { name: choose }).click());
  await press('Change password');
  return { sent, done: () => answers[0]?.come({ ok: true, value: undefined }) };
}

const typed = () => LABELS.map((label) => screen.getByLabelText<HTMLInputElement>(label).value);

test('shows no field until the user opens the dialog', async () => {
  await drawPart(() => <PasswordCard change={() => done(undefined)} email="ada@example.com" />, appWith({}));
  expect(LABELS.map((label) => screen.queryByLabelText(label))).toEqual([null, null, null]);
  await press('Change password');
  expect(await screen.findByRole('dialog', { name: 'Change your password' })).toBeDefined();
  expect(typed()).toEqual(['', '', '']);
  await press('Cancel');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('closes the dialog after a password change, and opens it empty again', async () => {
  const { sent, done: answer } = await sentCard();
  await answer();
  await screen.findByText(/Password changed/);
  expect(sent).toEqual([['the old one', 'the new one', 'keep']]);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await press('Change password');
  expect(typed()).toEqual(['', '', '']);
});

test('sends the change once, and stays open until the server answers', async () => {
  const { sent } = await sentCard();
  expect([isDisabled('Change password'), isDisabled('Cancel')]).toEqual([true, true]);
  await press('Change password');
  await act(async () => void fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' }));
  expect([sent.length, screen.queryByRole('dialog') !== null]).toEqual([1, true]);
});

test('revokes the chosen access along with the sessions, and reports it', async () => {
  const { sent, done: answer } = await sentCard(undefined, 'Sign out programs and revoke API tokens');
  await answer();
  expect(sent[0]?.[2]).toBe('all');
  expect(await screen.findByText(/your API tokens are revoked/)).toBeTruthy();
});

test('preselects the server’s default', async () => {
  const { sent } = await sentCard('devices');
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
  await press('Change password');
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
  await press('Change password');
  for (const label of LABELS) await enter(label, 'the same one');
  await press('Change password');
  expect((await screen.findByRole('alert')).textContent).toContain('Wrong password.');
  expect(typed()).toEqual(['the same one', 'the same one', 'the same one']);
  const current = screen.getByLabelText('Current password');
  expect(current.getAttribute('aria-invalid')).toBe('true');
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
