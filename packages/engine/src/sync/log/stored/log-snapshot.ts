/**
 * Remembers what a device concluded from the log that it follows, so that opening a ledger with a
 * long log doesn't evaluate it (decision 0207). One row, `<prefix>log-state`, sealed with the
 * database's key.
 */
import { type EntryId, LOG_CHECKS_VERSION, type SeatName } from '@fixpoint/protocol/storage';
import { hex, textOf, utf8 } from '../../../base/bytes.ts';
import { sha256OfLong } from '../../../codec/sha256.ts';
import type { LedgerFork, LedgerKeys } from '../../../crypto/ledger-keys.ts';
import type { KeyState } from '../../../membership/keys.ts';
import type { LogMemory, LogMemoryParts } from './log-memory.ts';

/**
 * The version of the rules by which entries count. Increase it with each change of what `evaluate`,
 * `keyStateOf` or this file concludes.
 */
const RULES_VERSION = 1;

/** The part of a log's state that a device needs until the first list arrives. */
interface Conclusion {
  readonly heads: readonly EntryId[];
  readonly key?: KeyState | undefined;
  readonly seat?: SeatName | undefined;
  readonly person?: EntryId | undefined;
  /** The name of the data key that seals. */
  readonly current?: string | undefined;
  readonly forks: readonly LedgerFork[];
}

interface SnapshotParts extends Pick<LogMemoryParts, 'ledger' | 'prefix' | 'rows' | 'save'> {
  readonly keys: Pick<LedgerKeys, 'pair' | 'all'>;
}

export interface LogSnapshot {
  /**
   * Returns the last conclusion, if it is one from exactly the remembered entries and data keys,
   * and each of these entries passed all checks.
   */
  restored(start: EntryId, memory: LogMemory): Promise<Conclusion | undefined>;
  /** Stores a conclusion from exactly the remembered entries. */
  store(start: EntryId, memory: LogMemory, conclusion: Conclusion): Promise<void>;
}

export function createSnapshot({ ledger, prefix, rows, save, keys }: SnapshotParts): LogSnapshot {
  const row = `${prefix}log-state`;
  const stored = rows.get(row);
  let last = stored && textOf(stored);

  /** Names everything that a conclusion depends on. */
  async function nameOf(start: EntryId, memory: LogMemory): Promise<string> {
    const versions = `${LOG_CHECKS_VERSION}/${RULES_VERSION}`;
    const names = [...memory.texts().keys(), ...keys.all().keys()].sort();
    const all = [versions, hex(ledger), hex(keys.pair.publicKey), start, ...names];
    return hex(await sha256OfLong(utf8(all.join())));
  }

  return {
    restored: async (start, memory) => {
      if (last === undefined || ![...memory.texts().keys()].every((id) => memory.checked.has(id)))
        return undefined;
      const [name, conclusion] = JSON.parse(last) as [string, Conclusion];
      return name === (await nameOf(start, memory)) ? conclusion : undefined;
    },
    store: async (start, memory, conclusion) => {
      const next = JSON.stringify([await nameOf(start, memory), conclusion]);
      if (next === last) return;
      await save([{ key: row, bytes: utf8(next) }]);
      last = next;
    },
  };
}
