/**
 * Stores objects in a bucket. The key of an object is its path. Uploads pass through this server,
 * which checks the bytes against the name. The bucket stores bytes only if no object has that key.
 * So concurrent writers can't replace each other's bytes. Only a repair replaces bytes. The key of
 * a variant is the path, `~` and the name of the variant.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { FixpointError } from '@fixpoint/protocol';
import { type Bucket, type BucketConfig, openBucket, type TraceHeaders, type Upload } from './bucket.ts';
import { drop, hashBeside, lengthOf, objectParts, storeFailed } from './bucket-answers.ts';
import { type Draft, hashOf, removeOldDrafts, withDraft } from './drafts.ts';
import {
  bytesOf,
  isRepair,
  type Repair,
  type StoredObject,
  type StoredObjects,
  VARIANT_BYTES_MAX,
  VARIANTS_MAX,
  type VariantOf,
  type WriteOutcome,
} from './stored-objects.ts';

const DELETES_AT_ONCE = 8;

const PROBE = new TextEncoder().encode('fixpoint');
const PROBE_UPLOAD: Upload = {
  hash: createHash('sha256').update(PROBE).digest('hex'),
  bytes: PROBE.length,
  read: () => new Blob([PROBE]).stream(),
};

/** State that the functions below share. */
interface S3State {
  readonly bucket: Bucket;
  /** Folder of this process for unfinished uploads. */
  readonly drafts: string;
  readonly variantOf: VariantOf;
}

/**
 * @param drafts folder of this process for unfinished uploads
 * @throws FixpointError CONFIG_INVALID when the bucket can't be used
 */
export async function openS3Objects(
  config: BucketConfig,
  drafts: string,
  variantOf: VariantOf,
  now: () => number,
  traceHeaders?: TraceHeaders,
): Promise<StoredObjects> {
  const bucket = openBucket(config, now, traceHeaders);
  const state: S3State = { bucket, drafts, variantOf };
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  await removeOldDrafts(drafts, now());
  await requireConditions(bucket);
  return {
    variants: (path) => variantsOf(bucket, path),
    bytesAt: (path) => bytesBelow(bucket, path),
    open: (path, variant) => openObject(bucket, keyOf(path, variant)),
    has: async (path) => (await hashAt(bucket, path)) !== undefined,
    write: (path, bytes, hash, repair) =>
      withDraft(drafts, 'passing', bytes, async (draft) =>
        hash !== undefined && draft.hash !== hash ? 'wrong' : storeDraft(state, path, draft, repair),
      ),
    remove: async (path) => {
      const existed = (await hashAt(bucket, path)) !== undefined;
      await removeAll(bucket, [...(await bucket.list(`${path}~`)), path]);
      return existed;
    },
    removeLedger: (prefix) => removeBelow(bucket, `${prefix}/`),
    answers: () => bucket.answers(),
    ...(config.isDirect && {
      signRead: (path, variant, lifeSeconds) => bucket.signRead(keyOf(path, variant), lifeSeconds),
    }),
  };
}

const keyOf = (path: string, variant?: string): string =>
  variant === undefined ? path : `${path}~${variant}`;

const variantsOf = async (bucket: Bucket, path: string): Promise<string[]> =>
  (await bucket.list(`${path}~`)).map((key) => key.slice(path.length + 1));

/** Returns the bytes of an object with its variants. */
async function bytesBelow(bucket: Bucket, path: string): Promise<number> {
  let sum = 0;
  for (let after: string | undefined; ; ) {
    const sizes = await bucket.sizes(path, after);
    for (const [key, bytes] of sizes) if (key === path || key.startsWith(`${path}~`)) sum += bytes;
    const last = [...sizes.keys()].at(-1);
    if (last === undefined || last === after) return sum;
    after = last;
  }
}

/** @param bytesMax the longest object that is accepted; by default, that of clients' objects */
export async function openObject(
  bucket: Bucket,
  key: string,
  bytesMax?: number,
): Promise<StoredObject | undefined> {
  const response = await bucket.get(key, 'whole');
  return response && describe(response, bytesMax);
}

async function storeDraft(
  state: S3State,
  path: string,
  draft: Draft,
  repair: Repair | undefined,
): Promise<WriteOutcome> {
  const { bucket } = state;
  if (await bucket.putNew(path, uploadOf(draft))) return 'stored';
  const isSuspect = (await repair?.isSuspect()) ?? false;
  if ((await (isSuspect ? storedHash(bucket, path) : hashAt(bucket, path))) === draft.hash) return 'same';
  const isWrong = await isRepair(
    repair,
    () => wholeOf(bucket, path),
    () => readFile(draft.file),
  );
  if (!isWrong) return keepBeside(state, draft, path);
  await bucket.remove(path);
  return (await bucket.putNew(path, uploadOf(draft))) ? 'stored' : 'different';
}

/** Stores other bytes for an existing name as a variant. */
async function keepBeside({ bucket, variantOf }: S3State, draft: Draft, path: string): Promise<WriteOutcome> {
  if (draft.bytes > VARIANT_BYTES_MAX) return 'different';
  const variant = variantOf(await readFile(draft.file));
  const first = await openObject(bucket, path);
  // A variant never changes. A client that sends other bytes for the same variant has damaged
  // bytes, or is malicious.
  if (variant === undefined || (first !== undefined && variantOf(await bytesOf(first)) === variant))
    return 'different';
  if ((await variantsOf(bucket, path)).length >= VARIANTS_MAX) return 'different';
  const key = keyOf(path, variant);
  if (await bucket.putNew(key, uploadOf(draft))) return 'stored';
  return (await hashAt(bucket, key)) === draft.hash ? 'same' : 'different';
}

async function wholeOf(bucket: Bucket, path: string): Promise<Buffer> {
  const found = await openObject(bucket, path);
  return found === undefined ? Buffer.alloc(0) : bytesOf(found);
}

/**
 * Computes the hash from the current bytes, because the hash in the metadata is from the time of
 * the upload.
 */
async function storedHash(bucket: Bucket, path: string): Promise<string | undefined> {
  const found = await openObject(bucket, path);
  return found && hashOf(found.read());
}

/** @throws FixpointError STORE_FAILED when the store still lists removed objects */
async function removeBelow(bucket: Bucket, prefix: string): Promise<void> {
  let before: string | undefined;
  for (;;) {
    const keys = await bucket.list(prefix);
    const [first] = keys;
    if (first === undefined) return;
    if (first === before) throw storeFailed('the store still lists objects that were removed');
    before = first;
    await removeAll(bucket, keys);
  }
}

const uploadOf = ({ file, hash, bytes }: Draft): Upload => ({
  hash,
  bytes,
  read: () => Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>,
});

/**
 * Returns the sha-256 of an object from its metadata. Computes the hash if another program wrote
 * the object.
 */
async function hashAt(bucket: Bucket, key: string): Promise<string | undefined> {
  // Reads one byte, because an answer to HEAD doesn't distinguish a missing object from a missing
  // bucket.
  const part = await bucket.get(key, 'first byte');
  if (part === undefined) return undefined;
  await drop(part);
  const known = hashBeside(part);
  if (known !== undefined) return known;
  const whole = await bucket.get(key, 'whole');
  return whole && hashOf(describe(whole).read());
}

function describe(response: Response, bytesMax?: number): StoredObject {
  try {
    const bytes = lengthOf(response, bytesMax);
    return { bytes, read: () => objectParts(response, bytes) };
  } catch (cause) {
    void drop(response);
    throw cause;
  }
}

async function removeAll(bucket: Bucket, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += DELETES_AT_ONCE)
    await Promise.all(keys.slice(start, start + DELETES_AT_ONCE).map((key) => bucket.remove(key)));
}

/** Requires that the store honours `If-None-Match`. Otherwise one object could replace another. */
async function requireConditions(bucket: Bucket): Promise<void> {
  const key = `.fixpoint/probe-${randomUUID()}`;
  try {
    const isNew = await bucket.putNew(key, PROBE_UPLOAD);
    const isReplaced = await bucket.putNew(key, PROBE_UPLOAD);
    await removeAll(bucket, [key]);
    if (isNew && !isReplaced) return;
  } catch (cause) {
    const why = (cause as Error).message;
    throw new FixpointError('CONFIG_INVALID', `OBJECT_STORE: the bucket cannot be used: ${why}`, { cause });
  }
  throw new FixpointError(
    'CONFIG_INVALID',
    'OBJECT_STORE: the store ignores If-None-Match, so objects could be replaced: use another store',
  );
}
