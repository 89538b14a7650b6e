import { FixpointError } from '@fixpoint/protocol';

/** An answer that did not come in time. */
export function timeoutError(ms: number, cause?: unknown): FixpointError {
  const error = new FixpointError('TIMEOUT', undefined, { cause });
  error.message = `TIMEOUT after ${ms}ms`;
  return error;
}
