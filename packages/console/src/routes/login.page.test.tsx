import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { ada, appWith, done } from '../cloud/app.fixture.ts';
import type { Account, Session, SignInWays } from '../cloud/identity/session-port.ts';
import { drawPages, pageCalled, type Waiting, waiting, withPages } from '../ui/pages.fixture.tsx';
import { Component as Login, action as loginAction, loader as loginLoader } from './login.tsx';
import { Component as SecondStep, loader as stepLoader } from './second-step.tsx';
import { Component as SignUp, action as signUpAction, loader as signUpLoader } from './signup.tsx';

withPages();
beforeEach(() => sessionStorage.clear());

const WAYS: SignInWays = {
  password: true,
  mailedLink: true,
  passkey: true,
  elsewhere: 'Continue with Example',
};

const draw = (at: string, session: Partial<Session> = {}, user?: typeof ada) =>
  drawPages(
    [
      { path: '/login', Component: Login, loader: loginLoader, action: loginAction },
      { path: '/signup', Component: SignUp, loader: signUpLoader, action: signUpAction },
      { path: '/fp/second-step', Component: SecondStep, loader: stepLoader },
      { path: '*', Component: pageCalled('Inside') },
    ],
    at,
    appWith({ user, session: { ways: async () => WAYS, ...session } }),
  );
const button = (name: string) => screen.findByRole<HTMLButtonElement>('button', { name });
const press = async (name: string) => {
  const found = await button(name);
  await act(async () => found.click());
};
const type = async (name: string, value: string) => {
  const found = await screen.findByLabelText<HTMLInputElement>(name);
  await act(async () => void fireEvent.change(found, { target: { value } }));
  return found;
};
const credentials = async () => {
  await type('Email', 'ada@example.com');
  await type('Password', 'correct horse');
};
const alert = async () => (await screen.findByRole('alert')).textContent;

describe('the login page', () => {
  test('opens the page that the user requested', async () => {
    const { path } = await draw('/login?redirect_url=%2Ffp%2Fcloud%2Faccount');
    await credentials();
    await press('Sign in');
    await waitFor(() => expect(path()).toBe('/fp/cloud/account'));
  });

  test('keeps the email address, and shows why the provider rejected the sign-in', async () => {
    await draw('/login', { signIn: async () => ({ is: 'refused', why: 'Wrong password.' }) });
    await credentials();
    await press('Sign in');
    expect(await alert()).toBe('Error: Wrong password.');
    expect((await screen.findByLabelText<HTMLInputElement>('Email')).value).toBe('ada@example.com');
  });

  test('sends only one request if the user presses the button again', async () => {
    const answers: Waiting<{ is: 'done' }>[] = [];
    const signIn = () => {
      const answer = waiting<{ is: 'done' }>();
      answers.push(answer);
      return answer.promise;
    };
    await draw('/login', { signIn });
    await credentials();
    await press('Sign in');
    await waitFor(async () => expect((await button('Sign in')).disabled).toBe(true));
    await press('Sign in');
    expect(answers).toHaveLength(1);
    await answers[0]?.come({ is: 'done' });
  });

  test('asks for the code of the second step, and asks again after a wrong code', async () => {
    const codes: string[] = [];
    const { path } = await draw('/login', {
      signIn: async () => ({ is: 'code', from: 'app' }),
      signInByCode: async (code) => {
        codes.push(code);
        return codes.length === 1 ? { is: 'refused', why: 'Wrong code.' } : { is: 'done' };
      },
    });
    await credentials();
    await press('Sign in');
    expect(await screen.findByText(/Open your authenticator app/)).toBeDefined();
    expect(screen.queryByLabelText('Password')).toBe(null);
    await type('Code', '111 111');
    await press('Continue');
    expect(await alert()).toBe('Error: Wrong code.');
    await type('Code', '222 222');
    await press('Continue');
    await waitFor(() => expect(path()).toBe('/fp/cloud'));
    expect(codes).toEqual(['111111', '222222']);
  });

  test('offers only the sign-in methods that the provider supports', async () => {
    const ways = { password: false, mailedLink: false, passkey: false, elsewhere: 'Continue with Example' };
    await draw('/login', { ways: async () => ways });
    await button('Continue with Example');
    expect(screen.queryByLabelText('Password')).toBe(null);
    for (const name of ['Sign in', 'Use a passkey', 'Email me a link instead'])
      expect(screen.queryByRole('button', { name })).toBe(null);
  });

  test('requires an email address to mail a link, and confirms that the link was sent', async () => {
    await draw('/login');
    await press('Forgot your password?');
    expect(await alert()).toBe('Enter your email address first.');
    await type('Email', 'ada@example.com');
    await press('Forgot your password?');
    expect(await screen.findByText(/we sent it a link to choose a new password/)).toBeDefined();
    expect(screen.queryByRole('alert')).toBe(null);
  });

  test.each([
    ['?changed', 'status', /Password changed/],
    ['?error=second_factor_required', 'alert', /This account requires a second step/],
    ['?error=account_not_linked', 'alert', /An account with this address already exists/],
    ['?error=signup_disabled', 'alert', /sign-up is closed/],
    ['?error=INVALID_TOKEN', 'alert', /This link has expired or was already used/],
    ['?error=unknown_word', 'alert', /Couldn’t sign you in \(unknown_word\)/],
    ['?redirect_url=%2Ffp%2Fcloud%3Ferror%3DINVALID_TOKEN', 'alert', /This link has expired/],
  ])('explains %s', async (search, role, expected) => {
    await draw(`/login${search}`);
    expect((await screen.findByRole(role)).textContent).toMatch(expected);
  });

  test('shows no text that another person wrote into the address', async () => {
    await draw('/login?error=Call%20this%20number');
    await button('Sign in');
    expect(screen.queryByRole('alert')).toBe(null);
    expect(screen.queryByText(/Call this number/)).toBe(null);
  });

  test('links to the sign-up page, with the same redirect', async () => {
    await draw('/login?redirect_url=%2Ffp%2Fcloud%2Faccount');
    const link = await screen.findByRole('link', { name: 'Sign up' });
    expect(link.getAttribute('href')).toBe('/signup?redirect_url=%2Ffp%2Fcloud%2Faccount');
    expect(screen.getByRole('link', { name: 'work with local databases' }).getAttribute('href')).toBe(
      '/fp/databases',
    );
  });
});

describe('the page of a link to choose a new password', () => {
  test('asks only for the new password, and removes the secret from the address', async () => {
    const given: unknown[] = [];
    const choosePassword: Session['choosePassword'] = async (...all) => {
      given.push(all);
      return undefined;
    };
    const { path } = await draw('/login?reset=secret', { choosePassword }, ada);
    expect(screen.queryByLabelText('Email')).toBe(null);
    await type('New password', 'a long new one');
    await press('Change password');
    await waitFor(() => expect(given).toEqual([['secret', 'a long new one']]));
    expect(path()).not.toContain('secret');
  });

  test('shows that the link didn’t work, and links to a page to request a new one', async () => {
    await draw('/login?reset=old', { choosePassword: async () => 'This link has expired.' });
    await type('New password', 'a long new one');
    await press('Change password');
    expect(await alert()).toBe('Error: This link has expired.');
    expect(screen.getByRole('link', { name: 'Request a new one' }).getAttribute('href')).toBe('/login');
  });
});

describe('the sign-up page', () => {
  test('creates an account without consent to emails unless the user checks the box', async () => {
    const given: unknown[] = [];
    const signUp: Session['signUp'] = async (sent) => {
      given.push(sent);
      return { is: 'done' };
    };
    const { path } = await draw('/signup', { signUp });
    const consent = await screen.findByRole<HTMLInputElement>('checkbox');
    expect(consent.checked).toBe(false);
    await type('Name', 'Ada');
    await credentials();
    await press('Sign up');
    await waitFor(() => expect(path()).toBe('/fp/cloud'));
    expect(given).toEqual([
      { name: 'Ada', email: 'ada@example.com', password: 'correct horse', emailOptIn: false },
    ]);
  });

  test('asks for the mailed code if the provider verifies the address first', async () => {
    await draw('/signup', { signUp: async () => ({ is: 'code', from: 'mail' }) });
    await type('Name', 'Ada');
    await credentials();
    await press('Sign up');
    expect(await screen.findByText(/We emailed you a code/)).toBeDefined();
  });

  test('offers no passkey, because nobody has one before the account exists', async () => {
    await draw('/signup');
    await button('Sign up');
    expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBe(null);
  });
});

describe('the page of the second step', () => {
  const list = (count: number) => () =>
    done(Array.from({ length: count }, (_, n) => ({ id: `p${n}`, name: `Key ${n}` })) as never);
  const step = (account: Account) =>
    draw('/fp/second-step?redirect_url=%2Ffp%2Fcloud%2Faccount', { account: async () => account }, ada);

  test('redirects signed-out users to the login page', async () => {
    const { path } = await draw('/fp/second-step?redirect_url=%2Ffp%2Fcloud');
    await waitFor(() => expect(path()).toMatch(/^\/login\?redirect_url=/));
  });

  test('opens the page that the user requested after they use a passkey', async () => {
    let forgotten = 0;
    const { path } = await draw(
      '/fp/second-step?redirect_url=%2Ffp%2Fcloud%2Faccount',
      {
        forgetToken: () => {
          forgotten += 1;
        },
        account: async () =>
          ({ passkeys: { list: list(1) }, confirm: { byPasskey: () => done(undefined) } }) as never,
      },
      ada,
    );
    await press('Use a passkey');
    await waitFor(() => expect(path()).toBe('/fp/cloud/account'));
    expect(forgotten).toBe(1);
  });

  test('offers both a passkey and an app to users without a second step', async () => {
    await step({
      passkeys: { list: list(0) },
      confirm: { byPasskey: () => done(undefined) },
      secondFactor: { isOn: () => done(false) },
    } as never);
    await button('Set up an authenticator app');
    expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBe(null);
    expect(await screen.findByRole('button', { name: /passkey/i })).toBeDefined();
  });

  test('asks users with an authenticator app to sign in again with a code', async () => {
    await step({ secondFactor: { isOn: () => done(true) } } as never);
    expect(await screen.findByText(/Sign in again and enter the code from your app/)).toBeDefined();
    expect(screen.queryByRole('button', { name: /Set up/ })).toBe(null);
  });

  test('asks for a verified address first', async () => {
    await draw('/fp/second-step', {}, { ...ada, emailVerified: false });
    expect(await screen.findByRole('heading', { name: 'Verify your address first' })).toBeDefined();
    expect(screen.queryByRole('button', { name: /passkey|authenticator/ })).toBe(null);
    await button('Sign in again');
  });
});

describe('the sign-up page', () => {
  test.each([
    ['waitlist', 'New accounts wait until the operator of this server approves them.'],
    ['closed', 'This server accepts no new accounts. Ask its operator.'],
  ] as const)('says that sign-up is limited: %s', async (signUp, text) => {
    await draw('/signup', { ways: async () => ({ ...WAYS, signUp }) });
    expect((await screen.findByRole('status')).textContent).toBe(text);
  });

  test('says nothing about sign-up that is open', async () => {
    await draw('/signup');
    await button('Sign up');
    expect(screen.queryByRole('status')).toBe(null);
  });
});
