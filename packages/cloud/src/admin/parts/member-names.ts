import { namesAtProviders } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';

/**
 * Fills in the name from the sign-in provider for people without a name in the tenant. Only for
 * callers who may see their addresses, too.
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
