import { join } from 'node:path';
import type { Db, OnStatement, Preparation } from './connection.ts';
import { openPostgres, type PoolFigures, whileAlone } from './postgres.ts';
import { openSqlite, SQLITE_FILE, whileAloneIn } from './sqlite.ts';

export interface Tables {
  readonly db: Db;
  readonly kind: 'sqlite' | 'postgres';
  /** The file of a SQLite database. */
  readonly file?: string;
  /** Whether a statement has found that the file is damaged. */
  readonly isDamaged?: () => boolean;
  /** Counts the connections to PostgreSQL. */
  readonly pool?: () => PoolFigures;
  /** Runs a schema change in one process at a time. Several processes may start in parallel. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Opens the tables at a PostgreSQL address, or in a file of the data folder.
 * @param report receives errors of connections that broke
 * @param how by default, migrates the tables to this version
 * @param onStatement called after each statement
 * @throws FixpointError CONFIG_INVALID
 */
export async function openTables(
  url: string | undefined,
  folder: string,
  report: (error: unknown) => void,
  how: Preparation = 'migrate',
  onStatement?: OnStatement,
): Promise<Tables> {
  if (url === undefined) {
    let isDamaged = false;
    const onDamage = () => {
      isDamaged = true;
    };
    const db = await openSqlite(folder, how, onDamage, onStatement);
    return {
      db,
      kind: 'sqlite',
      file: join(folder, SQLITE_FILE),
      isDamaged: () => isDamaged,
      alone: (work) => whileAloneIn(folder, work),
    };
  }
  const { db, pool } = await openPostgres(url, report, how, onStatement);
  return { db, kind: 'postgres', pool, alone: (work) => whileAlone(url, work) };
}
