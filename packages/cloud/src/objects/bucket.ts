/**
 * Signed requests to one bucket of an S3-compatible store. What the store says about an object is an answer; whatever else it says, also that it has no such
 * bucket, is a failure. A store that is overloaded or away for a moment is asked again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { FixpointError } from '@fixpoint/protocol';
import { AwsV4Signer } from 'aws4fetch';

export interface BucketConfig {
  /** Address of the bucket, without a slash at its end. */
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
  /** Reads the bytes; once for each try. */
  read(): ReadableStream<Uint8Array>;
}

export interface Bucket {
  /** @throws FixpointError STORE_FAILED */
  ask(method: 'GET' | 'DELETE', key: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Whether the bytes were stored; false when there is an object of this key. @throws FixpointError STORE_FAILED */
  putNew(key: string, upload: Upload): Promise<boolean>;
  /** Up to 1000 keys that begin so. @throws FixpointError STORE_FAILED */
  list(prefix: string): Promise<string[]>;
  signRead(key: string, lifeSeconds: number): Promise<string>;
  /** Whether the bucket answers now: it is asked once. */
  answers(): Promise<boolean>;
}

const TRIES_MAX = 7;
const PAUSE_MS = 50;
const PAUSE_MAX_MS = 2000;
const ANSWER_MS = 15_000;
const UPLOAD_MS = 120_000;
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504]);
const ANSWERS = new Set([200, 204, 206, 404, 412, 416]);

type Call = {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly upload?: Upload;
};

export function openBucket(config: BucketConfig, now: () => number): Bucket {
  const { url: base, region, accessKeyId, secretAccessKey, sessionToken } = config;
  const cache = new Map<string, ArrayBuffer>();
  const sign = (url: string, method: string, signQuery: boolean, headers: Record<string, string> = {}) =>
    new AwsV4Signer({
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

  async function attempt({ method, url, headers, upload }: Call): Promise<Response> {
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

  async function ask(call: Call): Promise<Response> {
    let last: unknown;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      if (tries > 0) await pause(Math.random() * Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** tries));
      try {
        const response = await attempt(call);
        if (ANSWERS.has(response.status)) return await requireAnswer(response);
        const text = codeIn(await response.text());
        last = new Error(`${call.method}: status ${response.status} ${text}`);
        if (!PASSING.has(response.status)) break;
      } catch (cause) {
        if (cause instanceof FixpointError) throw cause;
        last = cause;
      }
    }
    throw new FixpointError('STORE_FAILED', `object store: ${textOf(last)}`, { cause: last });
  }

  return {
    ask: (method, key, headers = {}) => ask({ method, url: `${base}/${key}`, headers }),
    putNew: async (key, upload) => {
      const headers = {
        'if-none-match': '*',
        'content-length': String(upload.bytes),
        'content-type': 'application/octet-stream',
        'x-amz-content-sha256': upload.hash,
        'x-amz-meta-sha256': upload.hash,
      };
      const response = await ask({ method: 'PUT', url: `${base}/${key}`, headers, upload });
      await response.body?.cancel();
      if (response.status === 200 || response.status === 412) return response.status === 200;
      throw new FixpointError('STORE_FAILED', `object store: PUT: status ${response.status}`);
    },
    list: async (prefix) => {
      const query = new URLSearchParams({ 'list-type': '2', 'max-keys': '1000', prefix });
      const response = await ask({ method: 'GET', url: `${base}/?${query}` });
      const text = await response.text();
      if (response.status !== 200)
        throw new FixpointError('STORE_FAILED', `object store: LIST: ${codeIn(text)}`);
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
    },
    signRead: async (key, lifeSeconds) => {
      const query = new URLSearchParams({
        'X-Amz-Expires': String(lifeSeconds),
        'response-content-disposition': 'attachment',
        'response-content-type': 'application/octet-stream',
      });
      return (await sign(`${base}/${key}?${query}`, 'GET', true)).url.href;
    },
    answers: async () => {
      try {
        const response = await attempt({ method: 'GET', url: `${base}/.fixpoint/ready` });
        if (!ANSWERS.has(response.status)) return false;
        await (await requireAnswer(response)).body?.cancel();
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** No object and no bucket have the same status. */
async function requireAnswer(response: Response): Promise<Response> {
  if (response.status !== 404) return response;
  const code = codeIn(await response.text());
  if (code !== 'NoSuchKey' && code !== '')
    throw new FixpointError('STORE_FAILED', `object store: status 404 ${code}`);
  return new Response(null, { status: 404 });
}

const codeIn = (xml: string): string => /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(xml)?.[1] ?? '';

/** Of a request that failed on its way, the reason is the cause of the error. */
function textOf(error: unknown): string {
  const { message = 'failed', cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ? `${message}: ${cause.message}` : message;
}
