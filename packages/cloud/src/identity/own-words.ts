/** Who chooses another password shall not choose his own name or address: they are guessed first. At sign-up both stand in the request; later the account says them. */
import { sql } from 'kysely';
import type { Db } from '../tables/database.ts';
import { refuseEasy } from './easy-passwords.ts';
import { sentIn } from './end-access.ts';

export interface OwnWordsParts {
  readonly db: Db;
  /** Whom the token of a mail lets choose a password. */
  readonly findReset: (token: string) => Promise<string | undefined>;
}

export const wordsOf = (email: string, name: string): string[] => [
  email.split('@')[0] ?? '',
  ...name.split(' '),
  name,
];

/** @throws FixpointError REQUEST_INVALID */
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
