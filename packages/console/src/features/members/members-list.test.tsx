import { FixpointError } from '@fixpoint/protocol';
import type { Member } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { ada, appWith, done, refused, signedIn, userWith } from '../../cloud/app.fixture.ts';
import { drawPart, hasButton, press } from '../../cloud/part.fixture.tsx';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { MembersList, type MembersListProps } from './members-list.tsx';

withPages();

const memberCalled = (userId: string, role: Member['role'] = 'admin'): Member => ({
  userId,
  email: `${userId}@example.com`,
  role,
});

async function drawn(ownerUserId: string | undefined, isRecent = true) {
  const given: unknown[] = [];
  let confirmed = isRecent;
  const parts = appWith({
    user: ada,
    session: {
      account: async () => ({
        confirm: {
          byPassword: () => {
            confirmed = true;
            return done(undefined);
          },
        },
      }),
    },
    api: {
      ensureUser: () => done({ user: userWith('active'), tenants: [] }),
      listTenantsByUser: () => done([]),
      transferTenant: (...choice: unknown[]) => {
        if (!confirmed) return refused(new FixpointError('CONFIRM_IDENTITY'));
        given.push(choice);
        return done({} as never);
      },
    },
  });
  const members = [memberCalled('u1'), memberCalled('u2'), memberCalled('u3', 'member')];
  const Component = () => (
    <MembersList tenantId="t1" members={members} limits={undefined} ownerUserId={ownerUserId} />
  );
  await drawPages([{ path: '/', Component }], '/', parts);
  await screen.findByText('u2@example.com');
  return given;
}

test('[S5] lets the owner transfer the tenant to another admin, after a confirmation', async () => {
  const given = await drawn('u1');
  expect(screen.queryByRole('button', { name: 'Make u1@example.com the owner' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Make u3@example.com the owner' })).toBeNull();
  const button = await screen.findByRole('button', { name: 'Make u2@example.com the owner' });
  await act(async () => button.click());
  expect(given).toEqual([]);
  await act(async () => (await screen.findByRole('button', { name: 'Make owner' })).click());
  await waitFor(() => expect(given).toEqual([['t1', 'u2']]));
});

test('[S5] asks an owner who signed in long ago for their password, and then transfers the tenant', async () => {
  const given = await drawn('u1', false);
  const button = await screen.findByRole('button', { name: 'Make u2@example.com the owner' });
  await act(async () => button.click());
  await act(async () => (await screen.findByRole('button', { name: 'Make owner' })).click());
  const field = await screen.findByLabelText('Your password');
  expect(given).toEqual([]);
  await act(async () => void fireEvent.change(field, { target: { value: 'secret' } }));
  await act(async () => screen.getByRole('button', { name: 'Confirm' }).click());
  await waitFor(() => expect(given).toEqual([['t1', 'u2']]));
});

test('[S5] hides actions that the server rejects: other admins can’t transfer, demote or remove the owner', async () => {
  await drawn('u2');
  expect(screen.queryByRole('button', { name: /the owner$/ })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Remove u2@example.com' })).toBeNull();
  expect(screen.queryByLabelText('Role of u2@example.com')).toBeNull();
  expect(screen.getByRole('button', { name: 'Remove u3@example.com' })).toBeTruthy();
});

test('works with a server that doesn’t name the owner', async () => {
  await drawn(undefined);
  expect(screen.queryByRole('button', { name: /the owner$/ })).toBeNull();
  expect(screen.getByRole('button', { name: 'Remove u2@example.com' })).toBeTruthy();
});

const ADA = memberCalled('u1');
const GRACE: Member = { userId: 'u2', name: 'Grace', email: 'grace@example.com', role: 'member' };

/** Renders a list for Ada, who is an admin; returns the removals that were sent. */
async function list(
  given: Partial<MembersListProps> & Pick<MembersListProps, 'members'>,
  answer: () => ReturnType<typeof refused> = () => done(undefined as never),
) {
  const removed: unknown[] = [];
  const parts = signedIn({
    api: {
      removeMember: (...member) => {
        removed.push(member);
        return answer();
      },
    },
  });
  await drawPart(
    () => <MembersList tenantId="t1" limits={undefined} ownerUserId={undefined} {...given} />,
    parts,
  );
  await screen.findByText('You');
  return removed;
}
const rows = () => within(screen.getByRole('list', { name: 'Members' })).getAllByRole('listitem');

describe('a list of members', () => {
  test('counts admins and members separately, and shows the limits that the server sends', async () => {
    const limits = { maxAdminUsers: 5, maxMemberUsers: 20, maxInvites: 10, maxLedgers: 10 };
    await list({ members: [ADA, GRACE], limits });
    expect(screen.getByText('1 of 5 admins, 1 of 20 members')).toBeDefined();
  });

  test('shows counts without limits if the server sends no limits', async () => {
    await list({ members: [ADA, memberCalled('u4')] });
    expect(screen.getByText('2 admins, 0 members')).toBeDefined();
  });

  test('marks the user and the owner', async () => {
    await list({ members: [ADA, memberCalled('u4')], ownerUserId: 'u4' });
    const [own, owner] = rows();
    expect(own?.textContent).toMatch(/You/);
    expect(own?.textContent).not.toMatch(/Owner/);
    expect(owner?.textContent).toMatch(/Owner/);
    expect(owner?.textContent).not.toMatch(/You/);
  });

  test('doesn’t let the last admin change their role', async () => {
    await list({ members: [ADA, GRACE] });
    expect(screen.queryByLabelText('Role of u1@example.com')).toBeNull();
    expect(screen.getByTitle('A tenant needs at least one admin.').textContent).toBe('admin');
    expect(screen.getByLabelText<HTMLSelectElement>('Role of grace@example.com').value).toBe('member');
  });

  test('shows names as text, and always with the address that identifies the person', async () => {
    const name = '<b onclick="steal()">Ada</b>';
    await list({ members: [ADA, { ...GRACE, name }] });
    expect(rows()[1]?.textContent).toContain(`${name}grace@example.com`);
    expect(document.querySelector('[onclick]')).toBeNull();
  });

  test('identifies people without an address by their id', async () => {
    await list({ members: [ADA, { userId: 'u9', role: 'member' }] });
    await press('Remove u9');
    expect((await screen.findByRole('dialog')).textContent).toMatch(/\?u9 loses access/);
  });
});

describe('removing a member', () => {
  test('asks first, and names the person with their address', async () => {
    const removed = await list({ members: [ADA, GRACE] });
    await press('Remove grace@example.com');
    expect((await screen.findByRole('dialog')).textContent).toContain(
      'Grace (grace@example.com) loses access to all databases of the tenant.',
    );
    expect(removed).toEqual([]);
    await press('Remove member');
    await screen.findByText('grace@example.com was removed from the tenant.');
    expect(removed).toEqual([['t1', 'u2']]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('sends nothing when the user cancels', async () => {
    const removed = await list({ members: [ADA, GRACE] });
    await press('Remove grace@example.com');
    await press('Cancel');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(removed).toEqual([]);
  });

  test('says why the server rejected the removal, and closes the dialog', async () => {
    await list({ members: [ADA, GRACE] }, () => refused(new FixpointError('FORBIDDEN', 'Only for admins.')));
    await press('Remove grace@example.com');
    await press('Remove member');
    expect((await screen.findByRole('alert')).textContent).toContain('Only for admins.');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('offers no button for the user’s own row, because users leave with another card', async () => {
    await list({ members: [ADA, GRACE] });
    expect(hasButton('Remove u1@example.com')).toBe(false);
  });
});

test('shows since when somebody is a member, if the server says so', async () => {
  const parts = signedIn({ api: { ensureUser: () => done({ user: userWith('active'), tenants: [] }) } });
  const members = [{ ...memberCalled('u1'), joinedAt: '2026-10-24T12:00:00Z' }, memberCalled('u2')];
  await drawPart(
    () => <MembersList tenantId="t1" members={members} limits={undefined} ownerUserId="u1" />,
    parts,
  );
  const rows = within(screen.getByRole('list', { name: 'Members' })).getAllByRole('listitem');
  expect(rows[0]?.textContent).toContain(`joined ${dayOf('2026-10-24T12:00:00Z')}`);
  expect(rows[1]?.textContent).not.toContain('joined');
});
