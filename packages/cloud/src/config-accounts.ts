/** The part of the configuration that is about people: who may come, and how they are mailed. */
import { FixpointError } from '@fixpoint/protocol';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether whoever signs up is in at once, waits until an operator lets him in, or is refused. */
export type SignUp = 'open' | 'waitlist' | 'closed';

export interface SmtpConfig {
  readonly url: string;
  readonly from: string;
}

/** Undefined without a mail server. A value may hold a password, so it isn't repeated. @throws FixpointError CONFIG_INVALID */
export function smtpFrom(env: Environment): SmtpConfig | undefined {
  const text = env['SMTP_URL'];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    return refuse('SMTP_URL is no address such as smtp://user:password@mail.example.com:587');
  const from = env['MAIL_FROM'] || `Fixpoint <no-reply@${url.hostname}>`;
  return /^[^<>\r\n]*<[^@\s<>]+@[^@\s<>]+>$|^[^@\s<>]+@[^@\s<>]+$/.test(from)
    ? { url: text, from }
    : refuse('MAIL_FROM is no address such as Fixpoint <no-reply@example.com>');
}

const refuse = (why: string): never => {
  throw new FixpointError('CONFIG_INVALID', why);
};
