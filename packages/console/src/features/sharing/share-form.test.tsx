import { FixpointError, type Result } from '@fixpoint/protocol';
import type { AdminClient, Member } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { shareQueries } from '../../cloud/queries/queries.ts';
import { drawPages, type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import type { Shares } from './plan-share.ts';
import { ShareForm } from './share-form.tsx';

withPages();

const memberOf = (userId: string, role: Member['role']): Member => ({
  userId,
  role,
  email: `${userId}@example.com`,
  name: userId,
});
const members = [memberOf('ada', 'admin'), memberOf('grace', 'member')];
const given: Shares = { ledgerId: 'z1', maxShares: 5, shares: [], tickets: [] };

/** Renders the form; each request waits for its answer. */
async function form() {
  const sent: unknown[] = [];
  const answers: Waiting<Result<never>>[] = [];
  const takes = (request: unknown) => {
    sent.push(request);
    const answer = waiting<Result<never>>();
    answers.push(answer);
    return answer.promise;
  };
  const api: Partial<AdminClient> = { shareLedger: takes, inviteUser: takes };
  const parts = appWith({ api });
  await drawPages(
    [{ path: '/', Component: () => <ShareForm tenantId="t1" members={members} given={given} /> }],
    '/',
    parts,
  );
  const field = screen.getByLabelText<HTMLInputElement>('Email');
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Share' });
  const change = (element: HTMLElement, value: string) =>
    act(async () => void fireEvent.change(element, { target: { value } }));
  return {
    parts,
    field,
    button,
    sent,
    type: (value: string) => change(field, value),
    mayWrite: () => change(screen.getByLabelText('Right'), 'write'),
    send: () => act(async () => button.form?.requestSubmit()),
    answer: async (value: Result<unknown>) => answers.at(-1)?.come(value as Result<never>),
  };
}
const DONE = { ok: true, value: {} } as const;

test('grants a member the chosen right, and shows a message at once', async () => {
  const { parts, field, button, sent, type, mayWrite, send, answer } = await form();
  const list = waiting<Shares>();
  const { queryKey } = shareQueries.list(parts.api, 't1', 'z1');
  const lists = [Promise.resolve(given), list.promise];
  await parts.queries.prefetchQuery({ queryKey, queryFn: () => lists.shift() ?? given });
  await type('Grace@example.com');
  await mayWrite();
  await send();
  expect([button.disabled, field.value]).toEqual([true, 'Grace@example.com']);
  await answer(DONE);
  expect(await screen.findByText('Shared with Grace@example.com.')).toBeDefined();
  expect([field.value, button.disabled]).toEqual(['', true]);
  expect(sent).toEqual([{ ledger: { ledgerId: 'z1', tenantId: 't1' }, userId: 'grace', right: 'write' }]);
  await list.come(given);
  await waitFor(() => expect(button.disabled).toBe(false));
});

test('limits an invitation of somebody outside of the tenant to this ledger', async () => {
  const { sent, type, send, answer } = await form();
  await type('bob@example.com');
  await send();
  await answer(DONE);
  expect(await screen.findByText('Invitation sent to bob@example.com.')).toBeDefined();
  expect(sent).toEqual([
    {
      query: { byEmail: 'bob@example.com' },
      invitedParams: { ledger: { id: 'z1', role: 'member', right: 'read' } },
    },
  ]);
});

test('keeps text typed while a request is sent', async () => {
  const { field, type, send, answer } = await form();
  await type('bob@example.com');
  await send();
  await type('carol@example.com');
  await answer(DONE);
  expect(await screen.findByText('Invitation sent to bob@example.com.')).toBeDefined();
  expect(field.value).toBe('carol@example.com');
});

test.each(['nobody', 'ada@example.com'])('doesn’t send %s, and says why in the form', async (who) => {
  const { field, sent, type, send } = await form();
  await type(who);
  await send();
  expect((await screen.findByRole('alert')).textContent).toMatch(/complete email address|is an admin/);
  expect([sent, field.value, field.getAttribute('aria-invalid')]).toEqual([[], who, 'true']);
  await type(`${who}.`);
  expect(screen.queryByRole('alert')).toBe(null);
});

test('shows an error below the address, and keeps the address', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const { field, button, type, send, answer } = await form();
  await type('bob@example.com');
  await send();
  await answer({ ok: false, error: new FixpointError('LIMIT_REACHED') });
  expect((await screen.findByRole('alert')).textContent).toMatch(/limit/i);
  expect(field.value).toBe('bob@example.com');
  await waitFor(() => expect(button.disabled).toBe(false));
});
