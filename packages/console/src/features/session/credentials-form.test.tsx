import { act, screen, waitFor } from '@testing-library/react';
import { type ActionFunctionArgs, useActionData } from 'react-router';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import type { SignInWays } from '../../cloud/identity/session-port.ts';
import { enter, hasButton, press } from '../../cloud/part.fixture.tsx';
import type { Outcome } from '../../cloud/sign-in/sign-in-attempt.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { CredentialsForm } from './credentials-form.tsx';

withPages();

interface Given {
  readonly isNew?: boolean;
  readonly ways?: Partial<SignInWays>;
  /** The results of the first attempts, in order. */
  readonly outcomes?: readonly Outcome[];
}

/** Renders the form on a page whose action records what was sent. */
async function form({ isNew = false, ways = {}, outcomes = [] }: Given = {}) {
  const sent: Record<string, FormDataEntryValue>[] = [];
  const offered = { password: true, mailedLink: true, passkey: false, elsewhere: undefined, ...ways };
  function Page() {
    const outcome = useActionData() as Outcome | undefined;
    return (
      <CredentialsForm isNew={isNew} action={isNew ? 'Sign up' : 'Sign in'} ways={offered} outcome={outcome}>
        <a href="/more">More</a>
      </CredentialsForm>
    );
  }
  const action = async ({ request }: ActionFunctionArgs) => {
    sent.push(Object.fromEntries(await request.formData()));
    return outcomes[sent.length - 1] ?? {};
  };
  await drawPages([{ path: '/', Component: Page, action }], '/', appWith({}));
  return sent;
}
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);

describe('signing in', () => {
  test('sends the address and the password', async () => {
    const sent = await form();
    await enter('Email', 'ada@example.com');
    await enter('Password', 'secret');
    await press('Sign in');
    await waitFor(() => expect(sent).toEqual([{ email: 'ada@example.com', password: 'secret' }]));
  });

  test('tells password managers and passkeys what each field is for', async () => {
    await form();
    expect([field('Email').autocomplete, field('Password').autocomplete]).toEqual([
      'username webauthn',
      'current-password',
    ]);
    expect(screen.queryByLabelText('Name')).toBeNull();
  });

  test('offers a passkey and the provider’s page, which work with empty fields', async () => {
    const sent = await form({ ways: { passkey: true, elsewhere: 'Continue at Example' } });
    await press('Use a passkey');
    await waitFor(() => expect(sent).toHaveLength(1));
    await press('Continue at Example');
    await waitFor(() => expect(sent.map(({ way }) => way)).toEqual(['passkey', 'elsewhere']));
  });

  test('offers only the provider’s page if the server has no passwords', async () => {
    await form({ ways: { password: false, elsewhere: 'Continue at Example' } });
    expect([hasButton('Continue at Example'), hasButton('Sign in'), hasButton('Use a passkey')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(screen.queryByLabelText('Email')).toBeNull();
    expect(screen.getByText('More')).toBeDefined();
  });

  test('shows why an attempt failed, and keeps the address', async () => {
    await form({ outcomes: [{ error: 'Wrong email or password.' }] });
    await enter('Email', 'ada@example.com');
    await enter('Password', 'wrong');
    await press('Sign in');
    expect((await screen.findByRole('alert')).textContent).toContain('Wrong email or password.');
    expect(field('Email').value).toBe('ada@example.com');
  });

  test('shows a note after an attempt that mailed a link instead of signing in', async () => {
    await form({ outcomes: [{ note: 'We sent a link to ada@example.com.' }] });
    await enter('Email', 'ada@example.com');
    await enter('Password', 'secret');
    await press('Sign in');
    expect((await screen.findByRole('status')).textContent).toBe('We sent a link to ada@example.com.');
  });
});

describe('creating an account', () => {
  test('requires a name, and a password that is long enough', async () => {
    await form({ isNew: true });
    expect([field('Name').required, field('Name').autocomplete]).toEqual([true, 'name']);
    expect([field('Password').minLength, field('Password').autocomplete]).toEqual([8, 'new-password']);
    expect(field('Email').autocomplete).toBe('username');
  });

  test('offers no passkey before the account exists', async () => {
    await form({ isNew: true, ways: { passkey: true } });
    expect(hasButton('Use a passkey')).toBe(false);
  });

  test('shows an error about the address at the email field', async () => {
    await form({ isNew: true, outcomes: [{ email: 'This address has an account.' }] });
    await enter('Name', 'Ada');
    await enter('Email', 'ada@example.com');
    await enter('Password', 'long enough');
    await press('Sign up');
    await screen.findByText('This address has an account.');
    expect(field('Email').getAttribute('aria-invalid')).toBe('true');
  });
});

describe('a code as the second step', () => {
  test.each([
    ['mail', /We emailed you a code/],
    ['app', /Open your authenticator app/],
  ] as const)('replaces the other fields, and says where the code comes from: %s', async (code, text) => {
    const sent = await form({ outcomes: [{ code }], ways: { passkey: true } });
    await enter('Email', 'ada@example.com');
    await enter('Password', 'secret');
    await press('Sign in');
    await screen.findByText(text);
    expect([screen.queryByLabelText('Password'), hasButton('Use a passkey')]).toEqual([null, false]);
    expect([field('Code').autocomplete, field('Code').inputMode]).toEqual(['one-time-code', 'numeric']);
    await enter('Code', '123456');
    await press('Continue');
    await waitFor(() => expect(sent.at(-1)).toEqual({ way: 'code', from: code, code: '123456' }));
  });

  test('is a backup code with letters if the user lost the app', async () => {
    const sent = await form({ outcomes: [{ code: 'app' }, { code: 'app', error: 'Wrong code.' }] });
    await enter('Email', 'ada@example.com');
    await enter('Password', 'secret');
    await press('Sign in');
    await enter('Code', '123456');
    await press('Use a backup code');
    expect([field('Backup code').value, field('Backup code').inputMode]).toEqual(['', 'text']);
    await enter('Backup code', 'IlqNn-I2K9Z');
    await press('Continue');
    await waitFor(() => expect(sent.at(-1)).toEqual({ way: 'code', from: 'app', code: 'IlqNn-I2K9Z' }));
    await screen.findByText(/Wrong code/);
    expect(field('Backup code').value).toBe('IlqNn-I2K9Z');
    await press('Use a code from the app');
    expect([field('Code').value, field('Code').inputMode]).toEqual(['', 'numeric']);
  });

  test('has no backup if it comes by mail', async () => {
    await form({ outcomes: [{ code: 'mail' }] });
    await enter('Email', 'ada@example.com');
    await enter('Password', 'secret');
    await press('Sign in');
    await screen.findByLabelText('Code');
    expect(hasButton('Use a backup code')).toBe(false);
  });

  test('is cleared when the form asks for a code from another source', async () => {
    await form({ outcomes: [{ code: 'mail' }, { code: 'app' }] });
    await enter('Email', 'ada@example.com');
    await enter('Password', 'secret');
    await press('Sign in');
    await enter('Code', '123456');
    await press('Continue');
    await screen.findByText(/Open your authenticator app/);
    expect(field('Code').value).toBe('');
  });

  test('keeps a wrong code so that it can be corrected', async () => {
    await form({ outcomes: [{ code: 'app' }, { code: 'app', error: 'Wrong code.' }] });
    await enter('Email', 'ada@example.com');
    await enter('Password', 'secret');
    await press('Sign in');
    await enter('Code', '123456');
    await act(async () => screen.getByRole('button', { name: 'Continue' }).click());
    expect((await screen.findByRole('alert')).textContent).toContain('Wrong code.');
    expect(field('Code').value).toBe('123456');
  });
});
