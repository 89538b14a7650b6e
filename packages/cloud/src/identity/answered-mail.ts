/**
 * Ends access when a user answers a mail. The person who signed up may have typed somebody else's
 * address: while nobody has proved the address of an account, everything opened before the first
 * answer may be a stranger's (decision 0107).
 */
import { sql } from 'kysely';
import { type Db, inTransaction } from '../tables/connection.ts';
import { endOpened } from './end-access.ts';

/**
 * Ends access after a password was chosen by a mailed link, which proves the address too. A user
 * who lost a password may have lost everything that it opened: sessions, devices and API tokens
 * end.
 */
export async function endForNewPassword(db: Db, id: string, now: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`delete from session where "userId" = ${id}`.execute(tx);
    const { rows: proven } = await sql`
      update "user" set "emailVerified" = true where id = ${id} and "emailVerified" = false returning id`.execute(
      tx,
    );
    const isFirst = proven.length > 0;
    // A provider that didn't vouch for the address may have let a stranger in with it.
    if (isFirst)
      await sql`delete from account where "userId" = ${id} and "providerId" <> 'credential'`.execute(tx);
    await endOpened(tx, id, 'all', now);
  });
}

/**
 * Ends access after the mailed sign-in link that proved the address; the library has ended
 * sessions, password and providers.
 */
export async function endForFirstLink(db: Db, id: string, now: number): Promise<void> {
  await inTransaction(db, (tx) => endOpened(tx, id, 'all', now));
}
