/**
 * Finds all accounts and addresses to which an invite to one person can be sent: their account, the
 * addresses that they verified, and other accounts that verified one of these addresses.
 */
import type { Connection } from '../connection.ts';

export interface Names {
  readonly userIds: readonly string[];
  /** Addresses in lower case. Each was verified by one of the accounts, or passed by the caller. */
  readonly emails: readonly string[];
}

/**
 * Returns the accounts and addresses of a user.
 * @param email an address that the person verified, which may not be in the tables yet
 */
export async function namesOfUser(db: Connection, userId: string, email?: string): Promise<Names> {
  const own = await db
    .selectFrom('UserByProviders')
    .select(['queryEmail', 'params'])
    .where('userId', '=', userId)
    .execute();
  const proven = own.filter(isProven).flatMap(({ queryEmail }) => queryEmail ?? []);
  const emails = [...new Set(email === undefined ? proven : [...proven, email])];
  return { userIds: [...new Set([userId, ...(await accountsThatProved(db, emails))])], emails };
}

export async function namesOfEmail(db: Connection, email: string): Promise<Names> {
  return { userIds: await accountsThatProved(db, [email]), emails: [email] };
}

async function accountsThatProved(db: Connection, emails: readonly string[]): Promise<string[]> {
  if (emails.length === 0) return [];
  const rows = await db
    .selectFrom('UserByProviders')
    .select(['userId', 'params'])
    .where('queryEmail', 'in', emails)
    .execute();
  return [...new Set(rows.filter(isProven).map(({ userId }) => userId))];
}

const isProven = ({ params }: { readonly params: string }): boolean =>
  (JSON.parse(params) as { email_verified?: unknown }).email_verified === true;
