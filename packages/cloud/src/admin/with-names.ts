import type { Connection } from '../tables/database.ts';
import { namesAtProviders } from '../tables/users.ts';

/** Who has no name in the tenant has the one of his sign-in provider. Only for who may see his address, too. */
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
