/** The drivers of SQLite that fit, their errors, and transactions that failed. */
import { FixpointError } from '@fixpoint/protocol';

/** A prepared statement. Each `?` of its SQL is one of the values. */
export interface SqliteStatement {
  /** Runs a statement that returns no rows. */
  run(...values: (string | number | Uint8Array)[]): unknown;
  /** Returns rows as objects whose keys are the names of the columns. */
  all(...values: (string | number | Uint8Array)[]): unknown[];
}

/** The part of a driver that `sqliteStore` needs. All calls are synchronous. */
export interface SqliteDriver {
  /** Runs one statement or several. */
  exec(sql: string): unknown;
  /** Prepares one statement, which is used again and again. */
  prepare(sql: string): SqliteStatement;
}

/** Result codes of SQLite (https://sqlite.org/rescode.html). */
const FULL = 13;
/** The first connection to a file needs 32 kB for the index of the WAL. */
const NO_WAL_INDEX = 4874;
const DAMAGED = [11, 26];
const NAMES: Readonly<Record<string, number>> = {
  SQLITE_FULL: 13,
  SQLITE_CORRUPT: 11,
  SQLITE_NOTADB: 26,
};

/**
 * Translates an error of a driver. `node:sqlite` has the number of the result in `errcode`,
 * better-sqlite3 its name in `code`. An extended result has the basic one in its lowest byte, and
 * at the start of its name.
 */
function sqliteFailure(cause: unknown): FixpointError {
  if (cause instanceof FixpointError) return cause;
  const { errcode, code, message } = (cause ?? {}) as Partial<Record<string, unknown>>;
  const name = /^SQLITE_[A-Z]+/.exec(String(code))?.[0] ?? '';
  const result = typeof errcode === 'number' ? errcode & 0xff : NAMES[name];
  const isWithoutIndex = errcode === NO_WAL_INDEX || code === 'SQLITE_IOERR_SHMSIZE';
  if (result === FULL || isWithoutIndex) return new FixpointError('STORE_FULL', undefined, { cause });
  const kind = DAMAGED.includes(result ?? 0) ? 'CORRUPT' : 'STORE_FAILED';
  return new FixpointError(kind, typeof message === 'string' ? message : undefined, { cause });
}

/** @throws FixpointError STORE_FULL, CORRUPT, STORE_FAILED */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw sqliteFailure(cause);
  }
}

/** Drivers with a transaction that failed, and whose ROLLBACK failed, too. */
const leftOpen = new WeakSet<SqliteDriver>();

/**
 * Undoes the transaction of a failed write, so that no read returns what it wrote.
 * @throws the error of the driver if it is still open
 */
export function undo(driver: SqliteDriver): void {
  leftOpen.add(driver);
  try {
    driver.exec('ROLLBACK');
  } catch (cause) {
    // After some failures, SQLite has undone the transaction already.
    if (!/no transaction is active/.test(String((cause as Partial<Error>).message))) throw cause;
  }
  leftOpen.delete(driver);
}

export function undoLeftOpen(driver: SqliteDriver): void {
  if (leftOpen.has(driver)) undo(driver);
}
