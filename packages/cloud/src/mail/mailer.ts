export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where the receiver refuses further mail. */
  readonly refuseUrl?: string;
}

/** Sends mails. An address and a subject are one line each, whatever they are given as. */
export interface Mailer {
  /** Resolves when the mail is where it was to be brought: accepted by the mail server, or written. */
  send(mail: Mail): Promise<void>;
}

/** A line break in a header would begin another one. */
export const oneLine = (value: string) => value.replace(/[\r\n]+/g, ' ');

/** Headers by which mail programs offer to unsubscribe (RFC 2369, RFC 8058). */
export const refusalHeaders = ({ refuseUrl }: Mail): Readonly<Record<string, string>> =>
  refuseUrl === undefined
    ? {}
    : {
        'List-Unsubscribe': `<${oneLine(refuseUrl)}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      };
