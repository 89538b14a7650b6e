/**
 * Reads the answers of an S3-compatible store. Treats an implausible answer as a failure of the
 * store, never as a missing object or an empty list.
 */
import { FixpointError, LIMITS } from '@fixpoint/protocol';

/** Milliseconds without data after which a download fails. */
const STALL_MS = 15_000;
/** Longest body in bytes that is read although nobody needs it. */
const SHORT_BYTES_MAX = 65_536;
/** Longest answer in bytes. A list of a thousand keys is far shorter. */
const TEXT_BYTES_MAX = 4_194_304;
/** The form of the keys that this server assigns to objects and their variants. */
const KEY = /^[A-Za-z0-9._~/-]{1,1400}$/;

export const storeFailed = (why: string, cause?: unknown): FixpointError =>
  new FixpointError('STORE_FAILED', `object store: ${why}`, { cause });

/** Returns the error code in an answer of the store; empty if there is none. */
export const codeIn = (xml: string): string => /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(xml)?.[1] ?? '';

/**
 * Returns whether an answer with status 404 means that the object is missing. An answer about a
 * missing bucket, or from a proxy, may have the same status.
 */
export const saysNoObject = (xml: string): boolean => xml.trim() === '' || codeIn(xml) === 'NoSuchKey';

/**
 * Returns the keys of a list, without keys that this server can't have assigned.
 * @throws FixpointError STORE_FAILED
 */
export function keysIn(xml: string, prefix: string): string[] {
  if (!/<ListBucketResult[\s>]/.test(xml) || !xml.trimEnd().endsWith('</ListBucketResult>'))
    throw storeFailed('LIST: the answer is not a whole list');
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
  // Rejects the whole list, because the caller removes the listed keys.
  if (!keys.every((key) => key.startsWith(prefix)))
    throw storeFailed('LIST: the answer has keys outside of the prefix');
  return keys.filter((key) => KEY.test(key) && !/(^|\/)\.{1,2}(\/|$)/.test(key));
}

/**
 * Returns the keys of a list like {@link keysIn}, with the sizes of their objects in bytes.
 * @throws FixpointError STORE_FAILED
 */
export function sizesIn(xml: string, prefix: string): ReadonlyMap<string, number> {
  const keys = new Set(keysIn(xml, prefix));
  const sizes = new Map<string, number>();
  for (const [, entry = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const key = /<Key>([^<]*)<\/Key>/.exec(entry)?.[1] ?? '';
    const size = /<Size>(\d{1,15})<\/Size>/.exec(entry)?.[1];
    if (!keys.has(key)) continue;
    if (size === undefined) throw storeFailed('LIST: the answer lacks the size of an object');
    sizes.set(key, Number(size));
  }
  return sizes;
}

/** Returns the sha-256 in the metadata of an object, as hex text. */
export const hashBeside = ({ headers }: Response): string | undefined =>
  /^[0-9a-f]{64}$/.exec(headers.get('x-amz-meta-sha256') ?? '')?.[0];

/**
 * Returns the length of the object in bytes.
 * @throws FixpointError STORE_FAILED
 */
export function lengthOf({ headers }: Response, bytesMax: number = LIMITS.objectBytesMax): number {
  const length = headers.get('content-length') ?? '';
  if (!/^\d{1,15}$/.test(length)) throw storeFailed('the answer has no length');
  if (Number(length) > bytesMax) throw storeFailed('the object is too large');
  // The header would contain the length of the encoded bytes.
  if (headers.has('content-encoding')) throw storeFailed('the object is in another encoding');
  return Number(length);
}

/**
 * Yields the bytes of an object. Throws unless there are exactly `length` bytes.
 * @throws FixpointError STORE_FAILED
 */
export async function* objectParts(response: Response, length: number): AsyncIterable<Uint8Array> {
  let seen = 0;
  for await (const part of partsOf(response)) {
    seen += part.byteLength;
    if (seen > length) break;
    yield part;
  }
  if (seen !== length) throw storeFailed('the download has another length');
}

/** @throws FixpointError STORE_FAILED */
export async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of partsOf(response)) {
    bytes += part.byteLength;
    if (bytes > TEXT_BYTES_MAX) throw storeFailed('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/**
 * Discards a body. Reads a short one to its end, because canceling it would close the connection,
 * and the next request would have to open another one.
 */
export async function drop(response: Response): Promise<void> {
  const { body, headers } = response;
  const length = Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  if (length > SHORT_BYTES_MAX) return void body?.cancel().catch(() => undefined);
  try {
    for await (const _ of partsOf(response));
  } catch {
    // Nobody needs this body.
  }
}

/** Yields the chunks of a body, each of which must arrive in time. */
async function* partsOf({ body }: Response): AsyncIterable<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read());
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw storeFailed('the download was interrupted', cause);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no data for 15 seconds')), STALL_MS);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
