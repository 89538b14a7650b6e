import { FixpointError } from '@fixpoint/protocol';
import type { Member } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ada, appWith, done, refused, userWith } from '../../cloud/app.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { MembersList } from './members-list.tsx';

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
