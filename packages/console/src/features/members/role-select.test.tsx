import { FixpointError, type Result } from '@fixpoint/protocol';
import type { Answer } from '@fixpoint/protocol/admin';
import { screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, enter, hasButton, press } from '../../cloud/part.fixture.tsx';
import { userQuery } from '../../cloud/queries/queries.ts';
import { isLossAhead } from '../../leaving/ask-before-leaving.ts';
import { type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { RoleSelect, type RoleSelectProps } from './role-select.tsx';

withPages();

type Updated = Result<Answer<'reqUpdateUserTenant'>>;
const DONE = { ok: true, value: {} } as Updated;

/** Renders the choice for an admin; each request waits for its answer. */
async function choice(userId: string) {
  const sent: unknown[] = [];
  const answers: Waiting<Updated>[] = [];
  const parts = signedIn({
    api: {
      updateUserTenant: (request) => {
        sent.push(request);
        const answer = waiting<Updated>();
        answers.push(answer);
        return answer.promise as never;
      },
    },
  });
  await parts.queries.prefetchQuery(userQuery(parts.api));
  const asked: RoleSelectProps = { tenantId: 't1', userId, who: 'grace@example.com', role: 'admin' };
  await drawPart(() => <RoleSelect {...asked} />, parts);
  const field = await screen.findByLabelText<HTMLSelectElement>('Role of grace@example.com');
  return {
    sent,
    field,
    choose: (role: string) => enter('Role of grace@example.com', role),
    answer: (value: Updated) => answers.at(-1)?.come(value),
  };
}

describe('the role of another person', () => {
  test('changes at once, and shows the new role while the request is pending', async () => {
    const { sent, field, choose, answer } = await choice('u2');
    await choose('member');
    expect(sent).toEqual([{ tenantId: 't1', userId: 'u2', role: 'member' }]);
    await waitFor(() => expect([field.value, field.disabled]).toEqual(['member', true]));
    await answer(DONE);
    await waitFor(() => expect(field.disabled).toBe(false));
  });

  test('falls back to the current role when the server rejects the change, and says why', async () => {
    const { field, choose, answer } = await choice('u2');
    await choose('member');
    await answer({ ok: false, error: new FixpointError('FORBIDDEN', 'Only admins change roles.') });
    expect((await screen.findByRole('alert')).textContent).toContain('Only admins change roles.');
    await waitFor(() => expect([field.value, field.disabled]).toEqual(['admin', false]));
  });

  test('warns before the page is closed while the change is sent', async () => {
    const { choose, answer } = await choice('u2');
    await choose('member');
    expect(isLossAhead()).toBe(true);
    await answer(DONE);
    await waitFor(() => expect(isLossAhead()).toBe(false));
  });
});

describe('the user’s own role', () => {
  test('changes only after a confirmation', async () => {
    const { sent, choose, answer } = await choice('u1');
    await choose('member');
    expect((await screen.findByRole('dialog')).textContent).toContain(
      'Only another admin can make you an admin again.',
    );
    expect(sent).toEqual([]);
    await press('Become a member');
    expect(sent).toEqual([{ tenantId: 't1', userId: 'u1', role: 'member' }]);
    await answer(DONE);
    await waitFor(() => expect(hasButton('Become a member')).toBe(false));
  });

  test('stays the same when the user cancels', async () => {
    const { sent, field, choose } = await choice('u1');
    await choose('member');
    await press('Cancel');
    await waitFor(() => expect(hasButton('Become a member')).toBe(false));
    expect([sent, field.value]).toEqual([[], 'admin']);
  });
});
