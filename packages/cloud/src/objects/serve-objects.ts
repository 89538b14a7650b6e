/**
 * Serves uploads and downloads by signed URL. Clients encrypt the bytes, and this file never
 * decrypts them.
 */
import { Readable } from 'node:stream';
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { hashOf } from './drafts.ts';
import { type Admission, NO_CARE, type ObjectCare } from './object-guard.ts';
import { ledgerPath, objectPath } from './object-name.ts';
import type { ObjectStore } from './object-store.ts';
import { sealedKeyOf } from './sealed-key.ts';
import { boundedLife, type ObjectMethod, type UrlSigner } from './signed-url.ts';
import { bytesOf, type StoredObject, type StoredObjects, type WriteOutcome } from './stored-objects.ts';

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "sandbox; default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const PLAIN = { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' };
const LATER = { ...PLAIN, 'retry-after': '1' };
/**
 * Largest object, in bytes, that is read into memory as a whole. For small objects, this is cheaper
 * than a stream.
 */
const WHOLE_BYTES_MAX = 1_500_000;

export interface ServedObjects extends ObjectStore {
  /**
   * @param target path and query exactly as requested
   * @param host as the client sent it
   */
  handle(request: Request, target: string, host: string): Promise<Response>;
}

/**
 * @param publicHost the host of all URLs; undefined to use the host that the client requested
 * @param report receives failures of the store
 * @param care returns the care of the objects. A function, because the care is created later
 */
export function serveObjects(
  objects: StoredObjects,
  signer: UrlSigner,
  publicHost: string | undefined,
  report: (error: unknown) => void,
  care: () => ObjectCare = () => NO_CARE,
): ServedObjects {
  const signPath = (method: ObjectMethod, origin: string, path: string, lifeSeconds?: number) =>
    `${origin}${signer.sign(method, publicHost ?? new URL(origin).host, path, lifeSeconds)}`;
  return {
    sign: (method, origin, name, lifeSeconds) => signPath(method, origin, objectPath(name), lifeSeconds),
    signDownload: async (origin, name, keyIds, lifeSeconds) => {
      const path = objectPath(name);
      const variant = await chooseVariant(objects, path, keyIds);
      if (objects.signRead !== undefined) return objects.signRead(path, variant, boundedLife(lifeSeconds));
      return signPath('GET', origin, variant === undefined ? path : `${path}~${variant}`, lifeSeconds);
    },
    has: (name) => objects.has(objectPath(name)),
    read: async (name, keyIds) => {
      const path = objectPath(name);
      const found = await objects.open(path, await chooseVariant(objects, path, keyIds));
      return found && bytesOf(found);
    },
    removeLedger: (ledger) => objects.removeLedger(ledgerPath(ledger)),
    handle: async (request, target, host) => {
      const signed = signer.verify(request.method, publicHost ?? host, target);
      if (signed === undefined) return plain(403, 'forbidden');
      const [path = '', variant] = signed.split('~');
      try {
        return await answer(objects, care(), request, path, variant);
      } catch (cause) {
        if (isFixpointError(cause, 'REQUEST_INVALID')) return plain(400, cause.message);
        const isFull = isFixpointError(cause, 'STORE_FULL');
        if (!isFull && !isFixpointError(cause, 'STORE_FAILED')) throw cause;
        report(cause);
        if (isFull) return plain(507, 'the object store is full');
        return new Response('the object store does not answer', { status: 503, headers: LATER });
      }
    },
  };
}

async function answer(
  objects: StoredObjects,
  care: ObjectCare,
  request: Request,
  path: string,
  variant: string | undefined,
): Promise<Response> {
  if (request.method === 'PUT') return upload(objects, care, path, request);
  if (request.method === 'DELETE') return remove(objects, care, path);
  const found = await objects.open(path, variant);
  if (found === undefined) care.missing(path);
  else care.transferred(path, 'down', found.bytes);
  return download(found);
}

/**
 * Removes an object. Keeps an object that a meta entry still needs, but sends the same answer,
 * because clients routinely delete objects that their compaction replaced.
 */
async function remove(objects: StoredObjects, care: ObjectCare, path: string): Promise<Response> {
  const outcome = await care.remove(path, () => objects.remove(path));
  const isAbsent = outcome === 'absent' || (outcome === 'kept' && !(await objects.has(path)));
  return isAbsent ? plain(404, 'Not found') : new Response(null, { status: 204, headers: HEADERS });
}

/**
 * Returns the variant to send; undefined for the bytes that were stored first. Chooses a variant
 * only if the ledger doesn't have the key of the first bytes.
 */
async function chooseVariant(
  objects: StoredObjects,
  path: string,
  keyIds: () => Promise<ReadonlySet<string>>,
): Promise<string | undefined> {
  // An object that is named by its bytes has no variants.
  if (hashInName(path) !== undefined) return undefined;
  const variants = await objects.variants(path);
  const first = variants.length === 0 ? undefined : await objects.open(path);
  if (first === undefined) return undefined;
  const known = await keyIds();
  const key = sealedKeyOf(await bytesOf(first));
  return key !== undefined && known.has(key) ? undefined : variants.find((variant) => known.has(variant));
}

const plain = (status: number, text: string) => new Response(text, { status, headers: PLAIN });

async function download(object: StoredObject | undefined): Promise<Response> {
  if (object === undefined) return plain(404, 'Not found');
  const headers = {
    ...HEADERS,
    'content-type': 'application/octet-stream',
    // The file name is fixed, so a client can't choose the name of a file on a user's device.
    'content-disposition': 'attachment; filename="object.bin"',
    'content-length': String(object.bytes),
  };
  if (object.bytes > WHOLE_BYTES_MAX) {
    const stream = Readable.toWeb(Readable.from(object.read(), { objectMode: false }));
    return new Response(stream as ReadableStream<Uint8Array>, { headers });
  }
  return new Response(new Uint8Array(await bytesOf(object)), { headers });
}

async function upload(
  objects: StoredObjects,
  care: ObjectCare,
  path: string,
  request: Request,
): Promise<Response> {
  const length = request.headers.get('content-length');
  if (length === null || !/^\d+$/.test(length)) return plain(411, 'content-length is required');
  if (Number(length) > LIMITS.objectBytesMax) return plain(413, `at most ${LIMITS.objectBytesMax} bytes`);
  const bytes = Number(length);
  const admission = await care.admit(path, bytes);
  try {
    const outcome = await store(objects, care, path, { body: bodyOf(request, bytes), bytes }, admission);
    care.transferred(path, 'up', bytes);
    if (outcome === 'refused') return plain(507, admission.refused ?? '');
    if (outcome === 'stored' || outcome === 'same') {
      await care.counted(path, bytes, outcome === 'stored');
      await care.stored(path, async () => {
        const found = await objects.open(path);
        return found !== undefined && (await care.content(path, await bytesOf(found))) !== 'wrong';
      });
    }
    if (outcome === 'wrong') return plain(400, 'the bytes do not match this name');
    return outcome === 'different' ? plain(409, 'exists with other bytes') : plain(200, 'stored');
  } finally {
    admission.end();
  }
}

/**
 * Stores an upload. If the quota is reached, accepts only uploads that need no more space: the same
 * bytes again, and replacements of lost or damaged objects.
 */
async function store(
  objects: StoredObjects,
  care: ObjectCare,
  path: string,
  { body, bytes }: { readonly body: AsyncIterable<Uint8Array>; readonly bytes: number },
  { refused, countedBytes }: Admission,
): Promise<WriteOutcome | 'refused'> {
  const isSuspect = () => care.isSuspect(path);
  if (refused !== undefined && !(await isSuspect())) {
    const isLost = bytes <= countedBytes && !(await objects.has(path));
    if (!isLost) {
      // Reads the whole body, because clients may not see an answer that precedes its end.
      const hash = await hashOf(body);
      const stored = await objects.open(path);
      return stored !== undefined && (await hashOf(stored.read())) === hash ? 'same' : 'refused';
    }
  }
  const contentOf = (stored: Buffer) => care.content(path, stored);
  return objects.write(path, body, hashInName(path), { contentOf, isSuspect });
}

/**
 * Returns the hash in the name of an object of a sealed ledger, which is `s` and the sha-256 of the
 * bytes. Names in open-key ledgers contain a hash of the content before encryption, which can't be
 * checked here.
 */
const hashInName = (path: string): string | undefined => /\/s([0-9a-f]{64})$/.exec(path)?.[1];

/**
 * Reads the whole body.
 * @throws FixpointError REQUEST_INVALID when the body has another length than announced, or is
 * interrupted
 */
async function* bodyOf(request: Request, length: number): AsyncIterable<Uint8Array> {
  let seen = 0;
  try {
    for await (const part of request.body ?? []) {
      seen += part.byteLength;
      if (seen > length) break;
      yield part;
    }
  } catch (cause) {
    throw new FixpointError('REQUEST_INVALID', 'the upload was interrupted', { cause });
  }
  if (seen !== length) throw new FixpointError('REQUEST_INVALID', 'the upload has another length');
}
