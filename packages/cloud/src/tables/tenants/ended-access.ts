/**
 * Records people who left a tenant or lost a ledger, so that earlier invites can't restore their
 * access.
 */

import type { Names } from '../accounts/names-of-person.ts';
import type { Connection } from '../connection.ts';
import { listPendingIn } from './invite-tickets.ts';

/** A tenant, or one ledger of it. */
export interface EndedPlace {
  readonly tenantId: string;
  readonly ledgerId?: string | undefined;
}

/**
 * Returns accounts and addresses as texts for one column. Prefixes distinguish accounts from
 * addresses.
 */
const keysOf = ({ userIds, emails }: Names): string[] => [
  ...userIds.map((userId) => `user ${userId}`),
  ...emails.map((email) => `email ${email}`),
];

/**
 * Records that a person's access ended, with the ids of all invites that were pending then. Each
 * of them may be to an address that the person verifies later. Records ids rather than a time,
 * because the clocks of two gateways may differ.
 */
export async function rememberEnded(
  db: Connection,
  { tenantId, ledgerId = '' }: EndedPlace,
  names: Names,
  at: string,
): Promise<void> {
  const pending = await listPendingIn(db, tenantId);
  const staleInvites = JSON.stringify(pending.map(({ inviteId }) => inviteId));
  await db
    .insertInto('EndedAccess')
    .values(keysOf(names).map((who) => ({ tenantId, ledgerId, who, staleInvites, endedAt: at })))
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'ledgerId', 'who']).doUpdateSet({ staleInvites, endedAt: at }),
    )
    .execute();
}

/** Returns whether the person lost this access, and hasn't regained it since. */
export async function hasEnded(db: Connection, { tenantId, ledgerId = '' }: EndedPlace, names: Names) {
  return (await rowsOf(db, tenantId, [ledgerId], names)).length > 0;
}

/** Returns ids of invites that were pending when the person lost the ledger or left the tenant. */
export async function staleInvites(
  db: Connection,
  { tenantId, ledgerId }: EndedPlace,
  names: Names,
): Promise<ReadonlySet<string>> {
  const rows = await rowsOf(db, tenantId, ['', ledgerId ?? ''], names);
  return new Set(rows.flatMap((row) => JSON.parse(row.staleInvites) as string[]));
}

/** Deletes the record that access ended, because the person has regained it. */
export async function forgetEnded(
  db: Connection,
  { tenantId, ledgerId = '' }: EndedPlace,
  names: Names,
): Promise<void> {
  await db
    .deleteFrom('EndedAccess')
    .where('tenantId', '=', tenantId)
    .where('ledgerId', '=', ledgerId)
    .where('who', 'in', keysOf(names))
    .execute();
}

function rowsOf(db: Connection, tenantId: string, ledgerIds: readonly string[], names: Names) {
  return db
    .selectFrom('EndedAccess')
    .select('staleInvites')
    .where('tenantId', '=', tenantId)
    .where('ledgerId', 'in', ledgerIds)
    .where('who', 'in', keysOf(names))
    .execute();
}
