/**
 * The answer to a rejected request. It never contains a `conn`, which existing clients would read
 * as the end of their metas.
 */

import type { ErrorCode } from '../errors.ts';
import { MESSAGE_VERSION } from '../version.ts';
import { answered } from './envelope.ts';
import * as v from './shape.ts';

export const error = v.looseObject({
  type: v.literal('error'),
  ...answered,
  message: v.string(),
  /** Fixpoint extension: a stable code of `ERROR_TEXT`. */
  code: v.optional(v.string()),
  // More Fixpoint extensions: `path` names the invalid field. With RATE_LIMITED, `retryAfter` is
  // the number of seconds to wait.
  /** Fixpoint extension, with MISSING_CARS: the missing objects, as `car/<key>` or `file/<key>`. */
  objects: v.optional(v.array(v.string())),
});

/** The `tid` of answers to unreadable requests. */
export const INTERNAL_TID = 'internal';

/**
 * Returns whether a value looks like the type of a message. Any other value may be a secret, so
 * errors don't repeat it.
 */
const isWord = (type: unknown): type is string => typeof type === 'string' && /^[A-Za-z]{1,32}$/.test(type);

/**
 * Returns an error message. It repeats only `tid` and `type` of the request, so that no token is
 * echoed.
 */
export const errorMessage = (
  request: { readonly tid?: unknown; readonly type?: unknown } | undefined,
  message: string,
  code: ErrorCode | undefined,
) => ({
  type: 'error' as const,
  tid: typeof request?.tid === 'string' ? request.tid : INTERNAL_TID,
  version: MESSAGE_VERSION,
  message,
  ...(code && { code }),
  auth: { type: 'error' as const },
  src: { ...(isWord(request?.type) && { type: request.type }) },
});
