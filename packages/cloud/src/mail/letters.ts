/**
 * Creates mails, as text and as HTML. Both forms are built from the same lines, so their content
 * can't differ.
 */
import type { Mail } from './mailer.ts';

interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly lines: readonly string[];
  /** Label and target of the one button. */
  readonly action: { readonly label: string; readonly url: string };
  readonly after: readonly string[];
}

export const verifyLetter = (to: string, url: string): Mail =>
  compose({
    to,
    subject: 'Verify your email address',
    lines: ['Open this link to verify your address:'],
    action: { label: 'Verify address', url },
    after: ["The link expires in 24 hours. If you didn't sign up, ignore this mail."],
  });

export const resetLetter = (to: string, url: string): Mail =>
  compose({
    to,
    subject: 'Choose a new password',
    lines: ['We received a request for a new password. Open this link to choose one:'],
    action: { label: 'Choose a password', url },
    after: [
      "The link works once, and expires in one hour. If you didn't request it, ignore this mail: your password doesn't change.",
    ],
  });

export const signInLetter = (to: string, url: string): Mail =>
  compose({
    to,
    subject: 'Your sign-in link',
    lines: ['Open this link to sign in:'],
    action: { label: 'Sign in', url },
    after: ["The link works once, and expires in five minutes. If you didn't request it, ignore this mail."],
  });

/** Creates the mail that replaces a sign-in link if the account has a second factor. */
export const passwordLetter = (to: string, url: string): Mail =>
  compose({
    to,
    subject: 'Sign in with your second factor',
    lines: [
      "We received a request for a sign-in link. Your account has a second factor, so a link alone can't sign you in.",
    ],
    action: { label: 'Sign in with your password or passkey', url },
    after: ["If you didn't request it, ignore this mail."],
  });

export const approvedLetter = (to: string, url: string): Mail =>
  compose({
    to,
    subject: 'Your account was approved',
    lines: ['You are no longer on the waitlist: sign in to start.'],
    action: { label: 'Open Fixpoint', url },
    after: ["If you didn't sign up, ignore this mail."],
  });

/** The new credential that acts for the user. */
export interface NewAccess {
  readonly kind: 'device' | 'token';
  readonly name: string;
}

export function accessLetter(to: string, { kind, name }: NewAccess, url: string): Mail {
  const what = kind === 'device' ? 'A device was signed in' : 'An API token was created';
  return compose({
    to,
    subject: `${what} for your account`,
    lines: [`${what} for your account: "${harmless(name)}".`],
    action: { label: 'Open your account', url },
    after: [
      "If this was you, you don't need to do anything. If it wasn't, revoke it in your account, sign out everywhere, and change your password.",
    ],
  });
}

export interface InviteLetter {
  readonly to: string;
  readonly inviter: string;
  /** Name of the tenant, or of the database. */
  readonly place: string;
  readonly kind: 'tenant' | 'ledger';
  readonly may: 'admin' | 'member' | 'read' | 'write';
  readonly url: string;
  /** Whether the link proves the address. */
  readonly proves: boolean;
  /** ISO text. */
  readonly expiresAfter: string;
}

const MAY = {
  admin: 'as an admin',
  member: 'as a member',
  read: 'to read it',
  write: 'to read and write it',
} as const;

export function inviteLetter({
  to,
  inviter,
  place,
  kind,
  may,
  url,
  proves,
  expiresAfter,
}: InviteLetter): Mail {
  const what = kind === 'tenant' ? 'the tenant' : 'the database';
  const [who, where] = [harmless(inviter), harmless(place)];
  return compose({
    to,
    subject: `${who} invites you to ${where}`,
    lines: [
      `${who} invites you to ${what} "${where}" on Fixpoint, ${MAY[may]}.`,
      `Open this link to accept or reject the invitation.${proves ? ' If you have no account yet, you create one there.' : ''}`,
    ],
    action: { label: 'Open the invitation', url },
    after: [
      `The invitation expires on ${expiresAfter.slice(0, 10)}. ${proves ? "The link proves that this address is yours, so don't forward it. " : ''}If you don't know ${who}, ignore this mail.`,
    ],
  });
}

/** Appends a link for refusing further mail. */
export function withRefusal(mail: Mail, refuseUrl: string): Mail {
  const line = 'To stop all mail from this server to this address, open';
  const link = `<a href="${escaped(refuseUrl)}">this page</a>`;
  return {
    ...mail,
    refuseUrl,
    text: `${mail.text}\n\n${line}: ${refuseUrl}`,
    html: mail.html.replace(END, `<p style="font-size:13px;color:#52525b">${line} ${link}.</p>\n${END}`),
  };
}

/** Makes a user-chosen name harmless: one line that mail programs don't turn into a link. */
const harmless = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/:\/\//g, ' ')
    .replace(/(\w)\.(?=\w)/g, '$1\u2024')
    .trim()
    .slice(0, 60);

function compose({ to, subject, lines, action, after }: Letter): Mail {
  const text = [...lines, action.url, ...after].join('\n\n');
  return { to, subject, text, html: page(subject, lines, action, after) };
}

const END = '</div>\n</body>';
const BODY = 'margin:0;padding:24px;background:#f4f4f5;font:16px/1.5 system-ui,sans-serif;color:#18181b';
const CARD = 'max-width:520px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px';
const BUTTON =
  'display:inline-block;padding:12px 20px;background:#18181b;color:#ffffff;border-radius:6px;text-decoration:none';

/**
 * Returns the HTML of a mail. It contains no scripts or images, and no link except the button's.
 */
function page(
  title: string,
  lines: readonly string[],
  { label, url }: Letter['action'],
  after: readonly string[],
): string {
  const paragraphs = (texts: readonly string[]) => texts.map((line) => `<p>${escaped(line)}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title></head>
<body style="${BODY}">
<div style="${CARD}">
${paragraphs(lines)}
<p><a href="${escaped(url)}" style="${BUTTON}">${escaped(label)}</a></p>
<p style="font-size:13px;color:#52525b;word-break:break-all">${escaped(url)}</p>
${paragraphs(after)}
</div>
</body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (found) => ESCAPES[found] ?? found);
