/**
 * Lets one backup run at a time, and keeps all objects while it runs. The backup first takes the
 * lease, then reads the rows, then copies the objects. Removals that are decided after the rows
 * were read see the lease. So each object that these rows need is still there when the backup
 * copies it.
 */
import { type ExpressionBuilder, PostgresAdapter, sql } from 'kysely';
import { type Connection, type Db, inTransaction } from '../connection.ts';
import { timestamp } from '../new-row.ts';
import type { Schema } from '../schema.ts';

/**
 * Milliseconds until a lease expires, unless it is renewed. Longer than a killed backup should keep
 * others waiting for, and far longer than clocks of processes differ.
 */
const LEASE_MS = 180_000;
const NAME = 'backup';

/**
 * Returns the time that counts for leases. Processes that share a PostgreSQL server use its clock,
 * because their own clocks may differ.
 */
async function clockOf(db: Connection, now: number): Promise<number> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return now;
  const { rows } = await sql<{
    ms: number;
  }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
  return Math.floor(rows[0]?.ms ?? now);
}

/**
 * Returns whether a lease is valid. A lease that ends far in the future was taken while the clock
 * was wrong, and would otherwise block all backups and removals until then.
 */
const isValid = (now: number) => (eb: ExpressionBuilder<Schema, 'BackupLeases'>) =>
  eb.and([eb('expiresAt', '>', timestamp(now)), eb('expiresAt', '<=', timestamp(now + 2 * LEASE_MS))]);

/** Takes the lease. Resolves to false if another backup has it. */
export const takeBackupLease = (db: Db, holder: string, now: number): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const time = await clockOf(tx, now);
    await tx
      .deleteFrom('BackupLeases')
      .where((eb) => eb.not(isValid(time)(eb)))
      .execute();
    const row = await tx
      .insertInto('BackupLeases')
      .values({ name: NAME, holder, expiresAt: timestamp(time + LEASE_MS) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('name')
      .executeTakeFirst();
    return row !== undefined;
  });

/**
 * Extends the lease. Resolves to false if it has expired, so that objects may have been removed.
 */
export async function renewBackupLease(db: Db, holder: string, now: number): Promise<boolean> {
  const time = await clockOf(db, now);
  const row = await db
    .updateTable('BackupLeases')
    .set({ expiresAt: timestamp(time + LEASE_MS) })
    .where('holder', '=', holder)
    .where(isValid(time))
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
    .where(isValid(await clockOf(db, now)))
    .executeTakeFirst();
  return row !== undefined;
}
