/**
 * Removes the objects of deleted ledgers in the background. The transaction that deletes a ledger
 * also inserts a row for its objects, so a crash can't leave the objects behind. Signed URLs stay
 * valid for some minutes after the deletion, and uploads may still arrive. Each pass therefore
 * removes the objects again. The first pass after the URLs have expired also deletes the row. While
 * a backup runs, nothing is removed.
 */
import { LIMITS } from '@fixpoint/protocol';
import type { ObjectStore } from '../objects/object-store.ts';
import { isBackupRunning } from '../tables/backup/backup-lease.ts';
import type { Db } from '../tables/connection.ts';
import { forgetRemovedLedger, listRemovedLedgers } from '../tables/ledgers/removed-ledgers.ts';
import { createPeriodicSweep, type PeriodicSweep } from './periodic-sweep.ts';

const SWEEP_MS = 60_000;
const AT_ONCE = 100;
/**
 * Milliseconds after which no signed URL of a deleted ledger is valid. Includes one minute for
 * clock differences and slow uploads.
 */
export const SETTLED_MS = LIMITS.signedUrlSecondsMax * 1000 + SWEEP_MS;

export interface FreeObjectsParts {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'removeLedger'>;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export function freeObjects({ db, objects, now, report }: FreeObjectsParts): PeriodicSweep {
  async function sweepAll(): Promise<void> {
    const removed = await listRemovedLedgers(db, AT_ONCE);
    // Checked after the list was read: a backup that starts later doesn't contain these ledgers.
    if (removed.length > 0 && (await isBackupRunning(db, now()))) return;
    for (const { tenantId, ledgerId, removedAt } of removed) {
      const isLast = now() - Date.parse(removedAt) > SETTLED_MS;
      try {
        await objects.removeLedger({ tenant: tenantId, ledger: ledgerId });
        if (isLast) await forgetRemovedLedger(db, ledgerId);
      } catch (cause) {
        // The row remains, so the next pass retries. Other ledgers don't wait.
        report(cause);
      }
    }
  }

  return createPeriodicSweep(SWEEP_MS, sweepAll, report);
}
