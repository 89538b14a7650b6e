import type { IncomingMessage } from 'node:http';
import { parseJson } from '../served/document-json.ts';
import { ApiError } from './answers.ts';

/** Maximum number of bytes of a body. */
const BODY_BYTES_MAX = 16_000_000;
/** The same for a file, which is in memory until it is stored. */
const FILE_BYTES_MAX = 64_000_000;

/**
 * Reads the JSON of a body. Requires a content type that makes browsers ask before they send it
 * from another website.
 * @throws ApiError, after which the connection must be closed; FixpointError REQUEST_INVALID
 */
export async function readBody(request: IncomingMessage, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const { 'content-type': type = '' } = request.headers;
  if (!/^application\/json\s*(;|$)/i.test(type)) throw refusal(415, 'content-type must be application/json');
  return parseJson(await readBytes(request, bytesMax));
}

/**
 * Reads a body of any type.
 * @throws ApiError, after which the connection must be closed
 */
export async function readBytes(request: IncomingMessage, bytesMax = FILE_BYTES_MAX): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding !== 'identity') throw refusal(415, 'bodies must not be compressed');
  return bytesOf(request, bytesMax);
}

const refusal = (status: number, message: string) =>
  new ApiError(status, status === 413 ? 'LIMIT_REACHED' : 'REQUEST_INVALID', message, {
    connection: 'close',
  });

function bytesOf(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => refusal(413, `a body may have at most ${bytesMax} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    // Not an async iterator: leaving one destroys the socket before the answer is sent.
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= bytesMax) return void parts.push(part);
      request.pause();
      reject(tooLarge());
    });
    request.once('end', () => resolve(Buffer.concat(parts)));
    request.once('error', reject);
    request.once('close', () => reject(refusal(400, 'the body is incomplete')));
  });
}
