import type { Result } from '@fixpoint/protocol';
import type { Answer } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ada, appWith, done, userWith } from '../../cloud/app.fixture.ts';
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
