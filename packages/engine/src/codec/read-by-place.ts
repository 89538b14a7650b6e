/**
 * Reads many blocks in the order in which they are stored. Documents that follow each other by id
 * are stored in different archives. Reading them by id would open each archive again and again once
 * the archives are larger than the cache.
 */
import type { ReadBlocks } from './block.ts';
import type { Cid } from './cid.ts';

/** Number of blocks that are read together. */
const BATCH = 500;

/**
 * Returns the indexes of blocks in the order in which to read them. An undefined CID has no block.
 */
export async function orderByPlace(
  { placesOf }: Pick<ReadBlocks, 'placesOf'>,
  cids: readonly (Cid | undefined)[],
): Promise<number[]> {
  const order = Array.from(cids.keys());
  const places = cids.length <= BATCH ? undefined : await placesOf?.(cids);
  return places === undefined ? order : order.sort((a, b) => (places[a] as number) - (places[b] as number));
}

/** Yields the blocks in batches, in the order in which to read them. */
export async function* batchesByPlace(
  read: Pick<ReadBlocks, 'placesOf'>,
  cids: readonly Cid[],
): AsyncGenerator<readonly Cid[], void> {
  const order = await orderByPlace(read, cids);
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
