/**
 * Counts sent mails per subject and period. The counts are rows, so they survive restarts and all
 * gateways share them.
 */
import { sql } from 'kysely';
import type { Connection } from '../connection.ts';

export interface MailCount {
  /** The sender or recipient; never a plain address. */
  readonly subject: string;
  /** A day or an hour, as the first part of an ISO timestamp. */
  readonly period: string;
  readonly max: number;
}

/**
 * Adds a mail to all counts, or to none if a count is at its maximum. Returns the count that is at
 * its maximum, or undefined if the mail was counted.
 */
export async function takeMail(db: Connection, counts: readonly MailCount[]): Promise<MailCount | undefined> {
  const taken: MailCount[] = [];
  for (const count of counts) {
    if (await add(db, count)) {
      taken.push(count);
      continue;
    }
    for (const one of taken) await giveBack(db, one);
    return count;
  }
  return undefined;
}

/**
 * Adds one to a count below its maximum, in one statement because several gateways may count in
 * parallel.
 */
async function add(db: Connection, { subject, period, max }: MailCount): Promise<boolean> {
  if (max <= 0) return false;
  const row = await db
    .insertInto('MailCounts')
    .values({ subject, period, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['subject', 'period'])
        .doUpdateSet({ count: sql<number>`"MailCounts"."count" + 1` })
        .where('MailCounts.count', '<', max),
    )
    .returning('count')
    .executeTakeFirst();
  return row !== undefined;
}

async function giveBack(db: Connection, { subject, period }: MailCount): Promise<void> {
  await db
    .updateTable('MailCounts')
    .set((set) => ({ count: set('count', '-', 1) }))
    .where('subject', '=', subject)
    .where('period', '=', period)
    .execute();
}

/** Deletes periods that began before `oldest`. */
export async function removeMailCountsBefore(db: Connection, oldest: string): Promise<void> {
  await db.deleteFrom('MailCounts').where('period', '<', oldest).execute();
}
