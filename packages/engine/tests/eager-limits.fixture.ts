/**
 * Limits with which even small databases store the rows that make opens quick
 * (docs/decisions/0209): after each pause, compaction and close. So simulations open databases
 * through these rows.
 */
import type { OpeningLimits } from '../src/ports/opening-limits.ts';

export const EAGER_LIMITS: OpeningLimits = {
  databaseBytesMin: 0,
  firstBytesMax: 1000,
  partBytes: 60,
  lackedBytesMin: 1,
  lackedShare: 0,
  bytesMaxAtClose: Number.POSITIVE_INFINITY,
  quietLooks: 1,
};
