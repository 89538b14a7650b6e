import { FixpointError, type Result } from '@fixpoint/protocol';
import { screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { LeaveCard, type LeaveCardProps } from './leave-card.tsx';

withPages();

async function card(given: Partial<LeaveCardProps> = {}) {
  const left: unknown[] = [];
  const answer = waiting<Result<never>>();
  const parts = signedIn({
    api: {
      removeMember: (...member) => {
        left.push(member);
        return answer.promise;
      },
    },
  });
  const page = await drawPart(() => <LeaveCard tenantId="t1" isLastAdmin={false} {...given} />, parts);
  return { ...page, left, answer };
}
const mayLeave = () => waitFor(() => expect(isDisabled('Leave')).toBe(false));

describe('leaving a tenant', () => {
  test('removes the user after a confirmation, and leads to the cloud home', async () => {
    const { left, answer, path } = await card();
    await mayLeave();
    await press('Leave');
    expect((await screen.findByRole('dialog')).textContent).toContain(
      'You can return only if an admin invites you again.',
    );
    expect(left).toEqual([]);
    await press('Leave tenant');
    expect([left, path()]).toEqual([[['t1', 'u1']], '/']);
    await answer.come({ ok: true, value: undefined as never });
    await screen.findByText('You left the tenant.');
    await waitFor(() => expect(path()).toBe('/fp/cloud'));
  });

  test('does nothing when the user cancels', async () => {
    const { left } = await card();
    await mayLeave();
    await press('Leave');
    await press('Cancel');
    await waitFor(() => expect(hasButton('Leave tenant')).toBe(false));
    expect(left).toEqual([]);
  });

  test('stays on the page when the server rejects the call, and says why', async () => {
    const { answer, path } = await card();
    await mayLeave();
    await press('Leave');
    await press('Leave tenant');
    await answer.come({ ok: false, error: new FixpointError('FETCH', 'reset') });
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    await waitFor(() => expect(hasButton('Leave tenant')).toBe(false));
    expect([path(), isDisabled('Leave')]).toEqual(['/', false]);
  });

  test('doesn’t navigate when the user left the page before the answer arrived', async () => {
    const { answer, path, go } = await card();
    await mayLeave();
    await press('Leave');
    await press('Leave tenant');
    await go('/fp/databases');
    await answer.come({ ok: true, value: undefined as never });
    await screen.findByText('You left the tenant.');
    expect(path()).toBe('/fp/databases');
  });
});

describe('a user who can’t leave', () => {
  test.each([
    ['the last admin', { isLastAdmin: true }, 'Make somebody else an admin first'],
    ['the owner', { isOwner: true }, 'Make another admin the owner first'],
    ['an owner who is the last admin', { isOwner: true, isLastAdmin: true }, 'You are the last admin.'],
  ])('sees as %s what to do first', async (_who, given, advice) => {
    const { left } = await card(given);
    await screen.findByText(advice, { exact: false });
    await press('Leave');
    expect([isDisabled('Leave'), hasButton('Leave tenant'), left]).toEqual([true, false, []]);
  });
});
