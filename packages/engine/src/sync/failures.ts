/**
 * Classifies failures for sync: whether a new token may help, whether the remote refuses, or
 * whether a retry is enough.
 */
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

/**
 * Returns whether the remote understood the request and refused it. A retry won't help until
 * somebody changes a right or a token.
 */
export const isRefusal = (error: FixpointError | undefined): boolean =>
  error !== undefined && REFUSALS.has(error.code);

/** Returns whether the remote rejects the token. */
export const isTokenRefusal = (cause: unknown): boolean =>
  cause instanceof FixpointError && (cause.code === 'NOT_SIGNED_IN' || cause.code === 'AUTH_JWK_REQUIRED');

/**
 * Returns the failure as a FixpointError. An error of another type, such as one of the
 * application's token function, becomes FETCH.
 */
export const asFailure = (cause: unknown): FixpointError =>
  cause instanceof FixpointError
    ? cause
    : new FixpointError('FETCH', cause instanceof Error ? cause.message : String(cause), { cause });

/** Returns the missing objects that the remote names when it rejects an entry. */
export const missingObjects = (cause: unknown): readonly string[] =>
  isFixpointError(cause, 'MISSING_CARS')
    ? ((cause.cause as { readonly objects?: readonly string[] } | undefined)?.objects ?? [])
    : [];
