import { type ErrorCode, FieldError, FixpointError, isFixpointError } from '@fixpoint/protocol';
import { errorMessage } from '@fixpoint/protocol/storage';
import { RateLimited } from '../limits/rate-limiter.ts';
import type { Answer } from './gateway-types.ts';

/** Creates an error with the text that existing clients expect. */
export function refuse(code: ErrorCode, text: string): FixpointError {
  const error = new FixpointError(code);
  error.message = text;
  return error;
}

/**
 * Creates the error for an unknown message type, or for an open request without an id, with the
 * text that existing clients expect.
 */
export function unexpectedMessage(path: string): FieldError {
  const error = new FieldError(path, 'is required');
  error.message = UNEXPECTED;
  return error;
}
const UNEXPECTED = 'unexpected message';

/** Field paths of errors whose texts the specification fixes. */
const PATHS: Partial<Record<string, string>> = {
  INVALID_STORE_TYPE: 'methodParam.store',
  STORE_MISMATCH: 'urlParam.store',
};

/**
 * Returns an answer that the client can act on. It contains neither the token nor internal details.
 */
export function refusalAnswer(body: unknown, cause: unknown): Answer {
  const request = typeof body === 'object' && body !== null ? body : undefined;
  if (!isFixpointError(cause)) return errorMessage(request, 'internal error', undefined);
  const { objects } = (cause.cause ?? {}) as { readonly objects?: readonly string[] };
  const isOfObjects = cause.code === 'MISSING_CARS' && objects !== undefined;
  const path = cause instanceof FieldError ? cause.path : PATHS[cause.code];
  return {
    ...errorMessage(request, cause.message, cause.code),
    ...(path && { path }),
    ...(cause instanceof RateLimited && { retryAfter: cause.retryAfterSeconds }),
    ...(isOfObjects && { objects }),
  };
}

/**
 * The first server of this protocol answers each of these errors with status 500, and existing
 * clients were written for that server. The list is closed: a new code gets a more specific status.
 */
const EXISTING: ReadonlySet<unknown> = new Set<ErrorCode>([
  'AUTH_JWK_REQUIRED',
  'NOT_SIGNED_IN',
  'NO_CONNECTION',
  'NOT_FOUND',
]);

const STATUS_BY_CODE: Partial<Record<string, number>> = {
  REQUEST_INVALID: 400,
  NOT_IMPLEMENTED: 400,
  INVALID_STORE_TYPE: 400,
  STORE_MISMATCH: 400,
  FORBIDDEN: 403,
  CONFLICT: 409,
  LEDGER_KIND: 409,
  LIMIT_REACHED: 409,
  MISSING_CARS: 409,
  RATE_LIMITED: 429,
  STORE_FAILED: 503,
  STORE_FULL: 507,
};

/** Returns the HTTP status of an answer. Clients read the message of every failed answer. */
export function statusOf({ type, code, message }: Answer): number {
  if (type !== 'error') return 200;
  if (EXISTING.has(code) || message === UNEXPECTED) return 500;
  return STATUS_BY_CODE[String(code)] ?? 500;
}
