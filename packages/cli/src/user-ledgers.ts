import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { unwrap } from './credentials.ts';

/** Returns the ledgers that the user may use, of all tenants or of these. */
export const ledgersOf = async (api: AdminClient, tenants?: readonly string[]) =>
  unwrap(await api.listLedgersByUser(tenants && [...tenants]));

/**
 * Returns the ids of a ledger and its tenant. Users pass only the id of the ledger, but requests
 * need both ids.
 * @throws FixpointError NOT_FOUND
 */
export async function idsOfLedger(
  api: AdminClient,
  id: string,
): Promise<{ tenantId: string; ledgerId: string }> {
  const found = (await ledgersOf(api)).find(({ ledgerId }) => ledgerId === id);
  if (found === undefined) throw new FixpointError('NOT_FOUND', `you have no database with the id ${id}`);
  return { tenantId: found.tenantId, ledgerId: id };
}
