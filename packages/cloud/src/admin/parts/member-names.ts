import { namesAtProviders } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';

/**
 * Adds the name from the sign-in provider to people without a name in the tenant. Use this only for
 * callers who may also see these people's addresses.
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
