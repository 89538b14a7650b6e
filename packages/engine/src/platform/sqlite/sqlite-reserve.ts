/**
 * Reserves of an SQLite file, as files next to it. SQLite doesn't return the space of removed rows
 * to the disk, and a delete needs space in the WAL, so free pages in the file itself don't suffice.
 */
import { createReserves, type ReservePlace, type Reserves } from '../reserve.ts';
import { guarded, type SqliteDriver, undoLeftOpen } from './sqlite-driver.ts';

/**
 * A checkpoint may have to extend the file by all new pages in the WAL: by up to 1 MB
 * (`CHECKPOINT_PAGES`), and those of the last write. Deletes write about 40 kB each into the WAL.
 */
const KINDS: Readonly<Record<keyof Reserves, { readonly suffix: string; readonly bytes: number }>> = {
  forDeletes: { suffix: '-reserve', bytes: 1_572_864 },
  forCompaction: { suffix: '-reserve-1', bytes: 1_572_864 },
  forPending: { suffix: '-reserve-2', bytes: 524_288 },
};
/** Pages of 4 kB in the WAL after which SQLite moves them into the file. */
export const CHECKPOINT_PAGES = 256;
/** After this many written bytes, it is checked whether another process released the reserve. */
const CHECK_BYTES = 1_048_576;

/** Returns the reserves of the file that the driver has open. */
export const sqliteReserves = (driver: SqliteDriver): Reserves =>
  createReserves((kind) => placeOf(driver, KINDS[kind]));

/**
 * The reserve is a database of its own, which is attached only while it changes: a transaction
 * would lock it, too. Its journal is in memory, and `auto_vacuum` shortens the file, so releasing
 * the reserve needs no space. If a crash damages it, there is no reserve from then on.
 */
function placeOf(
  driver: SqliteDriver,
  { suffix, bytes }: { readonly suffix: string; readonly bytes: number },
): ReservePlace {
  const attached = (calls: readonly string[]): void => {
    const { main: file = '', fixpoint_reserve: left } = filesOf(driver);
    // A database in memory has no file, and needs no space on the disk.
    if (file === '') return;
    if (left !== undefined) driver.exec('DETACH fixpoint_reserve');
    driver.exec(`ATTACH '${`${file}${suffix}`.replaceAll("'", "''")}' AS fixpoint_reserve`);
    try {
      driver.prepare('PRAGMA fixpoint_reserve.journal_mode = MEMORY').all();
      for (const call of calls) driver.exec(call);
    } finally {
      driver.exec('DETACH fixpoint_reserve');
    }
  };
  return {
    take: async (written) => {
      // Enough for this write, which fails in a transaction of the application, too.
      if (isInTransaction(driver)) return written;
      // The bytes are random, because some file systems store zeros without using space.
      guarded(() =>
        attached([
          'PRAGMA fixpoint_reserve.auto_vacuum = FULL',
          'CREATE TABLE IF NOT EXISTS fixpoint_reserve.space (bytes BLOB)',
          `INSERT INTO fixpoint_reserve.space SELECT randomblob(${bytes})
            WHERE NOT EXISTS (SELECT 1 FROM fixpoint_reserve.space)`,
        ]),
      );
      return written + CHECK_BYTES;
    },
    giveUp: async () => {
      if (isInTransaction(driver)) return;
      guarded(() => attached(['DELETE FROM fixpoint_reserve.space']));
      // The next write then starts at the beginning of the WAL, which keeps its length.
      guarded(() => driver.prepare('PRAGMA wal_checkpoint(PASSIVE)').all());
    },
  };
}

/** In a transaction, SQLite attaches a database, but doesn't detach it. */
function isInTransaction(driver: SqliteDriver): boolean {
  try {
    undoLeftOpen(driver);
    driver.exec('BEGIN; COMMIT');
    return false;
  } catch {
    return true;
  }
}

/** Returns the file of each database of the connection; an empty text for one in memory. */
function filesOf(driver: SqliteDriver): Partial<Record<string, string>> {
  const databases = driver.prepare('PRAGMA database_list').all() as { name: string; file: string | null }[];
  return Object.fromEntries(databases.map(({ name, file }) => [name, file ?? '']));
}
