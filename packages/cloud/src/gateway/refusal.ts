import { type ErrorCode, FixpointError, isFixpointError } from '@fixpoint/protocol';
import { errorMessage } from '@fixpoint/protocol/storage';
import type { Answer } from './handler.ts';

/** A refusal with the text that existing clients know. */
export function refuse(code: ErrorCode, text: string): FixpointError {
  const error = new FixpointError(code);
  error.message = text;
  return error;
}

/** Says what the client can act on: neither its token, nor what went wrong inside. */
export function refusalAnswer(body: unknown, cause: unknown): Answer {
  const request = typeof body === 'object' && body !== null ? body : undefined;
  if (!isFixpointError(cause)) return errorMessage(request, 'internal error', undefined);
  const { objects } = (cause.cause ?? {}) as { readonly objects?: readonly string[] };
  const isOfObjects = cause.code === 'MISSING_CARS' && objects !== undefined;
  return { ...errorMessage(request, cause.message, cause.code), ...(isOfObjects && { objects }) };
}
