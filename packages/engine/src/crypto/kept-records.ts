/**
 * Remembers the records of a sealed ledger's current key, so that a device can restore them at a
 * server whose tables were restored from an older copy (docs/decisions/0139). Row
 * `<prefix>records`: `cbor([[text, owner], ...])`; `owner` is a user's id for a recovery code, and
 * empty for any other record.
 */
import { equalBytes } from '../base/bytes.ts';
import { asArray, decode, encode } from '../codec/dag-cbor.ts';
import type { PairParts } from './device-pair.ts';

/**
 * Maximum number of remembered records. A ledger has at most 200 devices and codes, so only a
 * member who floods the list exceeds this number.
 */
const KEPT_MAX = 500;

/** Owners by the text of the record. */
export type Kept = ReadonlyMap<string, string>;

export type KeptRecords = ReturnType<typeof keptRecords>;

/** Opens the remembered records. @throws FixpointError CORRUPT when the row is damaged */
export function keptRecords({ rows, prefix, save }: Pick<PairParts, 'rows' | 'prefix' | 'save'>) {
  const key = `${prefix}records`;
  let stored = rows.get(key) ?? encode([]);
  let kept: Kept = new Map(
    asArray(decode(stored)).map((pair) => asArray(pair).map(String) as [string, string]),
  );
  return {
    get: () => kept,
    set: async (next: Kept): Promise<void> => {
      const pairs = [...next].slice(0, KEPT_MAX);
      const bytes = encode(pairs);
      if (equalBytes(bytes, stored)) return;
      await save([{ key, bytes }]);
      [kept, stored] = [new Map(pairs), bytes];
    },
  };
}
