/**
 * Reads the answers of an S3-compatible store. An implausible answer is a failure of the store:
 * neither a missing object nor an empty list.
 */
import { FixpointError } from '@fixpoint/protocol';
import { OBJECT_BYTES_MAX } from './object-store.ts';

/** A body that stalls for this long is given up. */
const STALL_MS = 15_000;
/** A thousand keys are far shorter. */
const TEXT_BYTES_MAX = 4_194_304;
/** The form in which this server names objects and their variants. */
const KEY = /^[A-Za-z0-9._~/-]{1,1400}$/;

export const storeFailed = (why: string, cause?: unknown): FixpointError =>
  new FixpointError('STORE_FAILED', `object store: ${why}`, { cause });

/** Returns the store's code for a refusal; empty where there is none. */
export const codeIn = (xml: string): string => /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(xml)?.[1] ?? '';

/**
 * Returns whether an answer of status 404 says that there is no such object: a missing bucket has
 * the same status, and so has the page of a proxy.
 */
export const saysNoObject = (xml: string): boolean => xml.trim() === '' || codeIn(xml) === 'NoSuchKey';

/**
 * Returns the keys of a list, without those that this server could not have assigned.
 * @throws FixpointError STORE_FAILED
 */
export function keysIn(xml: string, prefix: string): string[] {
  if (!/<ListBucketResult[\s>]/.test(xml) || !xml.trimEnd().endsWith('</ListBucketResult>'))
    throw storeFailed('LIST: no list, or a part of one');
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
  // The caller removes the listed keys.
  if (!keys.every((key) => key.startsWith(prefix))) throw storeFailed('LIST: keys that were not asked for');
  return keys.filter((key) => KEY.test(key) && !/(^|\/)\.{1,2}(\/|$)/.test(key));
}

/** Returns the sha-256 that was written beside an object, as hex text. */
export const hashBeside = ({ headers }: Response): string | undefined =>
  /^[0-9a-f]{64}$/.exec(headers.get('x-amz-meta-sha256') ?? '')?.[0];

/**
 * Returns the length of the object in bytes.
 * @throws FixpointError STORE_FAILED
 */
export function lengthOf({ headers }: Response): number {
  const length = headers.get('content-length') ?? '';
  if (!/^\d{1,15}$/.test(length)) throw storeFailed('no length');
  if (Number(length) > OBJECT_BYTES_MAX) throw storeFailed('an object that is too large');
  // The length would be that of other bytes.
  if (headers.has('content-encoding')) throw storeFailed('bytes in another encoding');
  return Number(length);
}

/**
 * Returns the bytes of an object, exactly as many as expected.
 * @throws FixpointError STORE_FAILED
 */
export async function* objectParts(response: Response, length: number): AsyncIterable<Uint8Array> {
  let seen = 0;
  for await (const part of partsOf(response)) {
    seen += part.byteLength;
    if (seen > length) break;
    yield part;
  }
  if (seen !== length) throw storeFailed('a download of another length');
}

/** @throws FixpointError STORE_FAILED */
export async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of partsOf(response)) {
    bytes += part.byteLength;
    if (bytes > TEXT_BYTES_MAX) throw storeFailed('an answer that is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Unwanted bodies are not waited for. */
export function drop({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}

/** Each chunk must arrive within its time. */
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
    throw storeFailed('a download broke off', cause);
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
