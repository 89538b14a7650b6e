/**
 * Stores bytes by the path of an object, on disk or in a bucket. `stored-objects.test.ts` defines
 * the contract. Callers check paths first.
 */

export const VARIANTS_MAX = 1000;
/** Longest variant in bytes; archives are far smaller. */
export const VARIANT_BYTES_MAX = 8_000_000;

/**
 * Returns the name of the variant to which bytes belong, in letters and digits; undefined if they
 * can't be a variant.
 */
export type VariantOf = (bytes: Buffer) => string | undefined;

export interface Repair {
  /**
   * Returns whether the stored bytes were reported as wrong. If so, the hash in their metadata
   * proves nothing.
   */
  isSuspect(): Promise<boolean>;
  /** Returns whether the bytes match the name. */
  contentOf(bytes: Buffer): Promise<'right' | 'wrong' | 'unknown'>;
}

export type WriteOutcome = 'stored' | 'same' | 'different' | 'wrong';

export interface StoredObject {
  readonly bytes: number;
  /**
   * Reads the bytes. Call it once: the file or stream closes after reading, or when the reader
   * stops.
   */
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Stores objects. Reports absent objects by `undefined` or `false`, and throws when a store doesn't
 * answer properly.
 */
export interface StoredObjects {
  has(path: string): Promise<boolean>;
  /**
   * Stores bytes, and resolves when they are durable. An existing object doesn't change: other
   * bytes become a variant of it, or are rejected as `different` when they can't be one.
   * @param hash the sha-256 that the bytes must have, as hex text; other bytes are `wrong` and
   * aren't stored
   * @param repair finds out which bytes are right. Right bytes replace stored bytes that are wrong
   */
  write(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    hash?: string,
    repair?: Repair,
  ): Promise<WriteOutcome>;
  /** Returns the object as it was first stored, or a variant of it. */
  open(path: string, variant?: string): Promise<StoredObject | undefined>;
  variants(path: string): Promise<readonly string[]>;
  /** Returns the stored bytes of an object with its variants; 0 for a missing object. */
  bytesAt(path: string): Promise<number>;
  /** Removes the object with all its variants. Resolves to whether it existed. */
  remove(path: string): Promise<boolean>;
  /**
   * Removes all objects of a ledger. Their paths begin with `prefix`, which consists of tenant and
   * ledger.
   */
  removeLedger(prefix: string): Promise<void>;
  /**
   * Resolves to whether the store responds. Also checks whether it accepts objects, as far as that
   * is possible without storing one.
   */
  answers(): Promise<boolean>;
  /**
   * Returns a URL for a download from the store itself. Missing if clients download from this
   * server.
   */
  readonly signRead?: (path: string, variant: string | undefined, lifeSeconds: number) => Promise<string>;
}

export async function bytesOf(object: StoredObject): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of object.read()) parts.push(part);
  return Buffer.concat(parts);
}

/** Returns whether the fresh bytes should replace the stored bytes. */
export const isRepair = async (
  repair: Repair | undefined,
  stored: () => Promise<Buffer>,
  fresh: () => Promise<Buffer>,
): Promise<boolean> =>
  repair !== undefined &&
  (await repair.contentOf(await stored())) === 'wrong' &&
  (await repair.contentOf(await fresh())) === 'right';
