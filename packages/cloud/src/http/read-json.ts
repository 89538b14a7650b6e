/**
 * Reads JSON bodies of Node and Web requests. Rejects a request by its headers if possible, without
 * waiting for the body.
 */
import type { IncomingMessage } from 'node:http';
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { errorMessage } from '@fixpoint/protocol/storage';
import { parseJson } from '../gateway/parse-json.ts';

/** Milliseconds within which a body must arrive; bodies are small. */
const BODY_MS = 30_000;

interface Refusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A body, or a refusal. The connection must be closed after a refusal. */
export type Body = { readonly value: unknown } | { readonly refused: Refusal };

/** Returns the JSON of a body that is small enough. */
export const readWebJson = (request: Request, bytesMax: number): Promise<Body> =>
  readJson(
    request.headers.get('content-type') ?? undefined,
    request.headers.get('content-length') ?? undefined,
    bytesMax,
    () => textWithin(request, BODY_MS),
  );

/** Does the same as `readWebJson`, for a request of Node's HTTP server. */
export const readNodeJson = (request: IncomingMessage, bytesMax: number): Promise<Body> =>
  readJson(request.headers['content-type'], request.headers['content-length'], bytesMax, () =>
    textOf(request, BODY_MS),
  );

/**
 * Reads a body. Requires a content type that makes browsers send a preflight request from other
 * origins. Checks only the announced length, because the HTTP server never delivers more bytes than
 * that.
 */
async function readJson(
  type: string | undefined,
  length: string | undefined,
  bytesMax: number,
  text: () => Promise<string>,
): Promise<Body> {
  if (!/^application\/json\s*(;|$)/i.test(type ?? ''))
    return refused(415, 'content-type must be application/json');
  if (length === undefined || !/^\d+$/.test(length)) return refused(411, 'content-length is required');
  if (Number(length) > bytesMax) return refused(413, `at most ${bytesMax} bytes`);
  try {
    return { value: parseJson(await text()) };
  } catch (cause) {
    if (isFixpointError(cause, 'TIMEOUT')) return refused(408, 'the body arrived too slowly');
    return refused(
      400,
      isFixpointError(cause) ? cause.message.replace(/^request is not valid: /, '') : 'not JSON',
    );
  }
}

function textOf(request: IncomingMessage, ms: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const timer = setTimeout(() => reject(new FixpointError('TIMEOUT')), ms);
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => resolve(Buffer.concat(parts).toString()));
    request.once('error', reject);
    request.once('close', () => clearTimeout(timer));
  });
}

async function textWithin(request: Request, ms: number): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FixpointError('TIMEOUT')), ms);
  });
  return Promise.race([request.text(), tooLate]).finally(() => clearTimeout(timer));
}

function refused(status: number, why: string): Body {
  const { message, code } = new FixpointError('REQUEST_INVALID', why);
  return {
    refused: { status, body: { ...errorMessage(undefined, message, code), error: `Error: ${message}` } },
  };
}
