import { FixpointError, foldedName } from '@fixpoint/protocol';
import type { Ledger, Right, Role } from '@fixpoint/protocol/admin';
import { accessBy } from '../../rights/standing.ts';
import { type Connection, isDuplicate } from '../../tables/connection.ts';
import { listLedgerNames, listLedgersOf } from '../../tables/ledgers/ledger-rows.ts';
import type { Ledger as LedgerRow } from '../../tables/schema.ts';
import { ledgerKindOf } from '../../tables/sync/ledger-key-rows.ts';
import { GUEST } from '../../tables/tenants/tenant-users.ts';
import { roleOf } from './describe-tenant.ts';

export interface ReadableLedger {
  readonly row: LedgerRow;
  readonly role: Role;
  readonly right: Right;
  /** Whether the user isn't a member of the ledger's tenant, but has a share of the ledger. */
  readonly isGuest: boolean;
}

/** Returns the ledgers that a user may read, oldest first. */
export async function readableLedgers(db: Connection, userId: string): Promise<ReadableLedger[]> {
  const rows = await listLedgersOf(db, userId);
  return rows.flatMap((row) => {
    const access = accessBy(row);
    return access === 'none'
      ? []
      : [{ row, role: roleOf(row.tenantRole), right: access, isGuest: row.tenantRole === GUEST }];
  });
}

/** Returns a ledger as the caller sees it. `users` contains only the caller. */
export function describeLedger(
  { row, role, right }: Omit<ReadableLedger, 'isGuest'>,
  userId: string,
): Ledger {
  const { ledgerId, tenantId, ownerId, name, maxShares, successorOf, movedTo, createdAt, updatedAt } = row;
  const kind = ledgerKindOf(row.kind);
  const users = [{ userId, role, right, default: false, createdAt, updatedAt }];
  return {
    ...{ ledgerId, tenantId, ownerId, name, maxShares, users, createdAt, updatedAt },
    ...(kind && { kind }),
    ...(successorOf !== null && { successorOf }),
    ...(movedTo !== null && { movedTo }),
  };
}

/**
 * Requires that no other ledger of the tenant has the name, ignoring case. The caller holds the
 * lock on the tenant's row. Older ledgers whose names differ only by case keep their names.
 * @throws FixpointError CONFLICT when another ledger of the tenant has the name
 */
export async function requireFreeName(
  db: Connection,
  {
    tenantId,
    ledgerId,
    name,
  }: { readonly tenantId: string; readonly ledgerId?: string; readonly name: string },
): Promise<void> {
  const ledgers = await listLedgerNames(db, tenantId);
  if (ledgers.some((one) => one.ledgerId === ledgerId && one.name === name)) return;
  if (ledgers.some((one) => one.ledgerId !== ledgerId && foldedName(one.name) === foldedName(name)))
    throw new FixpointError('CONFLICT', 'a database already has this name');
}

/**
 * Waits for the work, and turns an error about a duplicate row into a CONFLICT.
 * @throws FixpointError CONFLICT when the name is taken
 */
export async function unlessNameTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isDuplicate(cause))
      throw new FixpointError('CONFLICT', 'a database already has this name', { cause });
    throw cause;
  }
}
