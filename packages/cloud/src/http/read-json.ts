import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { errorMessage } from '@fixpoint/protocol/storage';
import { parseJson } from '../gateway/parse-json.ts';

/** In which a body must have come: it is small. */
const BODY_MS = 30_000;

/** A body that was read, or the refusal. */
export type Body = { readonly value: unknown } | { readonly refused: Response };

/**
 * The JSON of a body that is small enough. The content type makes browsers ask before they send one from another origin. The announced length is what
 * counts: the HTTP server lets no more through.
 */
export async function readJson(request: Request, bytesMax: number): Promise<Body> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return refused(415, 'content-type must be application/json');
  const length = request.headers.get('content-length');
  if (length === null || !/^\d+$/.test(length)) return refused(411, 'content-length is required');
  if (Number(length) > bytesMax) return refused(413, `at most ${bytesMax} bytes`);
  try {
    return { value: parseJson(await textWithin(request, BODY_MS)) };
  } catch (cause) {
    if (isFixpointError(cause, 'TIMEOUT')) return refused(408, 'the body came too slowly');
    return refused(400, isFixpointError(cause) ? cause.message : 'not JSON');
  }
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
  const body = { ...errorMessage(undefined, message, code), error: `Error: ${message}` };
  // What was not read is not waited for.
  return { refused: Response.json(body, { status, headers: { connection: 'close' } }) };
}
