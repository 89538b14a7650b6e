/**
 * What ends when somebody answers a mail. Who signed up may have typed the address of somebody else: of an account whose address nobody proved, all that was
 * opened before the first answer may be a stranger's (decision 0107).
 */
import { sql } from 'kysely';
import { removeAllApiTokens, removeDeviceTokens } from '../tables/api-tokens.ts';
import { type Connection, type Db, inTransaction } from '../tables/database.ts';
import { removeLoginCodes } from '../tables/login-codes.ts';
import { timestamp } from '../tables/new-row.ts';
import { putSignOut } from '../tables/sign-outs.ts';
import { getUserByProvider } from '../tables/users.ts';
import { TYPE } from './session-rules.ts';

/** After a password was chosen by a mailed link: that proves the address, too. Who lost a password may have lost a session with it. */
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
    await endOpened(tx, id, isFirst, now);
  });
}

/** After a mailed link signed in by which the address was proven; the library has ended sessions, password and providers. */
export async function endForFirstLink(db: Db, id: string, now: number): Promise<void> {
  await inTransaction(db, (tx) => endOpened(tx, id, true, now));
}

/** What the account opened in the product: devices, and cloud tokens, which last an hour and are not extended; of a stranger's time the tokens of programs, too. */
async function endOpened(tx: Connection, id: string, isFirst: boolean, now: number): Promise<void> {
  const user = await getUserByProvider(tx, TYPE, id);
  if (user === undefined) return;
  const { userId } = user;
  await (isFirst ? removeAllApiTokens : removeDeviceTokens)(tx, userId);
  await removeLoginCodes(tx, userId);
  await putSignOut(tx, userId, timestamp(now));
}
