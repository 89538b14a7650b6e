/** The answer to whatever was refused. It never carries a `conn`: existing clients would take it for the end of their metas. */
import * as v from 'valibot';
import type { ErrorCode } from '../errors.ts';
import { MESSAGE_VERSION } from '../version.ts';
import { answered } from './envelope.ts';

export const error = v.looseObject({
  type: v.literal('error'),
  ...answered,
  message: v.string(),
  /** Own addition: a stable code of `ERROR_TEXT`. */
  code: v.optional(v.string()),
  // Own additions besides: `path` names the wrong field, and with RATE_LIMITED `retryAfter` says for how many seconds to wait.
  /** Own addition, with MISSING_CARS: the objects that are missing, as `car/<key>` or `file/<key>`. */
  objects: v.optional(v.array(v.string())),
});

/** Where no request could be read, its `tid` is this. */
export const INTERNAL_TID = 'internal';

/** What looks like a type; anything else that stands there may be a secret. */
const isWord = (type: unknown): type is string => typeof type === 'string' && /^[A-Za-z]{1,32}$/.test(type);

/** An error message; of the request it repeats `tid` and `type` alone, so that no token comes back. */
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
