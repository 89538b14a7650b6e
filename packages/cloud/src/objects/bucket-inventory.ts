/** Lists the objects that `s3-objects.ts` stores. The place of an object is its key. */
import { createHash } from 'node:crypto';
import { LIMITS } from '@fixpoint/protocol';
import type { Bucket, Upload } from './bucket.ts';
import { storeFailed } from './bucket-answers.ts';
import type { ObjectInventory } from './inventory.ts';
import { openObject } from './s3-objects.ts';
import { bytesOf } from './stored-objects.ts';

const PLACE = /^[A-Za-z0-9._-]{1,256}\/[A-Za-z0-9._-]{1,256}\/[A-Za-z0-9._-]{1,520}\/[A-Za-z0-9._~-]{1,520}$/;

export function bucketInventory(bucket: Bucket): ObjectInventory {
  const ledgerOf = (ledger: string) => `${ledger}/`;
  return {
    kind: 'bucket',
    ledgerOf,
    placeOf: (path) => path,
    isPlace: (text) => PLACE.test(text) && !text.split('/').some((part) => part === '.' || part === '..'),
    places: (ledger) => keysOf(bucket, ledger === undefined ? '' : ledgerOf(ledger)),
    open: (place) => openObject(bucket, place),
    fill: (place, bytes) => putOnce(bucket, place, bytes),
  };
}

/**
 * Stores bytes under a free key. Succeeds if the key has the same bytes, because the answer to an
 * earlier try may have been lost.
 * @throws FixpointError STORE_FAILED
 */
export async function putOnce(bucket: Bucket, key: string, bytes: Buffer): Promise<void> {
  if (await bucket.putNew(key, uploadOf(bytes))) return;
  const found = await openObject(bucket, key, Math.max(bytes.length, LIMITS.objectBytesMax));
  if (found === undefined || !(await bytesOf(found)).equals(bytes))
    throw storeFailed(`${key} already exists in the bucket`);
}

/** Yields all keys with this prefix, in their order. */
export async function* keysOf(bucket: Bucket, prefix: string): AsyncIterable<string> {
  let after: string | undefined;
  for (;;) {
    const keys = await bucket.list(prefix, after);
    yield* keys;
    const last = keys.at(-1);
    if (last === undefined || last === after) return;
    after = last;
  }
}

const uploadOf = (bytes: Buffer): Upload => ({
  bytes: bytes.byteLength,
  hash: createHash('sha256').update(bytes).digest('hex'),
  read: () => new Blob([new Uint8Array(bytes)]).stream(),
});
