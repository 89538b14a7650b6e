/** Bytes by path of the object, wherever they lie. `stored-objects.test.ts` is the contract; paths are checked before they come here. */

export const VARIANTS_MAX = 1000;
/** Archives are far smaller. */
export const VARIANT_BYTES_MAX = 8_000_000;

/** Names the variant that bytes are, in letters and digits. */
export type VariantOf = (bytes: Buffer) => string | undefined;

export interface Repair {
  /** Whether somebody found the stored bytes wrong: then a hash that stands beside them says nothing. */
  isSuspect(): Promise<boolean>;
  /** Whether bytes are those of the name. */
  contentOf(bytes: Buffer): Promise<'right' | 'wrong' | 'unknown'>;
}

export type WriteOutcome = 'stored' | 'same' | 'different' | 'wrong';

export interface StoredObject {
  readonly bytes: number;
  /** To be called once: what is open is closed when it was read, or given up. */
  read(): AsyncIterable<Uint8Array>;
}

/** What is not there is told by `undefined` or `false`; a store that does not answer well is a failure. */
export interface StoredObjects {
  has(path: string): Promise<boolean>;
  /**
   * Resolves when the bytes are durable. An object that exists stays as it is; other bytes become a variant of it, unless they are `different` without
   * having a variant of their own.
   * @param hash the sha-256 that the bytes must have, as hex text; others are `wrong` and leave nothing behind
   * @param repair tells right bytes from wrong ones. Stored bytes that are wrong are replaced by bytes that are right
   */
  write(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    hash?: string,
    repair?: Repair,
  ): Promise<WriteOutcome>;
  /** The object as it was first stored, or a variant of it. */
  open(path: string, variant?: string): Promise<StoredObject | undefined>;
  variants(path: string): Promise<readonly string[]>;
  /** Removes the object with all its variants. Whether there was something to remove. */
  remove(path: string): Promise<boolean>;
  /** Removes all objects of a ledger, whose paths begin with `prefix`: tenant and ledger. */
  removeLedger(prefix: string): Promise<void>;
  /** Whether the store answers and takes objects, as far as can be told without writing one. */
  answers(): Promise<boolean>;
  /** A URL by which the object is read from the store itself, where clients are to do so. */
  readonly signRead?: (path: string, variant: string | undefined, lifeSeconds: number) => Promise<string>;
}

export async function bytesOf(object: StoredObject): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of object.read()) parts.push(part);
  return Buffer.concat(parts);
}

/** Whether stored bytes are to be replaced by others. */
export const isRepair = async (
  repair: Repair | undefined,
  stored: () => Promise<Buffer>,
  fresh: () => Promise<Buffer>,
): Promise<boolean> =>
  repair !== undefined &&
  (await repair.contentOf(await stored())) === 'wrong' &&
  (await repair.contentOf(await fresh())) === 'right';
