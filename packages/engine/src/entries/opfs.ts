/** `fixpoint/opfs`: stores databases in the private file system of the browser. */
import { sha256 } from '../codec/sha256.ts';
import { browserPlatform } from '../platform/browser/browser-platform.ts';
import { opfsOpener } from '../platform/opfs/opfs-store.ts';
import { reportToConsole } from '../platform/report.ts';
import { systemRandom, systemTime } from '../platform/system.ts';
import type { StoreChoice } from '../ports/store-choice.ts';

export type { StoreChoice } from '../ports/store-choice.ts';

let choice: StoreChoice | undefined;

/**
 * Returns a value for the option `store` of `fixpoint` in a dedicated worker. New databases are
 * then stored in OPFS, in which a write is several times as fast as in IndexedDB. Where OPFS isn't
 * available, they are stored in IndexedDB.
 */
export function opfsStore(): StoreChoice {
  const parts = { sha256, random: systemRandom, time: systemTime, report: reportToConsole };
  choice ??= { platform: browserPlatform(opfsOpener(parts)) };
  return choice;
}
