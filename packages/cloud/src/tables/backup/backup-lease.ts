/**
 * Lets one backup run at a time, and keeps all objects while it runs. The backup first takes the
 * lease, then reads the rows, then copies the objects. Removals that are decided after the rows
 * were read see the lease. So each object that these rows need is still there when the backup
 * copies it.
 */
import { type Connection, type Db, inTransaction } from '../connection.ts';
import { timestamp } from '../new-row.ts';

/**
 * Milliseconds until a lease expires, unless it is renewed. Longer than a killed backup should keep
 * others waiting for, and far longer than clocks of processes differ.
 */
const LEASE_MS = 180_000;
const NAME = 'backup';

/** Takes the lease. Resolves to false if another backup has it. */
export const takeBackupLease = (db: Db, holder: string, now: number): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    await tx.deleteFrom('BackupLeases').where('expiresAt', '<=', timestamp(now)).execute();
    const row = await tx
      .insertInto('BackupLeases')
      .values({ name: NAME, holder, expiresAt: timestamp(now + LEASE_MS) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('name')
      .executeTakeFirst();
    return row !== undefined;
  });

/**
 * Extends the lease. Resolves to false if it has expired, so that objects may have been removed.
 */
export async function renewBackupLease(db: Db, holder: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('BackupLeases')
    .set({ expiresAt: timestamp(now + LEASE_MS) })
    .where('holder', '=', holder)
    .where('expiresAt', '>', timestamp(now))
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

export async function endBackupLease(db: Db, holder: string): Promise<void> {
  await db.deleteFrom('BackupLeases').where('holder', '=', holder).execute();
}

/** Returns whether a backup runs, so that no object may be removed. */
export async function isBackupRunning(db: Connection, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('BackupLeases')
    .select('name')
    .where('expiresAt', '>', timestamp(now))
    .executeTakeFirst();
  return row !== undefined;
}
