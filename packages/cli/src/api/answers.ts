import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type ErrorCode, type FixpointError, isFixpointError } from '@fixpoint/protocol';

/** A failure with a status that its code alone doesn't determine. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON of the body. */
  readonly json?: string;
  /** The content of the body, instead of JSON. `headers` contain its type and length. */
  readonly content?: AsyncIterable<Uint8Array>;
}

/** Statuses by code. All other codes are failures of this device: 500. */
const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  CONFLICT: 412,
  CONNECTION_NOT_OPEN: 503,
  DATABASE_CLOSED: 503,
  DOC_ID_REQUIRED: 400,
  DOC_INVALID: 400,
  FILE_INVALID: 400,
  FORBIDDEN: 403,
  HEAD_INVALID: 400,
  HISTORY_COMPACTED: 410,
  KEY_INVALID: 400,
  LIMIT_REACHED: 413,
  NOT_FOUND: 404,
  NOT_SIGNED_IN: 401,
  QUERY_INVALID: 400,
  RATE_LIMITED: 429,
  REQUEST_INVALID: 400,
  STORE_FULL: 507,
};

const errorJson = (code: ErrorCode, message: string): string => JSON.stringify({ error: { code, message } });

const statusOf = ({ code }: FixpointError): number => STATUS[code] ?? 500;

/** Returns the answer to a failed request. */
export function answerOf(cause: unknown, report: (cause: unknown) => void): Answer {
  if (cause instanceof ApiError)
    return { status: cause.status, headers: cause.headers, json: errorJson(cause.code, cause.message) };
  if (isFixpointError(cause)) {
    const status = statusOf(cause);
    if (status === 500) report(cause);
    return { status, json: errorJson(cause.code, cause.message) };
  }
  report(cause);
  return { status: 500, json: errorJson('STORE_FAILED', 'internal error') };
}

/** Rejects if content can't be read to its end. The client then receives too few bytes. */
export async function send(
  response: ServerResponse,
  { status, headers = {}, json, content }: Answer,
): Promise<void> {
  if (response.headersSent || response.destroyed) return void response.destroy();
  if (content !== undefined) {
    response.writeHead(status, headers);
    if (response.req.method === 'HEAD') return void response.end();
    return pipeline(content, response);
  }
  const body = json === undefined ? undefined : Buffer.from(json);
  const length =
    body !== undefined ? { 'content-type': 'application/json', 'content-length': body.length } : {};
  response.writeHead(status, { ...length, ...headers });
  response.end(body);
}
