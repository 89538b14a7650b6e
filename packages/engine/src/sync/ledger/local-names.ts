/**
 * The names that the user of this device gave to members and devices. They stay on this device, and
 * no rule depends on them (docs/decisions/0206). Row `<prefix>log-names`, sealed with the
 * database's key: `cbor([[subject, name], ...])`.
 */
import { FixpointError } from '@fixpoint/protocol';
import { type EntryId, isNameOfEntry } from '@fixpoint/protocol/storage';
import { utf8 } from '../../base/bytes.ts';
import { asArray, decode, encode } from '../../codec/dag-cbor.ts';
import type { StoreChange } from '../../ports/byte-store.ts';

/** Maximum number of names. A ledger has at most 200 devices at a time. */
const NAMES_MAX = 1000;

/** A person, by the entry that admitted them, or a device, by its id in the list of devices. */
export type Subject = `person/${EntryId}` | `device/${string}`;

export interface LocalNames {
  of(subject: Subject): string | undefined;
  /**
   * Names all of these. An empty name removes the name that they had.
   * @throws FixpointError REQUEST_INVALID for a name that isn't valid, LIMIT_REACHED
   */
  set(subjects: readonly Subject[], name: string): Promise<void>;
  /** Returns how often this changed since it was opened. */
  changes(): number;
}

interface NamesPlace {
  readonly prefix: string;
  readonly rows: ReadonlyMap<string, Uint8Array>;
  readonly save: (rows: readonly StoreChange[]) => Promise<void>;
}

/** Opens the names. @throws FixpointError CORRUPT if the row is damaged */
export function openLocalNames({ prefix, rows, save }: NamesPlace): LocalNames {
  const key = `${prefix}log-names`;
  const stored = rows.get(key);
  const pairs = stored === undefined ? [] : asArray(decode(stored)).map(asArray);
  let names: ReadonlyMap<string, string> = new Map(
    pairs.map(([subject, name]) => [String(subject), String(name)]),
  );
  let changes = 0;
  return {
    of: (subject) => names.get(subject),
    changes: () => changes,
    set: async (subjects, given) => {
      const name = given.trim();
      if (name !== '' && !isNameOfEntry(utf8(name))) throw new FixpointError('REQUEST_INVALID', 'the name');
      const next = new Map(names);
      for (const subject of subjects) {
        if (name === '') next.delete(subject);
        else next.set(subject, name);
      }
      if (next.size > NAMES_MAX) throw new FixpointError('LIMIT_REACHED', `${NAMES_MAX} names`);
      await save([{ key, bytes: next.size === 0 ? undefined : encode([...next]) }]);
      names = next;
      changes += 1;
    },
  };
}
