/** What a failure means for sync: whether a new token may help, whether the remote refuses, or whether trying again is enough. */
import { type ErrorCode, FixpointError, isFixpointError } from '@fixpoint/protocol';

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'AUTH_JWK_REQUIRED',
  'FORBIDDEN',
  'LEDGER_KIND',
  'LIMIT_REACHED',
  'NOT_FOUND',
  'NOT_IMPLEMENTED',
  'NOT_SIGNED_IN',
  'NO_TOKEN',
]);

/** The remote understood, and does not want to: it will say the same until somebody changes a right or a token. */
export const isRefusal = (error: FixpointError | undefined): boolean =>
  error !== undefined && REFUSALS.has(error.code);

/** The token is at fault, as far as the remote says. */
export const isTokenRefusal = (cause: unknown): boolean =>
  cause instanceof FixpointError && (cause.code === 'NOT_SIGNED_IN' || cause.code === 'AUTH_JWK_REQUIRED');

/** The failure as one of the dialect; what an application's own function threw counts as a failure to fetch. */
export const asFailure = (cause: unknown): FixpointError =>
  cause instanceof FixpointError
    ? cause
    : new FixpointError('FETCH', cause instanceof Error ? cause.message : String(cause), { cause });

/** Objects that the remote names when it rejects an entry because they are missing. */
export const missingObjects = (cause: unknown): readonly string[] =>
  isFixpointError(cause, 'MISSING_CARS')
    ? ((cause.cause as { readonly objects?: readonly string[] } | undefined)?.objects ?? [])
    : [];
