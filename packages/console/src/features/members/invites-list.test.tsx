import { FixpointError, LIMITS } from '@fixpoint/protocol';
import type { AdminClient, Invite, Member, TenantLimits } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { done, refused, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { inviteWith } from './invite.fixture.ts';
import { InvitesList } from './invites-list.tsx';

withPages();

interface Given {
  readonly invites: readonly Invite[];
  readonly members?: readonly Member[];
  readonly limits?: TenantLimits;
  readonly api?: Partial<AdminClient>;
}

async function list({ invites, members = [], limits, api }: Given) {
  const parts = signedIn({ api: { listInvites: () => done([...invites]), ...api } });
  await drawPart(() => <InvitesList tenantId="t1" members={members} limits={limits} />, parts);
}

const rows = async () =>
  within(await screen.findByRole('list', { name: 'Invitations' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

const LIMITED = { maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 10 };

describe('a list of invitations', () => {
  test('says that there are no invitations', async () => {
    await list({ invites: [] });
    await screen.findByText('No invitations.');
    expect(screen.getByText('0 pending')).toBeDefined();
  });

  test('lists pending invitations first, and counts only those towards the limit', async () => {
    await list({
      invites: [
        inviteWith('i1', { query: { byEmail: 'old@example.com' }, status: 'expired' }),
        inviteWith('i2', { query: { byEmail: 'new@example.com' } }),
      ],
      limits: LIMITED,
    });
    expect(await rows()).toEqual([
      expect.stringContaining('new@example.com'),
      expect.stringContaining('old@example.com'),
    ]);
    expect(screen.getByText('1 of 10 pending')).toBeDefined();
  });

  test('says who invited somebody, if they are a member, and when', async () => {
    const createdAt = new Date(Date.now() - 2 * 86_400_000).toISOString();
    const invited = { query: { byEmail: 'bob@example.com' }, createdAt };
    await list({
      invites: [inviteWith('i1', invited), inviteWith('i2', { ...invited, inviterUserId: 'gone' })],
      members: [{ userId: 'u1', name: 'Ada', email: 'ada@example.com', role: 'admin' }],
    });
    expect(await rows()).toEqual([
      expect.stringContaining('Invited by Ada 2 days ago'),
      expect.stringContaining('Invited 2 days ago'),
    ]);
  });

  test('shows how an invitation ended, without actions', async () => {
    await list({
      invites: [inviteWith('i1', { query: { byEmail: 'bob@example.com' }, status: 'rejected' })],
    });
    expect((await rows())[0]).toMatch(/bob@example\.com.*rejected/);
    expect(hasButton(/the invitation of/)).toBe(false);
  });

  test('shows until when a pending invitation is valid, and marks invitations to a database', async () => {
    await list({
      invites: [
        inviteWith('i1', {
          query: { byEmail: 'bob@example.com' },
          invitedParams: { ledger: { id: 'z1' } },
          expiresAfter: '2026-12-01T12:00:00Z',
        }),
      ],
    });
    expect((await rows())[0]).toMatch(`until ${dayOf('2026-12-01T12:00:00Z')}`);
    expect(screen.getByText('for a database')).toBeDefined();
  });

  test('names members by address, other invitees as the server names them, or else by their id', async () => {
    await list({
      invites: [
        inviteWith('i1', { invitedUserId: 'u2', status: 'accepted' }),
        inviteWith('i2', { invitedUserId: 'u3', invitee: 'found@example.com' }),
        inviteWith('i3', { invitedUserId: 'u4' }),
        inviteWith('i4', {}),
      ],
      members: [{ userId: 'u2', name: 'Grace', email: 'grace@example.com', role: 'admin' }],
    });
    expect(await rows()).toEqual([
      expect.stringContaining('found@example.com'),
      expect.stringContaining('u4'),
      expect.stringContaining('i4'),
      expect.stringMatching(/Grace.*grace@example\.com/),
    ]);
  });

  test('shows why the invitations couldn’t be loaded, and offers another attempt', async () => {
    let isDown = true;
    await list({
      invites: [],
      api: { listInvites: () => (isDown ? refused(new FixpointError('FETCH', 'reset')) : done([])) },
    });
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    isDown = false;
    await press('Try again');
    await screen.findByText('No invitations.');
  });
});

describe('a pending invitation', () => {
  const pending = inviteWith('i1', {
    query: { byEmail: 'bob@example.com' },
    invitedParams: { tenant: { id: 't1' } },
  });

  test('disappears after its removal', async () => {
    let left = [pending];
    const removed: string[] = [];
    await list({
      invites: [],
      api: {
        listInvites: () => done(left),
        deleteInvite: (id) => {
          removed.push(id);
          left = [];
          return done(undefined as never);
        },
      },
    });
    await press('Remove the invitation for bob@example.com');
    await screen.findByText('Invitation for bob@example.com removed.');
    await screen.findByText('No invitations.');
    expect(removed).toEqual(['i1']);
  });

  test('stays in the list when the server doesn’t remove it', async () => {
    await list({
      invites: [pending],
      api: { deleteInvite: () => refused(new FixpointError('INVITE_ENDED')) },
    });
    await press('Remove the invitation for bob@example.com');
    await screen.findByRole('alert');
    expect(await rows()).toHaveLength(1);
    await waitFor(() => expect(isDisabled('Remove the invitation for bob@example.com')).toBe(false));
  });

  test.each([
    ['the tenant', { tenant: { id: 't1' } }, { tenant: { id: 't1' } }],
    ['a database', { ledger: { id: 'z1', role: 'member', right: 'write' } }, { ledger: { id: 'z1' } }],
  ] as const)(
    'is sent again with the same offer if it is for %s',
    async (_place, invitedParams, expected) => {
      const sent: unknown[] = [];
      await list({
        invites: [inviteWith('i1', { query: { byEmail: 'bob@example.com' }, invitedParams })],
        api: {
          inviteUser: (request) => {
            sent.push(request);
            return done({} as never);
          },
        },
      });
      await press('Resend the invitation for bob@example.com');
      await screen.findByText('Invitation sent again.');
      expect(sent).toEqual([{ inviteId: 'i1', incSendEmailCount: true, query: {}, invitedParams: expected }]);
    },
  );

  test('stops offering another mail at the limit', async () => {
    const sendEmailCount = LIMITS.mailsPerInviteMax;
    await list({ invites: [{ ...pending, sendEmailCount }] });
    await rows();
    expect(isDisabled('Resend the invitation for bob@example.com')).toBe(true);
    expect(isDisabled('Remove the invitation for bob@example.com')).toBe(false);
  });
});
