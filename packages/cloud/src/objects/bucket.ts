/**
 * Sends signed requests to one bucket of an S3-compatible store. Accepts only answers about
 * objects. Anything else, such as an answer about a missing bucket, is a failure. Retries while the
 * store is overloaded or briefly unreachable.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isFixpointError } from '@fixpoint/protocol';
import { AwsV4Signer } from 'aws4fetch';
import { codeIn, drop, keysIn, readText, saysNoObject, sizesIn, storeFailed } from './bucket-answers.ts';

export interface BucketConfig {
  /** Address of the bucket, without a trailing slash. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  /** Whether clients download from the bucket itself. */
  readonly isDirect: boolean;
}

export interface Upload {
  readonly bytes: number;
  /** The sha-256 of the bytes, as hex text. */
  readonly hash: string;
  /** Reads the bytes; called once for each try. */
  read(): ReadableStream<Uint8Array>;
}

export interface Bucket {
  /**
   * Returns the object, or its first byte with all its metadata; undefined for a missing object.
   * @throws FixpointError STORE_FAILED
   */
  get(key: string, part: 'whole' | 'first byte'): Promise<Response | undefined>;
  /**
   * Resolves once no object with this key exists.
   * @throws FixpointError STORE_FAILED
   */
  remove(key: string): Promise<void>;
  /**
   * Stores the bytes. Resolves to false, and stores nothing, if an object with this key exists.
   * @throws FixpointError STORE_FAILED
   */
  putNew(key: string, upload: Upload): Promise<boolean>;
  /**
   * Returns up to 1000 keys with this prefix, in their order.
   * @param after returns only keys after this text
   * @throws FixpointError STORE_FAILED
   */
  list(prefix: string, after?: string): Promise<string[]>;
  /**
   * Returns the same keys as `list`, with the sizes of their objects in bytes.
   * @throws FixpointError STORE_FAILED
   */
  sizes(prefix: string, after?: string): Promise<ReadonlyMap<string, number>>;
  signRead(key: string, lifeSeconds: number): Promise<string>;
  /** Returns whether the bucket answers one request now. */
  answers(): Promise<boolean>;
}

const TRIES_MAX = 7;
const PAUSE_MS = 50;
const PAUSE_MAX_MS = 2000;
const ANSWER_MS = 15_000;
const UPLOAD_MS = 120_000;
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504]);
/** Statuses that count as answers; 416 means an object without bytes. */
const ANSWERS = {
  whole: new Set([200, 404]),
  'first byte': new Set([200, 206, 404, 416]),
  list: new Set([200]),
  put: new Set([200, 412]),
  remove: new Set([200, 204, 404]),
} as const;
const FIRST_BYTE = { range: 'bytes=0-0' };

/** Headers that make a request a part of a trace. */
export type TraceHeaders = () => Readonly<Record<string, string>>;

type Call = {
  readonly asks: keyof typeof ANSWERS;
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly upload?: Upload;
};

export function openBucket(
  config: BucketConfig,
  now: () => number,
  traceHeaders: TraceHeaders = () => ({}),
): Bucket {
  const base = config.url;
  const sign = createSigner(config, now, traceHeaders);
  const ask = (call: Call) => askUntilAnswered(sign, call);
  const askList = async (prefix: string, after: string | undefined) => {
    const query = new URLSearchParams({ 'list-type': '2', 'max-keys': '1000', prefix });
    if (after !== undefined) query.set('start-after', after);
    return readText(await ask({ asks: 'list', method: 'GET', url: `${base}/?${query}` }));
  };
  return {
    get: async (key, part) => {
      const headers = part === 'whole' ? {} : FIRST_BYTE;
      const response = await ask({ asks: part, method: 'GET', url: `${base}/${key}`, headers });
      return response.status === 404 ? undefined : response;
    },
    remove: async (key) => drop(await ask({ asks: 'remove', method: 'DELETE', url: `${base}/${key}` })),
    putNew: async (key, upload) => {
      const url = `${base}/${key}`;
      const response = await ask({ asks: 'put', method: 'PUT', url, headers: headersOf(upload), upload });
      await drop(response);
      return response.status === 200;
    },
    list: async (prefix, after) => keysIn(await askList(prefix, after), prefix),
    sizes: async (prefix, after) => sizesIn(await askList(prefix, after), prefix),
    signRead: async (key, lifeSeconds) => {
      const query = new URLSearchParams({
        'X-Amz-Expires': String(lifeSeconds),
        'response-content-disposition': 'attachment',
        'response-content-type': 'application/octet-stream',
      });
      return (await sign(`${base}/${key}?${query}`, 'GET', true)).url.href;
    },
    answers: () => answersNow(sign, `${base}/.fixpoint/ready`),
  };
}

const headersOf = ({ bytes, hash }: Upload) => ({
  'if-none-match': '*',
  'content-length': String(bytes),
  'content-type': 'application/octet-stream',
  'x-amz-content-sha256': hash,
  'x-amz-meta-sha256': hash,
});

type Sign = ReturnType<typeof createSigner>;

/** Signs a request in its headers, or in its URL. */
function createSigner(config: BucketConfig, now: () => number, traceHeaders: TraceHeaders) {
  const { region, accessKeyId, secretAccessKey, sessionToken } = config;
  const cache = new Map<string, ArrayBuffer>();
  return async (url: string, method: string, signQuery: boolean, headers: Record<string, string> = {}) => {
    const signed = await new AwsV4Signer({
      service: 's3',
      url,
      method,
      headers,
      signQuery,
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      cache,
    }).sign();
    // Proxies must not compress the answer, because its length must be the length of the object.
    // These headers aren't signed, because a proxy may change them.
    const unsigned = { 'accept-encoding': 'identity', ...traceHeaders() };
    for (const [name, value] of Object.entries(unsigned)) signed.headers.set(name, value);
    return signed;
  };
}

async function attempt(sign: Sign, { method, url, headers, upload }: Omit<Call, 'asks'>): Promise<Response> {
  const signed = await sign(url, method, false, { ...headers });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), upload === undefined ? ANSWER_MS : UPLOAD_MS);
  try {
    return await fetch(signed.url, {
      method,
      headers: signed.headers,
      redirect: 'error',
      signal: late.signal,
      ...(upload !== undefined && { body: upload.read(), duplex: 'half' }),
    });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends a request, and retries it up to six times until the store answers.
 * @throws FixpointError STORE_FAILED
 */
async function askUntilAnswered(sign: Sign, call: Call): Promise<Response> {
  let last: unknown;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if (tries > 0) await pause(Math.random() * Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** tries));
    try {
      const response = await attempt(sign, call);
      const { status } = response;
      if (ANSWERS[call.asks].has(status) && status !== 404) return response;
      const text = await readText(response);
      if (ANSWERS[call.asks].has(status) && saysNoObject(text)) return new Response(null, { status });
      last = new Error(`${call.method}: status ${status} ${codeIn(text)}`);
      if (!PASSING.has(status)) break;
    } catch (cause) {
      last = cause;
    }
  }
  throw isFixpointError(last) ? last : storeFailed(textOf(last), last);
}

/** Returns whether the store answers a request now. The requested object needn't exist. */
async function answersNow(sign: Sign, url: string): Promise<boolean> {
  try {
    const response = await attempt(sign, { method: 'GET', url });
    if (response.status === 404) return saysNoObject(await readText(response));
    await drop(response);
    return response.status === 200;
  } catch {
    return false;
  }
}

/**
 * Returns the reason of a failure. For network failures, the reason is in the cause of the error.
 */
function textOf(error: unknown): string {
  const { message = 'failed', cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ? `${message}: ${cause.message}` : message;
}
