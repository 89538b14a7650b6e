import { FixpointError, type Result } from '@fixpoint/protocol';
import type { AdminClient, Invite } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { done, refused, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { inviteWith } from './invite.fixture.ts';
import { OwnInvites } from './own-invites.tsx';

withPages();

const TO_TENANT = inviteWith('i1', { place: 'Engines', inviter: 'Charles' });
const TO_LEDGER = inviteWith('i2', {
  place: 'Notes',
  invitedParams: { ledger: { id: 'z1', role: 'member', right: 'write' } },
});

async function invites(given: readonly Invite[], api: Partial<AdminClient> = {}) {
  let left = given;
  const asked: unknown[] = [];
  const parts = signedIn({
    api: {
      listInvites: (filter) => {
        asked.push(filter);
        return done([...left]);
      },
      ...api,
    },
  });
  const page = await drawPart(OwnInvites, parts);
  const end = (id: string) => {
    left = left.filter(({ inviteId }) => inviteId !== id);
  };
  return { ...page, asked, end };
}
const rows = async () =>
  within(await screen.findByRole('list', { name: 'Invitations to you' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

describe('the list of the user’s invitations', () => {
  test('shows nothing without an invitation', async () => {
    const { asked } = await invites([]);
    await waitFor(() => expect(asked).toEqual([{ toMe: true }]));
    expect(screen.queryByText('You are invited')).toBeNull();
  });

  test('says who offers which role or right, and until when', async () => {
    const { inviter: _inviter, ...byNobody } = TO_TENANT;
    await invites([
      TO_TENANT,
      TO_LEDGER,
      {
        ...byNobody,
        inviteId: 'i3',
        place: 'Mills',
        invitedParams: { tenant: { id: 't2', role: 'member' } },
      },
      { ...TO_LEDGER, inviteId: 'i4', place: 'Drafts', invitedParams: { ledger: { id: 'z2' } } },
    ]);
    const until = `; valid until ${dayOf(TO_TENANT.expiresAfter)}`;
    expect(await rows()).toEqual([
      expect.stringContaining(`EnginesCharles invites you to be an admin of the tenant${until}`),
      expect.stringContaining(`NotesYou are invited to be a writer of this database${until}`),
      expect.stringContaining(`MillsYou are invited to be a member of the tenant${until}`),
      expect.stringContaining(`DraftsYou are invited to be a reader of this database${until}`),
    ]);
  });

  test('shows markup in the name of a place as text', async () => {
    await invites([{ ...TO_TENANT, place: '<img src=x onerror=alert(1)>' }]);
    expect((await rows())[0]).toContain('<img src=x onerror=alert(1)>');
    expect(document.querySelector('img')).toBeNull();
  });

  test('names an invitation by its id when the server doesn’t name the place', async () => {
    await invites([inviteWith('i9', {})]);
    expect((await rows())[0]).toMatch(/^i9/);
  });

  test('says why the invitations couldn’t be loaded', async () => {
    await invites([], { listInvites: () => refused(new FixpointError('FETCH', 'reset')) });
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t load your invitations. Couldn’t reach the server.',
    );
  });
});

describe('accepting an invitation', () => {
  test.each([
    ['a tenant to its page', TO_TENANT, '/fp/cloud/tenants/t1/overview', 'You joined Engines.'],
    ['a database to the cloud home', TO_LEDGER, '/fp/cloud', 'You joined Notes.'],
  ])('leads users who joined %s', async (_where, invite, page, message) => {
    const accepted: string[] = [];
    const { path } = await invites([invite], {
      redeemInvite: (id = '') => {
        accepted.push(id);
        return done([invite]);
      },
    });
    await press(`Accept ${invite.place}`);
    await screen.findByText(message);
    await waitFor(() => expect(path()).toBe(page));
    expect(accepted).toEqual([invite.inviteId]);
  });

  test('says that the place is full, and stays on the page', async () => {
    const { path } = await invites([TO_TENANT], { redeemInvite: () => done([]) });
    await press('Accept Engines');
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t join Engines: it’s full.');
    expect(screen.queryByText('You joined Engines.')).toBeNull();
    expect(path()).toBe('/');
  });

  test('disables both buttons during the call, and doesn’t navigate when the user left the page', async () => {
    const answer = waiting<Result<never>>();
    const { path, go } = await invites([TO_TENANT], { redeemInvite: () => answer.promise });
    await press('Accept Engines');
    await waitFor(() =>
      expect([isDisabled('Accept Engines'), isDisabled('Reject Engines')]).toEqual([true, true]),
    );
    await go('/fp/databases');
    await answer.come({ ok: true, value: [TO_TENANT] as never });
    await screen.findByText('You joined Engines.');
    expect(path()).toBe('/fp/databases');
  });
});

describe('rejecting an invitation', () => {
  test('removes the invitation from the list', async () => {
    const { end, path } = await invites([TO_TENANT], {
      rejectInvite: (id) => {
        end(id);
        return done(undefined as never);
      },
    });
    await press('Reject Engines');
    await screen.findByText('Invitation to Engines rejected.');
    await waitFor(() => expect(hasButton('Reject Engines')).toBe(false));
    expect(path()).toBe('/');
  });

  test('keeps the invitation when it ended in another tab, and says what to do', async () => {
    await invites([TO_TENANT], { rejectInvite: () => refused(new FixpointError('INVITE_ENDED')) });
    await press('Reject Engines');
    expect((await screen.findByRole('alert')).textContent).toContain('Ask for a new invitation.');
    await waitFor(() => expect(isDisabled('Reject Engines')).toBe(false));
  });
});
