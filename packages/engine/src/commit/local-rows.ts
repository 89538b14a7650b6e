/**
 * Rows that exist only on this device: the rows of indexes, which can be rebuilt from the
 * documents, and the id or signing key of the device. They aren't part of the history and are never
 * uploaded.
 */
import type { ByteStore, Guard } from '../ports/byte-store.ts';
import { LOCAL_ROWS, localKey, nameIn } from '../store/names.ts';

export interface LocalRow {
  readonly name: string;
  /** Undefined if the row doesn't exist. Writing undefined removes the row. */
  readonly bytes: Uint8Array | undefined;
}

export interface LocalRows {
  /** @throws FixpointError CORRUPT, KEY_UNKNOWN, STORE_FAILED */
  read(name: string): Promise<Uint8Array | undefined>;
  names(prefix: string): Promise<readonly string[]>;
  /**
   * Writes all changes in one step. Returns false and writes nothing when the stored row differs
   * from the guard.
   * @throws FixpointError STORE_FULL, STORE_FAILED
   */
  write(
    changes: readonly LocalRow[],
    guard?: LocalRow & Pick<Guard, 'frees' | 'coversAll'>,
  ): Promise<boolean>;
}

export function createLocalRows(store: ByteStore): LocalRows {
  const rowOf = ({ name, bytes }: LocalRow) => ({ key: localKey(name), bytes });
  return {
    read: (name) => store.read(localKey(name)),
    names: async (prefix) => (await store.keys(localKey(prefix))).map((key) => nameIn(LOCAL_ROWS, key)),
    write: (changes, guard) =>
      store.write(
        changes.map(rowOf),
        guard && { ...rowOf(guard), frees: guard.frees, coversAll: guard.coversAll },
      ),
  };
}
