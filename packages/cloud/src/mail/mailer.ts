export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mails. An address and a subject are one line each, whatever they are given as. */
export interface Mailer {
  /** Resolves when the mail is where it was to be brought: accepted by the mail server, or written. */
  send(mail: Mail): Promise<void>;
}

/** A line break in a header would begin another one. */
export const oneLine = (value: string) => value.replace(/[\r\n]+/g, ' ');
