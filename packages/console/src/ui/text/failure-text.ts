/** Turns an error into interface text: what happened, and what to do about it. */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';

export const UNREACHABLE = 'Couldn’t reach the server. Check your connection, then try again.';

const MISSING_SCRIPT =
  'Couldn’t load part of the console. The server is unreachable or has a newer version. Reload the page once the server answers.';

/** Advice for users about an error, by its code. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  // databases of this device
  CORRUPT:
    'Stored data is damaged. Nothing was overwritten. Other devices that sync with this database may still have the data.',
  DATABASE_CLOSED: 'The database was closed or deleted, perhaps in another tab. Reload the page.',
  FORMAT_NEWER: 'A newer version of Fixpoint wrote this data. Reload the page to get that version.',
  HISTORY_COMPACTED: 'Compaction removed older versions on this device. Other devices may still have them.',
  KEY_UNKNOWN:
    'This browser doesn’t have the key of this database. Open the database in a browser that can read it.',
  LEDGER_NOT_COMPARED: 'Confirm the list of members first, or ask a member to approve this device.',
  STORE_FAILED: 'The browser couldn’t store the data. Try again; if that doesn’t help, reload the page.',
  STORE_FULL:
    'This browser’s storage is full. Delete data you no longer need, or free disk space, then try again.',
  STORE_LOCKED: 'Close other pages that use this database, then try again.',
  STORE_UNREADABLE:
    'The browser couldn’t open its storage. If this is a private window, the browser may block storage. If not, reload the page.',
  WORKER_LOST: 'Reload the page. Saved data is safe.',
  // the cloud
  CONFIRM_IDENTITY: 'Sign out, sign in again, then try again within 15 minutes.',
  EMAIL_UNVERIFIED: 'Open the link that we sent you, then try again.',
  HTTP: 'Try again in a moment. If it keeps failing, contact the operator of this server.',
  INVITE_ENDED: 'Ask for a new invitation.',
  INVITE_EXPIRED: 'Ask for a new invitation.',
  LIMIT_REACHED:
    'Delete something that counts towards this limit, or ask the operator of this server to raise it.',
  NO_TOKEN: 'Sign in again.',
  NOT_SIGNED_IN: 'Sign in again.',
  RATE_LIMITED: 'Wait a minute, then try again.',
  SECOND_FACTOR_NEEDED: 'Sign out, then sign in with your second step or a passkey.',
};

/** Codes whose advice also says what happened. The reason names parts that users don't know. */
const SAID_BY_ADVICE: ReadonlySet<ErrorCode> = new Set(['STORE_FULL', 'STORE_UNREADABLE']);

/** Returns the reason for an error, and advice on what to do if there is any. */
export function failureText(error: unknown): string {
  const reason = reasonOf(error);
  if (!(error instanceof FixpointError)) return reason;
  // The network error itself helps people least, so it is last.
  if (error.code === 'FETCH') return `${UNREACHABLE} (${reason})`;
  const advice = ADVICE[error.code];
  if (advice === undefined) return reason;
  if (SAID_BY_ADVICE.has(error.code)) return advice;
  return `${reason}${/[.!?]$/.test(reason) ? '' : '.'} ${advice}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof FixpointError) {
    // A rejection by the server carries its reason as the cause; other answers only have a status.
    return typeof error.cause === 'string' && error.code !== 'HTTP' ? error.cause : error.message;
  }
  return isMissingScript(error) ? MISSING_SCRIPT : error.message;
}

/** Returns whether a lazily loaded script failed to load. */
const isMissingScript = (error: Error): boolean =>
  error instanceof TypeError && /dynamically imported|module script/i.test(error.message);
