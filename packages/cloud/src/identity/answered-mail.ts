/**
 * What ends when somebody answers a mail. Who signed up may have typed the address of somebody else: of an account whose address nobody proved, all that was
 * opened before the first answer may be a stranger's (decision 0107).
 */
import { sql } from 'kysely';
import { type Db, inTransaction } from '../tables/database.ts';
import { endOpened } from './end-access.ts';

/**
 * Runs after a password was chosen by a mailed link, which proves the address too. Whoever lost a password may have lost
 * everything that it opened: sessions, devices and API tokens end.
 */
export async function endForNewPassword(db: Db, id: string, now: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`delete from session where "userId" = ${id}`.execute(tx);
    const { rows: proven } = await sql`
      update "user" set "emailVerified" = true where id = ${id} and "emailVerified" = false returning id`.execute(
      tx,
    );
    const isFirst = proven.length > 0;
    // A provider that did not vouch for the address may have let a stranger in with it.
    if (isFirst)
      await sql`delete from account where "userId" = ${id} and "providerId" <> 'credential'`.execute(tx);
    await endOpened(tx, id, 'all', now);
  });
}

/** After a mailed link signed in by which the address was proven; the library has ended sessions, password and providers. */
export async function endForFirstLink(db: Db, id: string, now: number): Promise<void> {
  await inTransaction(db, (tx) => endOpened(tx, id, 'all', now));
}
