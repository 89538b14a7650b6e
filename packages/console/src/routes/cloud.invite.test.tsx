import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient, Answer, Invite } from '@fixpoint/protocol/admin';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { ada, appWith, callOf, done, locationOf, refused, signedIn, userWith } from '../cloud/app.fixture.ts';
import type { App } from '../cloud/app.ts';
import type { SignInWays, SignUp } from '../cloud/identity/session-port.ts';
import { hasButton } from '../cloud/part.fixture.tsx';
import { drawPages, pageCalled, withPages } from '../ui/pages.fixture.tsx';
import * as route from './cloud.invite.tsx';

withPages();
beforeEach(() => sessionStorage.clear());

const PATH = '/fp/cloud/invite';
const INVITE: Answer<'reqDescribeInvite'> = {
  inviteId: 'i1',
  email: 'bob@example.com',
  kind: 'tenant',
  place: 'Acme',
  may: 'admin',
  inviter: 'ada@example.com',
  expiresAfter: '2026-12-01T12:00:00.000Z',
  hasAccount: false,
};
const WAYS: SignInWays = { password: true, mailedLink: true, passkey: false, elsewhere: undefined };
const invitedTo = (more: Partial<typeof INVITE> = {}): Partial<AdminClient> => ({
  describeInvite: () => done({ ...INVITE, ...more }),
});
const draw = (at: string, parts: App) =>
  drawPages(
    [
      { path: PATH, ...route },
      { path: '/fp/cloud/account', Component: pageCalled('Account') },
    ],
    at,
    parts,
  );

describe('the page of a mailed invite', () => {
  test('shows the invite and a form for the invited address, and removes the secret from the address', async () => {
    const asked: string[] = [];
    const describeInvite = (secret: string) => {
      asked.push(secret);
      return done(INVITE);
    };
    const { path } = await draw(`${PATH}#the-secret`, appWith({ api: { describeInvite } }));
    expect(await screen.findByRole('heading', { name: 'Join Acme' })).toBeDefined();
    expect(screen.getByText(/^ada@example.com invites you to Acme as an admin\./)).toBeDefined();
    const email = screen.getByLabelText<HTMLInputElement>('Email');
    expect([email.value, email.readOnly]).toEqual(['bob@example.com', true]);
    expect([path(), location.hash, asked[0]]).toEqual([PATH, '', 'the-secret']);
  });

  test.each([
    ['the address has an account', { hasAccount: true }, {}],
    ['only another provider signs people in', {}, { password: false }],
    ['the server accepts no new accounts', {}, { signUp: 'closed' as const }],
  ])('leads to the sign-in page if %s', async (_, invite, ways) => {
    const session = { ways: () => Promise.resolve({ ...WAYS, ...ways }) };
    await draw(`${PATH}#s`, appWith({ api: invitedTo(invite), session }));
    const link = await screen.findByRole('link', { name: 'Sign in' });
    expect(link.getAttribute('href')).toBe('/login?redirect_url=%2Ffp%2Fcloud%2Faccount');
    expect(hasButton('Create account and join')).toBe(false);
  });

  test('leads the invited person to their account, and tells others that the invite is not for them', async () => {
    const own = await draw(`${PATH}#s`, signedIn({ api: invitedTo({ email: 'ada@example.com' }) }));
    await waitFor(() => expect(own.path()).toBe('/fp/cloud/account'));
    document.body.replaceChildren();
    await draw(`${PATH}#s`, signedIn({ api: invitedTo() }));
    expect(await screen.findByText(/You are signed in as ada@example.com/)).toBeDefined();
    expect(hasButton('Sign out')).toBe(true);
  });

  test('shows the invited person what they were invited to, and that their address isn’t verified', async () => {
    const user = { ...ada, emailVerified: false };
    const { path } = await draw(`${PATH}#s`, appWith({ user, api: invitedTo({ email: ada.email }) }));
    expect(await screen.findByRole('heading', { name: 'Join Acme' })).toBeDefined();
    expect(screen.getByRole('heading', { name: 'Verify your address first' })).toBeDefined();
    expect([hasButton('Send the link again'), path()]).toEqual([true, PATH]);
  });

  test.each([
    ['', 'This link is incomplete.'],
    ['#ended', 'This link has expired, was used, or was replaced'],
    ['#cut', 'This link is incomplete.'],
    ['#offline', 'Couldn’t load the invitation.'],
  ])('shows what is wrong with the link "%s"', async (hash, text) => {
    const codes = new Map([
      ['ended', 'NOT_FOUND'],
      ['cut', 'REQUEST_INVALID'],
    ] as const);
    const describeInvite = (secret: string) =>
      refused(new FixpointError(codes.get(secret as 'cut') ?? 'FETCH'));
    await draw(`${PATH}${hash}`, appWith({ api: { describeInvite } }));
    expect((await screen.findByRole('alert')).textContent).toContain(text);
    expect(screen.getByRole('link', { name: 'Sign in' })).toBeDefined();
  });
});

describe('creating an account with the link', () => {
  const form = { name: 'Bob', email: 'bob@example.com', password: 'correct horse', inviteId: 'i1' };
  function submit(redeemInvite: AdminClient['redeemInvite']) {
    sessionStorage.setItem('fixpoint:invite-link', 'the-secret');
    const given: SignUp[] = [];
    const signUp = async (sent: SignUp) => {
      given.push(sent);
      return { is: 'done' } as const;
    };
    const ensureUser = () => done({ user: userWith('active'), tenants: [] });
    const parts = appWith({ session: { signUp }, api: { ensureUser, redeemInvite } });
    return { given, answer: act(async () => locationOf(await route.action(callOf(parts, PATH, { form })))) };
  }
  const accepted = (invitedParams: Invite['invitedParams']) => done([{ ...INVITE, invitedParams } as never]);

  test('sends the secret, accepts the invite, and opens the tenant', async () => {
    const ids: unknown[] = [];
    const { given, answer } = submit((inviteId) => {
      ids.push(inviteId);
      return accepted({ tenant: { id: 't1', role: 'admin' } });
    });
    expect(await answer).toBe('/fp/cloud/tenants/t1/overview');
    const { inviteId, ...account } = form;
    expect(given).toEqual([{ ...account, emailOptIn: false, invite: 'the-secret' }]);
    expect([ids, sessionStorage.length]).toEqual([[inviteId], 0]);
  });

  test('opens the first page after an invite to a database', async () => {
    const { answer } = submit(() => accepted({ ledger: { id: 'l1', right: 'read' } }));
    expect(await answer).toBe('/fp/cloud');
  });

  test("opens the account page if the invite can't be accepted", async () => {
    const { answer } = submit(() => refused(new FixpointError('LIMIT_REACHED')));
    expect(await answer).toBe('/fp/cloud/account');
  });
});
