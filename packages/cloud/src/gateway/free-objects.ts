/**
 * Objects of ledgers that are gone are removed in the background. Which ones is a row that was written with the removal of the ledger, so a crash forgets none. A URL
 * that was signed before is good for some minutes more: what comes by it is removed by a second look, and only then the row goes.
 */
import { LIMITS } from '@fixpoint/protocol';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Db } from '../tables/database.ts';
import { forgetRemovedLedger, listRemovedLedgers } from '../tables/removed-ledgers.ts';

const SWEEP_MS = 60_000;
const AT_ONCE = 100;
/** By then no URL is good, with a minute for clocks that differ and uploads that are slow. */
export const SETTLED_MS = LIMITS.signedUrlSecondsMax * 1000 + SWEEP_MS;

export interface FreeObjects {
  /** Looks now. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export interface FreeObjectsParts {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'removeLedger'>;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export function freeObjects({ db, objects, now, report }: FreeObjectsParts): FreeObjects {
  let running: Promise<void> | undefined;

  async function sweepAll(): Promise<void> {
    for (const { tenantId, ledgerId, removedAt } of await listRemovedLedgers(db, AT_ONCE)) {
      const isLast = now() - Date.parse(removedAt) > SETTLED_MS;
      try {
        await objects.removeLedger({ tenant: tenantId, ledger: ledgerId });
        if (isLast) await forgetRemovedLedger(db, ledgerId);
      } catch (cause) {
        // The row stays, and with it the next attempt; others need not wait for it.
        report(cause);
      }
    }
  }

  const sweep = () => {
    running = (running ?? Promise.resolve())
      .then(sweepAll)
      .catch(report)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const timer = setInterval(() => void sweep(), SWEEP_MS);
  timer.unref();
  return {
    sweep,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
