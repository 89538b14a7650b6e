import { FixpointError, type Result } from '@fixpoint/protocol';
import type { AdminClient, Member, Share } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { done, refused, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, enter, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { isLossAhead } from '../../leaving/ask-before-leaving.ts';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { inviteWith } from '../members/invite.fixture.ts';
import type { Shares } from './plan-share.ts';
import { SharesList } from './shares-list.tsx';

withPages();

const GRACE: Share = {
  userId: 'u2',
  role: 'member',
  right: 'read',
  name: 'Grace',
  email: 'grace@example.com',
  createdAt: '',
  updatedAt: '',
};
const INVITED = inviteWith('i1', {
  query: { byEmail: 'bob@example.com' },
  invitedParams: { ledger: { id: 'z1', right: 'write' } },
});

async function list(given: Partial<Shares>, api: Partial<AdminClient> = {}, members: readonly Member[] = []) {
  const shares: Shares = { ledgerId: 'z1', maxShares: 5, shares: [], tickets: [], ...given };
  await drawPart(() => <SharesList tenantId="t1" given={shares} members={members} />, signedIn({ api }));
}
const rows = () =>
  within(screen.getByRole('list', { name: 'Shared with' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
const LEDGER = { ledgerId: 'z1', tenantId: 't1' };

describe('the list of people who have access', () => {
  test('says when the database isn’t shared, and who has access anyway', async () => {
    await list({});
    expect(screen.getByText('Not shared with anybody yet.')).toBeDefined();
    expect(screen.getByText('0 of 5 shares')).toBeDefined();
    expect(screen.getByText(/Admins of the tenant always have access\./)).toBeDefined();
  });

  test('lists people before invitations, and counts only pending invitations', async () => {
    await list({
      shares: [GRACE],
      tickets: [
        INVITED,
        { ...INVITED, inviteId: 'i2', query: { byEmail: 'old@example.com' }, status: 'expired' },
      ],
    });
    expect(rows()).toEqual([
      expect.stringMatching(/^.*Gracemembergrace@example\.com/),
      expect.stringMatching(/bob@example\.cominvitedCan read and write/),
      expect.stringMatching(/old@example\.comexpiredCan read and write/),
    ]);
    expect(screen.getByText('2 of 5 shares')).toBeDefined();
  });

  test('lists the admins of the tenant, who always have access', async () => {
    const members: Member[] = [
      { userId: 'u1', role: 'admin', email: 'ada@example.com', name: 'Ada' },
      { userId: 'u3', role: 'admin' },
      { userId: 'u2', role: 'member', email: 'grace@example.com', name: 'Grace' },
    ];
    await list({}, {}, members);
    const admins = await screen.findByRole('list', { name: 'Admins of the tenant' });
    await screen.findByText('You');
    expect(
      within(admins)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['AdaadminYouada@example.comCan read and write', 'u3adminCan read and write']);
    expect(within(admins).queryByRole('button')).toBeNull();
  });

  test('names people without an address by their id, and invitees as far as they are known', async () => {
    const { email: _email, name: _name, ...unnamed } = GRACE;
    await list({
      shares: [unnamed],
      tickets: [
        inviteWith('i2', { invitee: 'eve@example.com', invitedUserId: 'u3', invitedParams: {} }),
        inviteWith('i3', { invitedUserId: 'u4', invitedParams: {} }),
        inviteWith('i4', { invitedParams: {} }),
      ],
    });
    expect(hasButton('Revoke the access of u2')).toBe(true);
    for (const who of ['eve@example.com', 'u4', 'i4'])
      expect(hasButton(`Remove the invitation for ${who}`)).toBe(true);
  });

  test('shows markup in names as text', async () => {
    await list({ shares: [{ ...GRACE, name: '<img src=x>' }] });
    expect(rows()[0]).toContain('<img src=x>');
    expect(document.querySelector('img')).toBeNull();
  });
});

describe('the right of a person', () => {
  test('changes at once, and warns before the page is closed while the change is sent', async () => {
    const sent: unknown[] = [];
    const answer = waiting<Result<never>>();
    await list(
      { shares: [GRACE] },
      {
        shareLedger: (request) => {
          sent.push(request);
          return answer.promise;
        },
      },
    );
    await enter('Right of grace@example.com', 'write');
    const field = screen.getByLabelText<HTMLSelectElement>('Right of grace@example.com');
    await waitFor(() => expect([field.value, field.disabled]).toEqual(['write', true]));
    expect([sent, isLossAhead()]).toEqual([[{ ledger: LEDGER, userId: 'u2', right: 'write' }], true]);
    await answer.come({ ok: true, value: {} as never });
    await waitFor(() => expect([field.disabled, isLossAhead()]).toEqual([false, false]));
  });

  test('falls back to the current right when the server rejects the change', async () => {
    await list(
      { shares: [GRACE] },
      { shareLedger: () => refused(new FixpointError('FORBIDDEN', 'Only for admins.')) },
    );
    await enter('Right of grace@example.com', 'write');
    expect((await screen.findByRole('alert')).textContent).toContain('Only for admins.');
    const field = screen.getByLabelText<HTMLSelectElement>('Right of grace@example.com');
    await waitFor(() => expect([field.value, field.disabled]).toEqual(['read', false]));
  });
});

describe('revoking access', () => {
  test('asks first, and says which copies stay', async () => {
    const sent: unknown[] = [];
    await list(
      { shares: [GRACE] },
      {
        unshareLedger: (request) => {
          sent.push(request);
          return done(undefined as never);
        },
      },
    );
    await press('Revoke the access of grace@example.com');
    expect((await screen.findByRole('dialog')).textContent).toContain('Copies on their devices stay there.');
    expect(sent).toEqual([]);
    await press('Revoke access');
    await screen.findByText('grace@example.com no longer has access.');
    expect(sent).toEqual([{ ledger: LEDGER, userId: 'u2' }]);
    await waitFor(() => expect(hasButton('Revoke access')).toBe(false));
  });

  test('changes nothing when the user cancels', async () => {
    const sent: unknown[] = [];
    const unshareLedger = (request: unknown) => {
      sent.push(request);
      return done(undefined as never);
    };
    await list({ shares: [GRACE] }, { unshareLedger });
    await press('Revoke the access of grace@example.com');
    await press('Cancel');
    await waitFor(() => expect(hasButton('Revoke access')).toBe(false));
    expect(sent).toEqual([]);
  });

  test('says why the server rejected the call, and doesn’t report success', async () => {
    await list({ shares: [GRACE] }, { unshareLedger: () => refused(new FixpointError('FETCH', 'reset')) });
    await press('Revoke the access of grace@example.com');
    await press('Revoke access');
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    expect(screen.queryByText(/no longer has access/)).toBeNull();
    await waitFor(() => expect(hasButton('Revoke access')).toBe(false));
  });
});

describe('removing an invitation', () => {
  test('sends one request, however often the user presses the button', async () => {
    const removed: string[] = [];
    const answer = waiting<Result<never>>();
    await list(
      { tickets: [INVITED] },
      {
        deleteInvite: (id) => {
          removed.push(id);
          return answer.promise;
        },
      },
    );
    await press('Remove the invitation for bob@example.com');
    await press('Remove the invitation for bob@example.com');
    await waitFor(() => expect(isDisabled('Remove the invitation for bob@example.com')).toBe(true));
    await answer.come({ ok: false, error: new FixpointError('INVITE_ENDED') });
    await screen.findByRole('alert');
    await waitFor(() => expect(isDisabled('Remove the invitation for bob@example.com')).toBe(false));
    expect(removed).toEqual(['i1']);
  });
});
