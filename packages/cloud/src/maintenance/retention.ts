/**
 * Removes what has expired, in the background: audit records after the time that the operator
 * configured, sessions and codes of applications, failed mails, and traffic by day.
 */

import { removeExpiredSessions } from '../tables/applications/application-session-rows.ts';
import type { Db } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { removeFailedMailsBefore } from '../tables/operators/failed-mails.ts';
import { removeTrafficBefore } from '../tables/operators/traffic.ts';
import { removeAuditBefore } from '../tables/tenants/audit-records.ts';
import { createPeriodicSweep, type PeriodicSweep } from './periodic-sweep.ts';

const DAY_MS = 86_400_000;
const SWEEP_MS = 3_600_000;
/** Days for which failed mails and the traffic of tenants are kept. */
const MAIL_DAYS = 30;
const TRAFFIC_DAYS = 400;

export interface RetentionParts {
  readonly db: Db;
  /** Days for which audit records are kept; 0 keeps them forever. */
  readonly auditDays: number;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export function createRetention({ db, auditDays, now, report }: RetentionParts): PeriodicSweep {
  const removeExpired = async () => {
    await removeExpiredSessions(db, timestamp(now()));
    await removeFailedMailsBefore(db, timestamp(now() - MAIL_DAYS * DAY_MS));
    await removeTrafficBefore(db, timestamp(now() - TRAFFIC_DAYS * DAY_MS));
    if (auditDays > 0) await removeAuditBefore(db, timestamp(now() - auditDays * DAY_MS));
  };
  return createPeriodicSweep(SWEEP_MS, removeExpired, report);
}
