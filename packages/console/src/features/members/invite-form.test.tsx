import { FixpointError, type Result } from '@fixpoint/protocol';
import type { Answer, FoundUser, Member } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, done, refused, signedIn, userWith } from '../../cloud/app.fixture.ts';
import { drawPart, enter, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { drawPages, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { InviteForm } from './invite-form.tsx';

withPages();

test('keeps an address typed while an invite is sent, and doesn’t report it as invited', async () => {
  const sent: unknown[] = [];
  const answer = waiting<Result<Answer<'reqInviteUser'>['invite']>>();
  const parts = appWith({
    user: ada,
    api: {
      ensureUser: () => done({ user: userWith('active'), tenants: [] }),
      findUser: () => done([]),
      listInvites: () => done([]),
      listTenantsByUser: () => done([]),
      inviteUser: ({ query }) => {
        sent.push(query);
        return answer.promise;
      },
    },
  });
  await drawPages([{ path: '/', Component: () => <InviteForm tenantId="t1" members={[]} /> }], '/', parts);
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' });
  const type = (value: string) => act(async () => void fireEvent.change(field, { target: { value } }));
  await type('bob@example.com');
  const button = await screen.findByRole('button', { name: 'Invite by email' });
  await act(async () => button.click());
  await type('grace@example.com');
  await answer.come({ ok: true, value: {} as never });
  expect(await screen.findByText(/Invitation sent to bob@example\.com/)).toBeDefined();
  expect([sent, field.value]).toEqual([[{ byEmail: 'bob@example.com' }], 'grace@example.com']);
});

const foundUser = (userId: string, email: string, isVerified = true): FoundUser => ({
  userId,
  byProviders: [{ queryProvider: 'builtin', cleanEmail: email, params: { email_verified: isVerified } }],
});

interface Given {
  readonly found?: readonly FoundUser[];
  readonly members?: readonly Member[];
  readonly fails?: { readonly find?: boolean; readonly invite?: boolean };
}

/** Renders the form; returns the texts that were searched for and the requests that were sent. */
async function form({ found = [], members = [], fails = {} }: Given = {}) {
  const state = { ...fails };
  const searched: unknown[] = [];
  const sent: unknown[] = [];
  const parts = signedIn({
    api: {
      findUser: ({ byString }) => {
        searched.push(byString);
        return state.find ? refused(new FixpointError('FETCH', 'reset')) : done([...found]);
      },
      listInvites: () => done([]),
      inviteUser: (request) => {
        sent.push(request);
        return state.invite ? refused(new FixpointError('LIMIT_REACHED')) : done({} as never);
      },
    },
  });
  await drawPart(() => <InviteForm tenantId="t1" members={members} />, parts);
  await screen.findByLabelText('Email');
  return { searched, sent, state };
}

describe('the search for a person', () => {
  afterEach(() => void vi.useRealTimers());

  test('starts shortly after the user typed a complete address, and sends one request', async () => {
    const { searched } = await form();
    const field = screen.getByLabelText('Email');
    vi.useFakeTimers();
    const pause = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));
    for (const value of ['bob', 'bob@example', 'bob@example.c', 'bob@example.co', ' bob@example.com ']) {
      await act(async () => void fireEvent.change(field, { target: { value } }));
      await pause(100);
    }
    expect(searched).toEqual([]);
    await pause(300);
    expect(searched).toEqual(['bob@example.com']);
  });

  test('hides the results as soon as the address is changed to an incomplete one', async () => {
    await form();
    await enter('Email', 'bob@example.com');
    await screen.findByRole('button', { name: 'Invite by email' });
    await enter('Email', 'bob@');
    expect(hasButton('Invite by email')).toBe(false);
  });
});

describe('a person who was found', () => {
  test('gets an invitation by id, as an admin of this tenant', async () => {
    const { sent } = await form({ found: [foundUser('u7', 'bob@example.com')] });
    await enter('Email', 'bob@example.com');
    await press('Invite');
    await screen.findByText('Invitation sent to bob@example.com.');
    expect(sent).toEqual([
      { query: { existingUserId: 'u7' }, invitedParams: { tenant: { id: 't1', role: 'admin' } } },
    ]);
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('');
  });

  test('gets a badge while their address isn’t verified', async () => {
    await form({ found: [foundUser('u7', 'bob@example.com', false)] });
    await enter('Email', 'bob@example.com');
    expect((await screen.findByText('not verified')).title).toMatch(/hasn’t verified/);
  });

  test('has no Invite button if they are a member already', async () => {
    await form({
      found: [foundUser('u7', 'bob@example.com')],
      members: [{ userId: 'u7', role: 'member' }],
    });
    await enter('Email', 'bob@example.com');
    await screen.findByText('Already a member');
    expect([hasButton('Invite'), screen.queryByText('not verified')]).toEqual([false, null]);
  });
});

describe('the invite form after a failure', () => {
  test('shows why the search failed, and offers another search', async () => {
    const { state } = await form({ fails: { find: true } });
    await enter('Email', 'bob@example.com');
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    state.find = false;
    await press('Try again');
    await screen.findByRole('button', { name: 'Invite by email' });
  });

  test('keeps the address after a rejected invitation, so it can be tried again', async () => {
    const { sent, state } = await form({ fails: { invite: true } });
    await enter('Email', 'bob@example.com');
    await press('Invite by email');
    expect((await screen.findByRole('alert')).textContent).toMatch(/limit/i);
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('bob@example.com');
    state.invite = false;
    await waitFor(() => expect(isDisabled('Invite by email')).toBe(false));
    await press('Invite by email');
    await screen.findByText('Invitation sent to bob@example.com.');
    expect(sent).toHaveLength(2);
  });
});
