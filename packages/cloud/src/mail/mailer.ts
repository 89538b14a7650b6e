export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The page on which the receiver refuses further mail. */
  readonly refuseUrl?: string;
}

/** Sends mails. An address and a subject are forced to one line each. */
export interface Mailer {
  /** Resolves when the mail is delivered: accepted by the mail server, or written. */
  send(mail: Mail): Promise<void>;
}

/** A line break in a header would start another one. */
export const oneLine = (value: string) => value.replace(/[\r\n]+/g, ' ');

/** Returns headers that let mail programs offer to unsubscribe (RFC 2369, RFC 8058). */
export const refusalHeaders = ({ refuseUrl }: Mail): Readonly<Record<string, string>> =>
  refuseUrl === undefined
    ? {}
    : {
        'List-Unsubscribe': `<${oneLine(refuseUrl)}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      };
