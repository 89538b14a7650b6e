/**
 * Counts mails sent per subject and period. They are rows, so that counts survive restarts and
 * several gateways share them.
 */
import { sql } from 'kysely';
import type { Connection } from '../connection.ts';

export interface MailCount {
  /** The sender or recipient; never a plain address. */
  readonly subject: string;
  /** A day or an hour, as the beginning of an ISO timestamp. */
  readonly period: string;
  readonly max: number;
}

/**
 * Counts a mail in all counts, or in none. Returns the first count that is at its maximum;
 * undefined when the mail was counted.
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
 * Adds one to a count below its maximum. Compares and adds in one statement, since several gateways
 * may count in parallel.
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

/** Forgets periods that began before `oldest`. */
export async function removeMailCountsBefore(db: Connection, oldest: string): Promise<void> {
  await db.deleteFrom('MailCounts').where('period', '<', oldest).execute();
}
