import { FixpointError } from '@fixpoint/protocol';

/** Returns the error for a response that didn't arrive in time. */
export function timeoutError(ms: number, cause?: unknown): FixpointError {
  const error = new FixpointError('TIMEOUT', undefined, { cause });
  error.message = `TIMEOUT after ${ms}ms`;
  return error;
}
