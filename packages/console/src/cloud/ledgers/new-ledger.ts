import type { Result } from '@fixpoint/protocol';
import type { Ledger } from '@fixpoint/protocol/admin';
import type { App } from '../app.ts';
import { ledgerQueries } from '../queries/queries.ts';
import { type LedgerKind, rememberKind } from './known-kinds.ts';

export interface NewLedger {
  readonly tenantId: string;
  readonly name: string;
  /** The kind that the user chose. This browser attaches the ledger only as this kind. */
  readonly kind: LedgerKind | undefined;
  /** The ledger that the new one replaces. */
  readonly successorOf?: string;
}

/** Creates a ledger, and refetches the tenant's list of ledgers. */
export async function newLedger(
  { api, queries }: Pick<App, 'api' | 'queries'>,
  { tenantId, name, kind, ...more }: NewLedger,
): Promise<Result<Ledger>> {
  const created = await api.createLedger({ tenantId, name, ...more, ...(kind && { kind }) });
  if (!created.ok) return created;
  if (kind !== undefined) rememberKind(created.value.ledgerId, kind);
  await queries.invalidateQueries({ ...ledgerQueries.list(api, tenantId), refetchType: 'all' });
  return created;
}
