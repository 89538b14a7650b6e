/** `fixpoint/opfs`: stores databases in the private file system of the browser. */
import { FixpointError } from '@fixpoint/protocol';
import { sha256 } from '../codec/sha256.ts';
import { browserPlatform } from '../platform/browser/browser-platform.ts';
import { opfsOpener } from '../platform/opfs/opfs-store.ts';
import { reportToConsole } from '../platform/report.ts';
import { systemRandom, systemTime } from '../platform/system.ts';
import type { StoreChoice } from '../ports/store-choice.ts';

export type { StoreChoice } from '../ports/store-choice.ts';

/** Options of `opfsStore`. */
export interface OpfsOptions {
  /**
   * True to move databases that are in IndexedDB to OPFS when they are opened. Other tabs that have
   * such a database open in IndexedDB are closed with STORE_UNREADABLE. If a move fails, or if this
   * origin stores more than 50 MB, the database stays in IndexedDB. A moved database can only be
   * opened with `opfsStore`: moves can't be undone. Default false.
   */
  readonly migrate?: boolean | undefined;
}

const choices = new Map<boolean, StoreChoice>();

/**
 * Returns a value for the option `store` of `fixpoint` in a dedicated worker. New databases are
 * then stored in OPFS, in which a write is several times as fast as in IndexedDB. Where OPFS isn't
 * available, they are stored in IndexedDB.
 * @throws FixpointError CONFIG_INVALID
 */
export function opfsStore({ migrate = false }: OpfsOptions = {}): StoreChoice {
  if (typeof migrate !== 'boolean') throw new FixpointError('CONFIG_INVALID', 'migrate is not a boolean');
  const known = choices.get(migrate);
  if (known !== undefined) return known;
  const parts = { sha256, random: systemRandom, time: systemTime, report: reportToConsole };
  const platform = browserPlatform(opfsOpener({ ...parts, migrates: migrate }));
  const choice = { platform: () => platform };
  choices.set(migrate, choice);
  return choice;
}
