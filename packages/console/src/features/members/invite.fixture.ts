import type { Invite } from '@fixpoint/protocol/admin';

/** Returns a pending invite to a tenant, with the values that a test passes. */
export const inviteWith = (inviteId: string, given: Partial<Invite>): Invite => ({
  inviteId,
  inviterUserId: 'u1',
  query: {},
  invitedParams: { tenant: { id: 't1', role: 'admin' } },
  sendEmailCount: 1,
  status: 'pending',
  expiresAfter: '2026-12-01T12:00:00Z',
  createdAt: '2026-11-24T12:00:00Z',
  updatedAt: '2026-11-24T12:00:00Z',
  ...given,
});
