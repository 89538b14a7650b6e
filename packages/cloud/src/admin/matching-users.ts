import type { Query } from '@fixpoint/protocol/admin';
import type { Connection } from '../tables/database.ts';

/** The form in which addresses are compared: lower case, without a `+tag`, only letters and digits before the `@`. */
export function cleanEmail(email: string): string | undefined {
  const [local, domain] = email.trim().toLowerCase().split('@');
  if (!local || !domain) return undefined;
  return `${local.replace(/\+[^+]*$/, '').replace(/[^a-z0-9]/g, '')}@${domain}`;
}

/** Active users whom a query names, by a whole address or id. */
export async function matchingUsers(
  db: Connection,
  { existingUserId, byString, byEmail }: Query,
): Promise<string[]> {
  const wanted = existingUserId ?? byString ?? byEmail;
  if (wanted === undefined || wanted.trim() === '') return [];
  const email = existingUserId === undefined ? cleanEmail(wanted) : undefined;
  const rows = await db
    .selectFrom('Users')
    .innerJoin('UserByProviders', 'UserByProviders.userId', 'Users.userId')
    .select('Users.userId')
    .distinct()
    .where('Users.status', '=', 'active')
    .where((where) =>
      email === undefined
        ? where('Users.userId', '=', wanted.trim())
        : where('UserByProviders.cleanEmail', '=', email),
    )
    .limit(10)
    .execute();
  return rows.map(({ userId }) => userId);
}
