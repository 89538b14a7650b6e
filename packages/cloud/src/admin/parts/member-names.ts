import type { Writer } from '@fixpoint/protocol/admin';
import { accessBy } from '../../rights/standing.ts';
import { namesAtProviders } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { listLedgersOf } from '../../tables/ledgers/ledger-rows.ts';
import { usersOfEntries } from '../../tables/sync/meta-rows.ts';
import { listActivePeople } from '../../tables/tenants/tenant-users.ts';

/**
 * Adds the name from the sign-in provider to people without a name in the tenant. Use this only for
 * callers who may also see these people's addresses: some providers use an address as the name.
 */
export async function withNames<T extends { readonly userId: string; readonly name: string | null }>(
  db: Connection,
  rows: readonly T[],
): Promise<T[]> {
  const names = await namesAtProviders(
    db,
    rows.filter(({ name }) => !name).map(({ userId }) => userId),
  );
  return rows.map((row) => ({ ...row, name: row.name || (names.get(row.userId) ?? null) }));
}

/** An address, or a name that contains one. */
const ADDRESS = /\S@\S/;

/**
 * Returns the names of the people who wrote to ledgers that a user may read, by tenant. Readers
 * learn the ids of these people with the entries, so the names tell them of nobody else. Omits
 * names that contain an address.
 */
export async function namesOfWriters(
  db: Connection,
  userId: string,
): Promise<ReadonlyMap<string, readonly Writer[]>> {
  const readable = new Map<string, string[]>();
  for (const row of await listLedgersOf(db, userId))
    if (accessBy(row) !== 'none')
      readable.set(row.tenantId, [...(readable.get(row.tenantId) ?? []), row.ledgerId]);
  const named = new Map<string, readonly Writer[]>();
  for (const [tenantId, ledgers] of readable) {
    const users = await usersOfEntries(db, ledgers);
    const people = (await listActivePeople(db, tenantId)).filter((one) => users.has(one.userId));
    const writers = (await withNames(db, people)).flatMap(({ userId: id, name }) =>
      name === null || ADDRESS.test(name) ? [] : [{ userId: id, name }],
    );
    if (writers.length > 0) named.set(tenantId, writers);
  }
  return named;
}
