/** Commands that let an operator change the waitlist while a server runs. */
import { join, resolve } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { CloudConfig } from './config.ts';
import { approvedLetter } from './mail/letters.ts';
import { hashOfMailbox, mailboxOf } from './mail/mailbox.ts';
import { outboxMailer } from './mail/outbox.ts';
import { smtpMailer } from './mail/smtp.ts';
import { openToChange, recordCommand } from './operate-tables.ts';
import { hasMailRefusal } from './tables/accounts/mail-refusals.ts';
import { approveWaiting, listWaiting } from './tables/accounts/user-rows.ts';
import { inTransaction } from './tables/connection.ts';
import { timestamp } from './tables/new-row.ts';
import { SERVER } from './tables/tenants/audit-records.ts';

export interface Waiting {
  readonly userId: string;
  readonly email: string;
  /** ISO text. */
  readonly since: string;
}

export async function waitlist(config: CloudConfig): Promise<Waiting[]> {
  const { db } = await openToChange(config);
  try {
    return (await listWaiting(db)).map((row) => ({ ...row, email: row.email ?? '' }));
  } finally {
    await db.destroy();
  }
}

/**
 * Admits people and notifies them by mail.
 * @param wanted addresses or ids; undefined for everybody on the waitlist
 * @throws FixpointError NOT_FOUND for a user who isn't on the waitlist. In this case, nobody is
 * admitted
 */
export async function approveWaitlist(
  config: CloudConfig,
  wanted: readonly string[] | undefined,
): Promise<Waiting[]> {
  const data = resolve(config.data);
  const { db } = await openToChange(config);
  const now = () => Date.now();
  const outbox = outboxMailer(join(data, 'outbox'), now, () => undefined);
  // Mails that the mail server rejects are written to the outbox.
  const smtp = config.smtp && smtpMailer({ ...config.smtp, fallback: outbox, report: () => undefined });
  try {
    const approved = await inTransaction(db, async (tx) => {
      const waiting = (await listWaiting(tx)).map((row) => ({ ...row, email: row.email ?? '' }));
      const isMeant = ({ userId, email }: Waiting, text: string) =>
        text === userId || text.trim().toLowerCase() === email;
      const missing = wanted?.find((text) => !waiting.some((row) => isMeant(row, text)));
      if (missing !== undefined) throw new FixpointError('NOT_FOUND', `${missing} is not on the waitlist`);
      const chosen = waiting.filter((row) => wanted?.some((text) => isMeant(row, text)) ?? true);
      for (const { userId } of chosen) await approveWaiting(tx, userId, timestamp(now()));
      const userIds = chosen.map(({ userId }) => userId);
      if (userIds.length > 0) await recordCommand(tx, 'reqApproveWaiting', SERVER, { userIds });
      return chosen;
    });
    const consoleUrl = `${config.publicUrl ?? `http://localhost:${config.port}`}${config.basePath}/fp/cloud`;
    for (const { email } of approved)
      if (email !== '' && !(await hasMailRefusal(db, hashOfMailbox(mailboxOf(email)))))
        await (smtp ?? outbox).send(approvedLetter(email, consoleUrl));
    return approved;
  } finally {
    smtp?.close();
    await db.destroy();
  }
}
