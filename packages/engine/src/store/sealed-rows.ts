import { isFixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../base/bytes.ts';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import type { DataKey } from '../crypto/keys.ts';
import { isSealedWith } from '../crypto/seal.ts';
import { isRowSealedWith, openRow, ROW_IV_BYTES, sealRow } from '../crypto/seal-row.ts';
import type { ByteStore, Guard, StoreChange } from '../ports/byte-store.ts';
import type { Random } from '../ports/random.ts';

/** Names of rows that callers seal themselves, so that this wrapper must not seal them again. */
export const SEALED_ALREADY = /^(car|commit|file)\//;

/**
 * Returns a store that seals all rows that callers don't seal: block indexes, head records, the
 * state of remotes. Plaintext rows of an earlier version remain readable.
 */
export function sealRows(
  store: ByteStore,
  keys: Pick<DatabaseKeys, 'keys' | 'refresh'>,
  random: Random,
): ByteStore {
  /** For each key that was in a guard: the row that this writer last wrote under that key. */
  const lastWritten = new Map<string, { readonly plain: Uint8Array; readonly stored: Uint8Array }>();

  async function open(row: string, stored: Uint8Array): Promise<Uint8Array> {
    if (stored.length === 0 || SEALED_ALREADY.test(row)) return stored;
    try {
      return await openRow(row, stored, keys.keys().all);
    } catch (cause) {
      // Another tab or process may have rotated the key.
      if (!isFixpointError(cause, 'KEY_UNKNOWN')) throw cause;
      await keys.refresh();
      return openRow(row, stored, keys.keys().all);
    }
  }

  async function seal(change: StoreChange): Promise<StoreChange> {
    const { key, bytes } = change;
    if (!bytes?.length || SEALED_ALREADY.test(key)) return change;
    return { ...change, bytes: await sealRow(key, bytes, keys.keys().current, random.bytes(ROW_IV_BYTES)) };
  }

  /** Returns the guard for the sealed bytes of a row, or undefined if the row has other content. */
  async function guardOver(guard: Guard): Promise<Guard | undefined> {
    const { key, bytes } = guard;
    // No read notices that another tab has rotated the key.
    if (bytes === undefined) await keys.refresh();
    if (bytes === undefined || SEALED_ALREADY.test(key)) return guard;
    const stored = await store.read(key);
    return stored && equalBytes(await open(key, stored), bytes) ? { ...guard, bytes: stored } : undefined;
  }

  async function writeGuarded(rows: readonly StoreChange[], guard: Guard): Promise<boolean> {
    const known = lastWritten.get(guard.key);
    if (known && guard.bytes && equalBytes(known.plain, guard.bytes)) {
      if (await store.write(rows, { ...guard, bytes: known.stored })) return true;
      lastWritten.delete(guard.key);
    }
    const exact = await guardOver(guard);
    if (exact === undefined) return false;
    // Another tab may have rotated the key since these rows were sealed, and may delete the
    // previous key. Then the caller must seal the rows again.
    const { current } = keys.keys();
    return rows.every((row) => isUnder(row, current)) && store.write(rows, exact);
  }

  const read = async (key: string): Promise<Uint8Array | undefined> => {
    const stored = await store.read(key);
    return stored && open(key, stored);
  };

  return {
    read,
    ...(store.readPart && { readPart: partReader(store.readPart.bind(store), read) }),
    readPrefix: async (prefix) => {
      const rows = [...(await store.readPrefix(prefix))];
      return new Map(
        await Promise.all(rows.map(async ([key, stored]) => [key, await open(key, stored)] as const)),
      );
    },
    keys: (prefix) => store.keys(prefix),
    write: async (changes, guard) => {
      const rows = await Promise.all(changes.map(seal));
      if (guard === undefined) return store.write(rows);
      if (!(await writeGuarded(rows, guard))) return false;
      const at = changes.findIndex(({ key }) => key === guard.key);
      const [plain, stored] = [changes[at]?.bytes, rows[at]?.bytes];
      if (plain && stored) lastWritten.set(guard.key, { plain, stored });
      return true;
    },
    ...otherVerbs(store),
    close: () => store.close(),
    destroy: () => store.destroy(),
  };
}

/** Returns the methods of the store that don't access the content of rows. */
const otherVerbs = (store: ByteStore): Partial<ByteStore> => ({
  ...(store.writer !== undefined && { writer: store.writer }),
  ...(store.partCost !== undefined && { partCost: store.partCost }),
  ...(store.refresh && { refresh: store.refresh.bind(store) }),
  ...(store.news && { news: store.news.bind(store) }),
  ...(store.watch && { watch: store.watch.bind(store) }),
  ...(store.isAlone && { isAlone: store.isAlone.bind(store) }),
  ...(store.ifAbandoned && { ifAbandoned: store.ifAbandoned.bind(store) }),
  ...(store.inTurn && { inTurn: store.inTurn.bind(store) }),
  ...(store.inspect && { inspect: store.inspect.bind(store) }),
  ...(store.shrink && { shrink: store.shrink.bind(store) }),
  ...(store.onClosed && { onClosed: store.onClosed.bind(store) }),
});

/** Returns whether a change is sealed with this key, or has no content to seal. */
export const isUnder = ({ key, bytes }: StoreChange, current: DataKey): boolean =>
  !bytes?.length ||
  (SEALED_ALREADY.test(key) ? isSealedWith(bytes, current) : isRowSealedWith(bytes, current));

/** Reads a part of a row. A sealed row can only be opened as a whole. */
const partReader =
  (readPart: NonNullable<ByteStore['readPart']>, read: ByteStore['read']): typeof readPart =>
  async (key, offset, length) =>
    SEALED_ALREADY.test(key)
      ? readPart(key, offset, length)
      : (await read(key))?.subarray(offset, offset + length);
