/**
 * Ends memberships and everything that depends on them, and restores restrictions when a member
 * returns. All callers hold the lock on the tenant's row.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { type Names, namesOfUser } from '../../tables/accounts/names-of-person.ts';
import type { Connection } from '../../tables/connection.ts';
import {
  endLedgerUser,
  hasShares,
  listKeptLimits,
  upsertLedgerUser,
} from '../../tables/ledgers/ledger-users.ts';
import { forgetEnded, rememberEnded } from '../../tables/tenants/ended-access.ts';
import { revokeInvites } from '../../tables/tenants/invite-tickets.ts';
import { GUEST, removeMember } from '../../tables/tenants/tenant-users.ts';
import { requireShareRoom } from './require-room.ts';

interface Member {
  readonly tenantId: string;
  readonly userId: string;
  readonly role: string;
}

/**
 * Ends a membership. Also revokes pending invites that the person sent, and those that were sent to
 * any of their accounts or addresses. Only a later invite readmits the person.
 */
export async function endMembership(
  db: Connection,
  { tenantId, userId }: Member,
  by: string,
  at: string,
): Promise<void> {
  const names = await namesOfUser(db, userId);
  await revokeInvites(db, { tenantId }, { to: names }, `membership ended: ${by}`, at);
  await endInvitesBy(db, tenantId, userId, at);
  await rememberEnded(db, { tenantId }, names, at);
  await removeMember(db, tenantId, userId, at);
}

/** Revokes the invites of a person who may no longer invite. */
export const endInvitesBy = (db: Connection, tenantId: string, userId: string, at: string): Promise<void> =>
  revokeInvites(db, { tenantId }, { by: userId }, `inviter is not an admin: ${userId}`, at);

/**
 * Ends one user's access to a ledger, and revokes their pending invites to the ledger. A guest's
 * membership ends with their last ledger.
 */
export async function endShare(
  db: Connection,
  ledgerId: string,
  { tenantId, userId, role }: Member,
  by: string,
  at: string,
): Promise<void> {
  const names = await namesOfUser(db, userId);
  await revokeInvites(db, { tenantId, ledgerId }, { to: names }, `access ended: ${by}`, at);
  await rememberEnded(db, { tenantId, ledgerId }, names, at);
  await endLedgerUser(db, ledgerId, userId, at);
  if (role === GUEST && !(await hasShares(db, tenantId, userId)))
    await removeMember(db, tenantId, userId, at);
}

/**
 * Restores the restrictions that a person had in ledgers when their last membership ended. If all
 * shares of a ledger are taken, the person has no access to that ledger until an admin changes
 * this.
 */
export async function beginMembership(
  db: Connection,
  { tenantId, userId }: Omit<Member, 'role'>,
  names: Names,
  at: string,
): Promise<void> {
  await forgetEnded(db, { tenantId }, names);
  for (const ledgerId of await listKeptLimits(db, tenantId, userId)) {
    try {
      await requireShareRoom(db, { tenantId, ledgerId }, { userId }, at);
    } catch (cause) {
      if (isFixpointError(cause, 'LIMIT_REACHED')) continue;
      throw cause;
    }
    await upsertLedgerUser(db, { ledgerId, userId, role: 'member', right: 'read' }, at);
  }
}
