/**
 * Rejects a new password that consists of the user's name or address, which attackers guess first.
 * At sign-up, the name and address are in the request; later, they are in the account.
 */
import { sql } from 'kysely';
import type { Db } from '../../tables/connection.ts';
import { sentIn } from '../end-access.ts';
import { refuseEasy } from './easy-passwords.ts';

export interface OwnWordsParts {
  readonly db: Db;
  /** Returns the user who requested a new password, by the token in the mail. */
  readonly findReset: (token: string) => Promise<string | undefined>;
}

export const wordsOf = (email: string, name: string): string[] => [
  email.split('@')[0] ?? '',
  ...name.split(' '),
  name,
];

/**
 * Rejects a password made of the user's name or address.
 * @throws FixpointError REQUEST_INVALID
 */
export async function requireNoOwnWords(
  { db, findReset }: OwnWordsParts,
  request: Request,
  ownUserId: string | undefined,
): Promise<void> {
  const { pathname } = new URL(request.url);
  const isReset = pathname === '/auth/reset-password';
  if (!isReset && pathname !== '/auth/change-password') return;
  const { token, newPassword } = await sentIn(request.clone());
  const userId = isReset ? await findReset(String(token)) : ownUserId;
  if (userId === undefined || typeof newPassword !== 'string') return;
  const { rows } = await sql<{ email: string; name: string }>`
    select email, name from "user" where id = ${userId}`.execute(db);
  for (const { email, name } of rows) refuseEasy(newPassword, wordsOf(email, name));
}
