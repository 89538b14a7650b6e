/**
 * Ends access when a user follows a mailed link. The person who signed up may have typed somebody
 * else's address. Until somebody verifies the address of an account, everybody with access to the
 * account may be a stranger (decision 0107).
 */
import { sql } from 'kysely';
import { type Db, inTransaction } from '../tables/connection.ts';
import { endOpened } from './end-access.ts';

/**
 * Ends access after the user chose a password by a mailed link, which also verifies the address.
 * Somebody may have used a stolen password, so sessions, devices and API tokens end.
 */
export async function endForNewPassword(db: Db, id: string, now: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`delete from session where "userId" = ${id}`.execute(tx);
    const { rows: proven } = await sql`
      update "user" set "emailVerified" = true where id = ${id} and "emailVerified" = false returning id`.execute(
      tx,
    );
    const isFirst = proven.length > 0;
    // A provider that didn't verify the address may have signed in a stranger.
    if (isFirst)
      await sql`delete from account where "userId" = ${id} and "providerId" <> 'credential'`.execute(tx);
    await endOpened(tx, id, 'all', now);
  });
}

/**
 * Ends access after a mailed sign-in link verified the address. The library itself deletes the
 * sessions, the password, and the accounts at providers.
 */
export async function endForFirstLink(db: Db, id: string, now: number): Promise<void> {
  await inTransaction(db, (tx) => endOpened(tx, id, 'all', now));
}
