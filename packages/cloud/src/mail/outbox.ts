import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  send(mail: Mail): Promise<void>;
}

/** Mails as files of a folder, for a server without a mail service. */
export function outboxMailer(folder: string, now: () => number): Mailer {
  return {
    send: async ({ to, subject, text }) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date(now()).toISOString().replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.eml`;
      const oneLine = (value: string) => value.replace(/[\r\n]+/g, ' ');
      await writeFile(join(folder, name), `To: ${oneLine(to)}\nSubject: ${oneLine(subject)}\n\n${text}\n`, {
        mode: 0o600,
      });
    },
  };
}
