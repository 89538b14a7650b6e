/** Removes audit records in the background, after the time that the operator configured. */

import type { Db } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { removeAuditBefore } from '../tables/tenants/audit-records.ts';

const DAY_MS = 86_400_000;
const SWEEP_MS = 3_600_000;

export interface Retention {
  /** Removes expired records now. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export interface RetentionParts {
  readonly db: Db;
  /** 0 keeps them forever. */
  readonly auditDays: number;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export function createRetention({ db, auditDays, now, report }: RetentionParts): Retention {
  let running: Promise<void> = Promise.resolve();
  const sweep = () => {
    if (auditDays === 0) return running;
    running = running.then(() => removeAuditBefore(db, timestamp(now() - auditDays * DAY_MS))).catch(report);
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
