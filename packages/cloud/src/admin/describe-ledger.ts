import { FixpointError } from '@fixpoint/protocol';
import type { Ledger, Right, Role } from '@fixpoint/protocol/admin';
import { accessBy } from '../rights/standing.ts';
import { type Connection, isDuplicate } from '../tables/database.ts';
import { ledgerKindOf } from '../tables/ledger-keys.ts';
import { listLedgersOf } from '../tables/ledgers.ts';
import type { Ledger as LedgerRow } from '../tables/schema.ts';
import { roleOf } from './describe-tenant.ts';

export interface ReadableLedger {
  readonly row: LedgerRow;
  readonly role: Role;
  readonly right: Right;
}

/** The ledgers that a user may read, oldest first. */
export async function readableLedgers(db: Connection, userId: string): Promise<ReadableLedger[]> {
  const rows = await listLedgersOf(db, userId);
  return rows.flatMap((row) => {
    const access = accessBy(row);
    return access === 'none' ? [] : [{ row, role: roleOf(row.tenantRole), right: access }];
  });
}

/** A ledger as its asker sees it; `users` holds the asker alone. */
export function describeLedger({ row, role, right }: ReadableLedger, userId: string): Ledger {
  const { ledgerId, tenantId, ownerId, name, maxShares, createdAt, updatedAt } = row;
  const kind = ledgerKindOf(row.kind);
  const users = [{ userId, role, right, default: false, createdAt, updatedAt }];
  return { ledgerId, tenantId, ownerId, name, maxShares, users, createdAt, updatedAt, ...(kind && { kind }) };
}

/** @throws FixpointError CONFLICT instead of the failure of the unique name */
export async function unlessNameTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isDuplicate(cause))
      throw new FixpointError('CONFLICT', 'there is a database of this name', { cause });
    throw cause;
  }
}
