import { open } from 'node:fs/promises';
import type { Tables } from './open-tables.ts';

/** The first bytes of every SQLite file. */
const MAGIC = 'SQLite format 3\0';
/** Tables that a row is read from: `select 1` touches no page of the file. */
const READ = ['Users', 'Tenants', 'Ledgers', 'Metas', 'LedgerKeys'] as const;

/**
 * Returns whether the tables can be read. May take long when the database doesn't answer: the
 * caller limits the time.
 */
export async function tablesAnswer({ db, file }: Pick<Tables, 'db' | 'file'>): Promise<boolean> {
  try {
    if (file !== undefined && !(await isDatabase(file))) return false;
    for (const table of READ) await db.selectFrom(table).selectAll().limit(1).execute();
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether the file is a database. An open connection keeps reading cached pages, even when
 * the file is gone or overwritten.
 */
async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return buffer.toString('latin1') === MAGIC;
  } finally {
    await handle.close();
  }
}
