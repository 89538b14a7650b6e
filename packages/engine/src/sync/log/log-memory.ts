/**
 * Remembers the entries of the membership log that a device follows, so that no server can take a
 * removal back (docs/internals/membership-rules.md, L1). Rows, sealed with the database's key:
 * `<prefix>entry/<hex id>` contains the text of an entry, and `<prefix>log-rotation` that of the
 * record that contains the current data key. `<prefix>log-wait` exists if this device
 * saw a log whose id it doesn't know, and must not seal anything because of it.
 */
import type { EntryId } from '@fixpoint/protocol/storage';
import { textOf, utf8 } from '../../base/bytes.ts';
import type { StoreChange } from '../../ports/byte-store.ts';

/** Maximum number of characters that a device remembers; an honest server accepts no longer log. */
const CHARS_MAX = 16_000_000;

export interface LogMemoryParts {
  readonly prefix: string;
  readonly rows: ReadonlyMap<string, Uint8Array>;
  readonly save: (rows: readonly StoreChange[]) => Promise<void>;
}

export interface LogMemory {
  /** Returns the texts of the remembered entries by their ids. */
  texts(): ReadonlyMap<EntryId, string>;
  /** Returns the record with the current data key; undefined if `start` contains it. */
  rotation(): string | undefined;
  /**
   * Makes entries and the record with the current key durable. Entries never change, so known ones
   * are skipped.
   */
  remember(entries: Iterable<readonly [EntryId, string]>, rotation: string | undefined): Promise<void>;
  /** Returns whether this device saw an unknown log that makes its writes wait. */
  waits(): boolean;
  mustWait(): Promise<void>;
}

export function createLogMemory({ prefix, rows, save }: LogMemoryParts): LogMemory {
  const texts = new Map<EntryId, string>();
  const start = `${prefix}entry/`;
  for (const [row, bytes] of rows)
    if (row.startsWith(start)) texts.set(row.slice(start.length), textOf(bytes));
  let chars = [...texts.values()].reduce((sum, { length }) => sum + length, 0);
  const stored = rows.get(`${prefix}log-rotation`);
  let rotation = stored && textOf(stored);
  let waits = rows.has(`${prefix}log-wait`);
  return {
    texts: () => texts,
    rotation: () => rotation,
    remember: async (entries, record) => {
      const fresh = [...entries].filter(([id]) => chars <= CHARS_MAX && !texts.has(id));
      const rows = fresh.map(([id, text]) => ({ key: start + id, bytes: utf8(text) }));
      if (record !== undefined && record !== rotation)
        rows.push({ key: `${prefix}log-rotation`, bytes: utf8(record) });
      if (rows.length > 0) await save(rows);
      rotation = record ?? rotation;
      for (const [id, text] of fresh) {
        texts.set(id, text);
        chars += text.length;
      }
    },
    waits: () => waits,
    mustWait: async () => {
      if (waits) return;
      await save([{ key: `${prefix}log-wait`, bytes: new Uint8Array() }]);
      waits = true;
    },
  };
}
