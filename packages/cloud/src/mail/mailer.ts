export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The page on which the receiver refuses further mail. */
  readonly refuseUrl?: string;
}

/** Sends mails. Reduces addresses and subjects to one line. */
export interface Mailer {
  /** Resolves when the mail server has accepted the mail, or the file is written. */
  send(mail: Mail): Promise<void>;
}

/** Returns the text as one line, because a line break in a header would start another header. */
export const oneLine = (value: string) => value.replace(/[\r\n]+/g, ' ');

/** Returns headers that let mail programs offer to unsubscribe (RFC 2369, RFC 8058). */
export const refusalHeaders = ({ refuseUrl }: Mail): Readonly<Record<string, string>> =>
  refuseUrl === undefined
    ? {}
    : {
        'List-Unsubscribe': `<${oneLine(refuseUrl)}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      };
