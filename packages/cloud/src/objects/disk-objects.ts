/**
 * Objects on disk, reached by signed URLs: `/obj/<tenant>/<ledger>/<store>/<key>?m=<method>&e=<expiry s>&s=<signature>`. The signature covers method, path
 * and expiry; a URL is good for one object, one method and at most five minutes. The file's name is a hash of the object's path.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError, LIMITS } from '@fixpoint/protocol';

export const OBJECT_BYTES_MAX = 64_000_000;

export interface ObjectName {
  readonly tenant: string;
  readonly ledger: string;
  readonly store: string;
  readonly key: string;
}

export type ObjectMethod = 'GET' | 'PUT' | 'DELETE';

export interface Objects {
  /** @throws FixpointError REQUEST_INVALID for a name that could be a path */
  sign(method: ObjectMethod, name: ObjectName): string;
  has(name: ObjectName): Promise<boolean>;
  /** Answers a request to a signed URL. */
  handle(request: Request): Promise<Response>;
}

const PART = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,255}$/;
const HEADERS = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'cross-origin',
};

export function diskObjects(folder: string, baseUrl: string, secret: Uint8Array, now: () => number): Objects {
  const signature = (method: string, path: string, expires: string) =>
    createHmac('sha256', secret).update(`v1\n${method}\n${path}\n${expires}`).digest('base64url');

  const pathOf = (name: ObjectName) => {
    const parts = [name.tenant, name.ledger, name.store, name.key];
    if (!parts.every((part) => PART.test(part))) throw new FixpointError('REQUEST_INVALID', 'object name');
    return `/obj/${parts.join('/')}`;
  };
  const fileOf = (path: string) => {
    const hash = createHash('sha256').update(path).digest('hex');
    return { folder: join(folder, hash.slice(0, 2)), file: join(folder, hash.slice(0, 2), hash) };
  };

  function isSigned(method: string, url: URL): boolean {
    const [expires = '', given = ''] = [url.searchParams.get('e') ?? '', url.searchParams.get('s') ?? ''];
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 < now()) return false;
    const wanted = Buffer.from(signature(method, url.pathname, expires));
    const actual = Buffer.from(given);
    return wanted.length === actual.length && timingSafeEqual(wanted, actual);
  }

  return {
    sign: (method, name) => {
      const path = pathOf(name);
      const expires = String(Math.floor(now() / 1000) + LIMITS.signedUrlSecondsMax);
      return `${baseUrl}${path}?m=${method}&e=${expires}&s=${signature(method, path, expires)}`;
    },
    has: async (name) => {
      const found = await stat(fileOf(pathOf(name)).file).catch(() => undefined);
      return found !== undefined;
    },
    handle: async (request) => {
      const url = new URL(request.url);
      const { method } = request;
      if (!isSigned(method, url)) return new Response('forbidden', { status: 403, headers: HEADERS });
      const place = fileOf(url.pathname);
      if (method === 'GET') return download(place.file);
      if (method === 'PUT') return upload(request, place);
      await unlink(place.file).catch(ignoreMissing);
      return new Response(null, { status: 204, headers: HEADERS });
    },
  };
}

const isMissing = (cause: unknown) => (cause as NodeJS.ErrnoException).code === 'ENOENT';
const ignoreMissing = (cause: unknown) => (isMissing(cause) ? undefined : Promise.reject(cause));

async function download(file: string): Promise<Response> {
  const bytes = await readFile(file).catch(ignoreMissing);
  if (bytes === undefined) return new Response('Not found', { status: 404, headers: HEADERS });
  return new Response(new Uint8Array(bytes), { status: 200, headers: HEADERS });
}

/** The object is there whole and durable when the answer goes out. One that exists is never replaced by other bytes. */
async function upload(request: Request, place: { folder: string; file: string }): Promise<Response> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!Number.isInteger(length)) return new Response('length required', { status: 411, headers: HEADERS });
  if (length > OBJECT_BYTES_MAX) return new Response('too large', { status: 413, headers: HEADERS });
  const bytes = Buffer.from(await request.arrayBuffer());
  const existing = await readFile(place.file).catch(ignoreMissing);
  if (existing !== undefined)
    return new Response(null, { status: existing.equals(bytes) ? 200 : 409, headers: HEADERS });
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  const draft = `${place.file}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, place.file);
  const folder = await open(place.folder, 'r');
  await folder.sync().finally(() => folder.close());
  return new Response(null, { status: 200, headers: HEADERS });
}
