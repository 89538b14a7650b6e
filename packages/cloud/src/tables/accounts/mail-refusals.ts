import type { Connection } from '../connection.ts';

export async function putMailRefusal(db: Connection, mailbox: string, refusedAt: string): Promise<void> {
  await db
    .insertInto('MailRefusals')
    .values({ mailbox, refusedAt })
    .onConflict((conflict) => conflict.column('mailbox').doNothing())
    .execute();
}

export async function removeMailRefusal(db: Connection, mailbox: string): Promise<void> {
  await db.deleteFrom('MailRefusals').where('mailbox', '=', mailbox).execute();
}

export async function hasMailRefusal(db: Connection, mailbox: string): Promise<boolean> {
  const row = await db
    .selectFrom('MailRefusals')
    .select('mailbox')
    .where('mailbox', '=', mailbox)
    .executeTakeFirst();
  return row !== undefined;
}
