/**
 * Limits that decide when the rows that make opens quick are stored (docs/decisions/0209). Tests
 * lower them, so that small databases have these rows, too.
 */
export interface OpeningLimits {
  /** Smaller databases have no first blocks. */
  readonly databaseBytesMin: number;
  /** Total size of the first blocks. More of them would take longer to read than they save. */
  readonly firstBytesMax: number;
  /** Length of a part with places. Databases with fewer places have no parts. */
  readonly partBytes: number;
  /** Parts are written again only if they lack archives of this total size, ... */
  readonly lackedBytesMin: number;
  /** ... and this share of the size of all archives. */
  readonly lackedShare: number;
  /** In larger databases, a close would wait too long for the places of all blocks. */
  readonly bytesMaxAtClose: number;
  /** Number of checks without a write, four a second, before the rows are stored. */
  readonly quietLooks: number;
}

export const OPENING_LIMITS: OpeningLimits = {
  databaseBytesMin: 100_000,
  firstBytesMax: 32_000,
  // Longer than 64 kB, so that stores in files don't have these rows in their logs.
  partBytes: 70_000,
  lackedBytesMin: 1_000_000,
  lackedShare: 1 / 3,
  bytesMaxAtClose: 50_000_000,
  quietLooks: 20,
};
