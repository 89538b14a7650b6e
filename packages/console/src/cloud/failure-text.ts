/** Turns a failed call into interface text: the reason, and what to do about it. */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import { reasonFor } from '@fixpoint/protocol/admin';
import { missingScript } from '../ui/pages/missing-script.ts';

const ADVICE: Partial<Record<ErrorCode, string>> = {
  FETCH: 'The server cannot be reached. Check the connection and try again.',
  HTTP: 'Try again in a moment; if it stays so, tell the operator of this server.',
  EMAIL_UNVERIFIED: 'Open the link that we sent you, then try again.',
  INVITE_ENDED: 'Ask for a new invitation.',
  INVITE_EXPIRED: 'Ask for a new invitation.',
  LIMIT_REACHED: 'Delete one that is no longer needed, or ask the operator of this server for more.',
  NO_TOKEN: 'Sign in again.',
  NOT_SIGNED_IN: 'Sign in again.',
  CONFIRM_IDENTITY: 'Sign out, sign in again, and do it within 15 minutes.',
  SECOND_FACTOR_NEEDED: 'Sign out, then sign in with your second step or with a passkey.',
  RATE_LIMITED: 'Wait a minute, then try again.',
};

export function failureText(error: unknown): string {
  const reason = reasonOf(error);
  // The network error itself helps people least, so it comes last.
  if (error instanceof FixpointError && error.code === 'FETCH') return `${ADVICE.FETCH} (${reason})`;
  const advice = error instanceof FixpointError ? ADVICE[error.code] : undefined;
  if (advice === undefined) return reason;
  return `${reason}${/[.!?]$/.test(reason) ? '' : '.'} ${advice}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof FixpointError) return error.code === 'HTTP' ? error.message : reasonFor(error);
  return missingScript(error) ?? (error instanceof Error ? error.message : String(error));
}
