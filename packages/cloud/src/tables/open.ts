import { join } from 'node:path';
import type { Db } from './database.ts';
import { openPostgres, whileAlone } from './postgres.ts';
import { openSqlite, SQLITE_FILE, whileAloneIn } from './sqlite.ts';

export interface Tables {
  readonly db: Db;
  readonly kind: 'sqlite' | 'postgres';
  /** The file of a SQLite database. */
  readonly file?: string;
  /** Runs what changes the shape of tables: of several processes that start at once, one after another. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * The tables at a PostgreSQL address, or in a file of the data folder.
 * @param report hears of connections that end by themselves
 * @throws FixpointError CONFIG_INVALID
 */
export async function openTables(
  url: string | undefined,
  folder: string,
  report: (error: unknown) => void,
): Promise<Tables> {
  if (url === undefined)
    return {
      db: await openSqlite(folder),
      kind: 'sqlite',
      file: join(folder, SQLITE_FILE),
      alone: (work) => whileAloneIn(folder, work),
    };
  const db = await openPostgres(url, report);
  return { db, kind: 'postgres', alone: (work) => whileAlone(url, work) };
}
