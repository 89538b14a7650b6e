import type { Connection } from '../connection.ts';
import { newId } from '../new-row.ts';

/** A mail that the mail server didn't accept, without its text. */
export interface FailedMail {
  readonly receiver: string;
  readonly subject: string;
  readonly reason: string;
  readonly failedAt: string;
}

const REASON_CHARS_MAX = 300;

export async function insertFailedMail(db: Connection, mail: FailedMail): Promise<void> {
  const reason = mail.reason.slice(0, REASON_CHARS_MAX);
  await db
    .insertInto('FailedMails')
    .values({ ...mail, reason, mailId: newId() })
    .execute();
}

/** Returns failed mails, newest first. */
export async function listFailedMails(db: Connection, limit: number) {
  return db
    .selectFrom('FailedMails')
    .selectAll()
    .orderBy('failedAt', 'desc')
    .orderBy('mailId')
    .limit(limit)
    .execute();
}

/** Removes records before a time. */
export async function removeFailedMailsBefore(db: Connection, oldest: string): Promise<void> {
  await db.deleteFrom('FailedMails').where('failedAt', '<', oldest).execute();
}
