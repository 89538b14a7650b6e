/**
 * Stores bytes by path of the object, on disk or in a bucket. `stored-objects.test.ts` is the
 * contract; callers check paths first.
 */

export const VARIANTS_MAX = 1000;
/** Archives are far smaller. */
export const VARIANT_BYTES_MAX = 8_000_000;

/** Names the variant of the bytes, in letters and digits. */
export type VariantOf = (bytes: Buffer) => string | undefined;

export interface Repair {
  /** Whether the stored bytes were reported as wrong: the hash beside them then proves nothing. */
  isSuspect(): Promise<boolean>;
  /** Returns whether bytes are those of the name. */
  contentOf(bytes: Buffer): Promise<'right' | 'wrong' | 'unknown'>;
}

export type WriteOutcome = 'stored' | 'same' | 'different' | 'wrong';

export interface StoredObject {
  readonly bytes: number;
  /** Call once: the file or stream closes when it was read, or given up. */
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Reports absent objects by `undefined` or `false`; a store that does not answer properly is a
 * failure.
 */
export interface StoredObjects {
  has(path: string): Promise<boolean>;
  /**
   * Resolves when the bytes are durable. An existing object doesn't change; other bytes become a
   * variant of it, unless they are `different` without having a variant of their own.
   * @param hash the sha-256 that the bytes must have, as hex text; others are `wrong` and leave
   * nothing behind
   * @param repair tells right bytes from wrong ones. Stored bytes that are wrong are replaced by
   * right ones
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
  /** Removes the object with all its variants. Resolves to whether there was anything to remove. */
  remove(path: string): Promise<boolean>;
  /** Removes all objects of a ledger, whose paths begin with `prefix`: tenant and ledger. */
  removeLedger(prefix: string): Promise<void>;
  /**
   * Resolves to whether the store answers and accepts objects, as far as can be told without
   * writing one.
   */
  answers(): Promise<boolean>;
  /** Returns a URL by which clients read the object from the store itself, where configured. */
  readonly signRead?: (path: string, variant: string | undefined, lifeSeconds: number) => Promise<string>;
}

export async function bytesOf(object: StoredObject): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of object.read()) parts.push(part);
  return Buffer.concat(parts);
}

/** Returns whether stored bytes should be replaced by others. */
export const isRepair = async (
  repair: Repair | undefined,
  stored: () => Promise<Buffer>,
  fresh: () => Promise<Buffer>,
): Promise<boolean> =>
  repair !== undefined &&
  (await repair.contentOf(await stored())) === 'wrong' &&
  (await repair.contentOf(await fresh())) === 'right';
