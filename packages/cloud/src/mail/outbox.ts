import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Mailer, oneLine, refusalHeaders } from './mailer.ts';

/**
 * Writes mails as files to a folder, for a server without a mail service.
 * @param note receives the subject and path of a mail, never its text, because links in the text
 * are secrets
 */
export function outboxMailer(
  folder: string,
  now: () => number,
  note: (mail: { readonly subject: string; readonly file: string }) => void,
): Mailer {
  return {
    send: async (mail) => {
      const { to, subject, text } = mail;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const time = new Date(now()).toISOString().replace(/[:.]/g, '-');
      const file = join(folder, `${time}-${randomBytes(4).toString('hex')}.eml`);
      const headers = { To: oneLine(to), Subject: oneLine(subject), ...refusalHeaders(mail) };
      const head = Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\n`)
        .join('');
      await writeFile(file, `${head}\n${text}\n`, { mode: 0o600, flag: 'wx' });
      note({ subject, file });
    },
  };
}
