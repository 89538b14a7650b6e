import { createTransport } from 'nodemailer';
import { type Mail, type Mailer, oneLine, refusalHeaders } from './mailer.ts';

const TIMEOUT_MS = 10_000;

export interface SmtpParts {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the first byte. */
  readonly url: string;
  /** The sender that receivers see, such as `Fixpoint <no-reply@example.com>`. */
  readonly from: string;
  /** Receives mails that the mail server did not accept, so that an operator can find them. */
  readonly fallback: Mailer;
  readonly report: (error: unknown) => void;
  /** Called with each mail that the mail server accepted or didn't accept. */
  readonly onMail?: (outcome: 'sent' | 'failed') => void;
  /** Records a mail that the mail server didn't accept. Never rejects. */
  readonly onFailure?: (mail: Mail, cause: unknown) => Promise<void>;
}

export interface SmtpMailer extends Mailer {
  close(): void;
}

/**
 * Sends mails through a mail server. Sends the password only over TLS, or to this machine. Retries
 * a rejected mail once, then passes it to the fallback and reports the failure.
 */
export function smtpMailer({ url, from, fallback, report, onMail, onFailure }: SmtpParts): SmtpMailer {
  const { hostname, username } = new URL(url);
  const isHere = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  const transport = createTransport({
    url,
    requireTLS: username !== '' && !isHere,
    ignoreTLS: isHere,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (given) => {
      const { to, subject, text, html } = given;
      // An address object is one receiver. A text could contain several receivers.
      const address = { name: '', address: oneLine(to) };
      const headers = { ...refusalHeaders(given) };
      const mail = { from, to: address, subject: oneLine(subject), text, html, headers };
      try {
        await transport.sendMail(mail).catch(() => transport.sendMail(mail));
        onMail?.('sent');
      } catch (cause) {
        onMail?.('failed');
        report(cause);
        await onFailure?.(given, cause);
        await fallback.send(given);
      }
    },
    close: () => transport.close(),
  };
}
