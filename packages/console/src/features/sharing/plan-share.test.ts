import type { Invite, Member, Share } from '@fixpoint/protocol/admin';
import { expect, test } from 'vitest';
import { planShare, type Shares, sharesTaken } from './plan-share.ts';

const dates = { createdAt: '', updatedAt: '' };
const members: Member[] = [
  { userId: 'u1', role: 'admin', email: 'ada@example.com' },
  { userId: 'u2', role: 'member', email: 'grace@example.com' },
];
const share = (userId: string, email: string): Share => ({
  userId,
  email,
  role: 'member',
  right: 'read',
  ...dates,
});
const ticket = (byEmail: string, status: string): Invite => ({
  inviteId: byEmail,
  inviterUserId: 'u1',
  query: { byEmail },
  invitedParams: {},
  sendEmailCount: 0,
  status,
  expiresAfter: '',
  ...dates,
});
const given = (part: Partial<Shares>): Shares => ({
  ledgerId: 'l1',
  maxShares: 5,
  shares: [],
  tickets: [],
  ...part,
});

test('grants a right to a member, and invites anybody else', () => {
  expect(planShare(' Grace@example.com ', members, given({}))).toEqual({ userId: 'u2' });
  expect(planShare('linus@example.com', members, given({}))).toEqual({ byEmail: 'linus@example.com' });
});

test('says what to do instead when sharing is impossible', () => {
  const taken = given({
    shares: [share('u2', 'grace@example.com')],
    tickets: [ticket('linus@example.com', 'pending')],
  });
  expect(planShare('grace', members, taken)).toEqual({
    problem: expect.stringMatching(/complete email address/),
  });
  expect(planShare('grace@example.com', members, taken)).toEqual({
    problem: expect.stringMatching(/already has access/),
  });
  expect(planShare('ada@example.com', members, taken)).toEqual({
    problem: expect.stringMatching(/admin of the tenant/),
  });
  expect(planShare('linus@example.com', members, taken)).toEqual({
    problem: expect.stringMatching(/already invited/),
  });
});

test('[spec 9] allows five shares; pending invites count, other invites don’t', () => {
  const four = ['a', 'b', 'c', 'd'].map((id) => share(id, `${id}@example.com`));
  const ended = given({ shares: four, tickets: [ticket('x@example.com', 'expired')] });
  const full = given({ shares: four, tickets: [ticket('x@example.com', 'pending')] });
  expect([sharesTaken(ended), sharesTaken(full)]).toEqual([4, 5]);
  expect(planShare('new@example.com', members, ended)).toEqual({ byEmail: 'new@example.com' });
  expect(planShare('new@example.com', members, full)).toEqual({
    problem: expect.stringMatching(/Revoke one person’s access first/),
  });
});
