/**
 * Lists all objects of a store, for backups and checks. The place of an object is the text by which
 * its store finds it. Places in a folder consist of hashes, so they don't reveal the object's name.
 */
import { bytesOf, type StoredObject } from './stored-objects.ts';

export interface ObjectInventory {
  readonly kind: 'folder' | 'bucket';
  /** Returns the place of the object with this path. */
  placeOf(path: string): string;
  /** Returns whether a text can be a place of this store. Any other text could lead elsewhere. */
  isPlace(text: string): boolean;
  /**
   * Yields the places of all objects, or those of one ledger.
   * @param ledger path of the ledger: tenant and ledger, separated by a slash
   * @throws FixpointError STORE_FAILED
   */
  places(ledger?: string): AsyncIterable<string>;
  /** @throws FixpointError STORE_FAILED */
  open(place: string): Promise<StoredObject | undefined>;
  /**
   * Stores bytes at a free place, and resolves when they are durable.
   * @throws FixpointError STORE_FAILED, STORE_FULL
   */
  fill(place: string, bytes: Buffer): Promise<void>;
  /** Returns the beginning of the places of a ledger's objects. */
  ledgerOf(ledger: string): string;
}

/** Number of objects that are read or written at the same time. */
const AT_ONCE = 16;
/** Larger groups of objects are read one after another, to limit the memory. */
const GROUP_BYTES_MAX = 64_000_000;

/**
 * Calls `work` with groups of items, one after another.
 * @param bytesIn the size of an item that is in memory, to limit the size of a group
 */
export async function inGroups<T>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (some: readonly T[]) => Promise<void>,
  bytesIn: (item: T) => number = () => 0,
): Promise<void> {
  let some: T[] = [];
  let bytes = 0;
  for await (const item of items) {
    some.push(item);
    bytes += bytesIn(item);
    if (some.length < AT_ONCE && bytes < GROUP_BYTES_MAX) continue;
    await work(some);
    [some, bytes] = [[], 0];
  }
  await work(some);
}

/**
 * Stores all objects, some at the same time.
 * @throws FixpointError STORE_FAILED, STORE_FULL
 */
export const fillAll = (
  objects: Pick<ObjectInventory, 'fill'>,
  source: AsyncIterable<{ readonly place: string; readonly bytes: Buffer }>,
): Promise<void> =>
  inGroups(
    source,
    async (some) => {
      await Promise.all(some.map(({ place, bytes }) => objects.fill(place, bytes)));
    },
    ({ bytes }) => bytes.length,
  );

/**
 * Yields the bytes of a group of objects, in their order; undefined for missing objects.
 * @throws FixpointError STORE_FAILED
 */
export async function* readGroup(
  objects: Pick<ObjectInventory, 'open'>,
  places: readonly string[],
): AsyncIterable<Buffer | undefined> {
  const found = await Promise.all(places.map((place) => objects.open(place)));
  const bytes = found.reduce((sum, object) => sum + (object?.bytes ?? 0), 0);
  const read = async (object: StoredObject | undefined) => object && bytesOf(object);
  if (bytes <= GROUP_BYTES_MAX) return yield* await Promise.all(found.map(read));
  for (const object of found) yield await read(object);
}
