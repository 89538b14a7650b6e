/**
 * Reads many blocks in the order in which they are stored. Documents that follow each other by id
 * are stored in different archives. Reading them by id would open each archive again and again once
 * the archives are larger than the cache.
 */
import { append } from '../base/append.ts';
import type { ReadBlocks } from './block.ts';
import type { Cid } from './cid.ts';

/** Number of blocks that are read together. */
const BATCH = 500;

/** Looking up the places of this number of blocks takes a few milliseconds. */
const PLACES_AT_ONCE = 4000;

/**
 * Returns the indexes of blocks in the order in which to read them. An undefined CID has no block.
 * @param rest lets other work run, because a walk can need the order of a million blocks
 */
export async function orderByPlace(
  { placesOf }: Pick<ReadBlocks, 'placesOf'>,
  cids: readonly (Cid | undefined)[],
  rest?: () => Promise<void>,
): Promise<readonly number[]> {
  const inTurn = Array.from(cids.keys());
  if (cids.length <= BATCH || placesOf === undefined) return inTurn;
  const places = new Float64Array(cids.length);
  for (let from = 0; from < cids.length; from += PLACES_AT_ONCE) {
    if (from > 0) await rest?.();
    const some = await placesOf(cids.slice(from, from + PLACES_AT_ONCE));
    if (some === undefined) return inTurn;
    places.set(some, from);
  }
  return orderOf(places, rest);
}

/**
 * Returns the indexes of places in their order.
 * @param rest as in {@link orderByPlace}
 */
export async function orderOf(places: Float64Array, rest?: () => Promise<void>): Promise<readonly number[]> {
  const byArchive = new Map<number, number[]>();
  for (const [at, place] of places.entries()) {
    const archive = Math.floor(place / 2 ** 32);
    const ofArchive = byArchive.get(archive);
    if (ofArchive === undefined) byArchive.set(archive, [at]);
    else ofArchive.push(at);
  }
  const order: number[] = [];
  for (const [, some] of [...byArchive].sort(([a], [b]) => a - b)) {
    await rest?.();
    append(
      order,
      some.sort((a, b) => (places[a] as number) - (places[b] as number)),
    );
  }
  return order;
}

/**
 * Yields the blocks in batches, in the order in which to read them.
 * @param rest as in {@link orderByPlace}
 */
export async function* batchesByPlace(
  read: Pick<ReadBlocks, 'placesOf'>,
  cids: readonly Cid[],
  rest?: () => Promise<void>,
): AsyncGenerator<readonly Cid[], void> {
  const order = await orderByPlace(read, cids, rest);
  for (let from = 0; from < order.length; from += BATCH)
    yield order.slice(from, from + BATCH).map((at) => cids[at] as Cid);
}

/**
 * Returns the decoded blocks in the given order.
 * @param decode returns the value to keep of a block; `at` is the index of its CID
 * @param rest lets other work run between two batches
 * @throws as {@link ReadBlocks}
 */
export async function readByPlace<T>(
  read: ReadBlocks,
  cids: readonly Cid[],
  decode: (block: Uint8Array, at: number) => T,
  rest?: () => Promise<void>,
): Promise<T[]> {
  const found = new Array<T>(cids.length);
  const order = await orderByPlace(read, cids);
  for (let from = 0; from < order.length; from += BATCH) {
    if (from > 0) await rest?.();
    const some = order.slice(from, from + BATCH);
    const blocks = await read(some.map((at) => cids[at] as Cid));
    for (const [index, at] of some.entries()) found[at] = decode(blocks[index] as Uint8Array, at);
  }
  return found;
}
