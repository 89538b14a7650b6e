import { open } from 'node:fs/promises';
import type { Tables } from './open-tables.ts';
import { damageOf } from './sqlite.ts';

/** The first bytes of every SQLite file. */
const MAGIC = 'SQLite format 3\0';
/** Tables from which one row is read, because `select 1` touches no page of the file. */
const READ = ['Users', 'Tenants', 'Ledgers', 'Metas', 'LedgerKeys'] as const;

type Answering = Pick<Tables, 'db' | 'file' | 'isDamaged'>;

/**
 * Returns a function like {@link tablesAnswer}, for tables whose file was checked once as a whole.
 * @param tell receives the reason if the file is damaged
 */
export async function checkedTablesAnswer(
  tables: Answering,
  tell: (reason: string) => void,
): Promise<() => Promise<boolean>> {
  const { db, file } = tables;
  const reason = file === undefined ? undefined : await damageOf(db, file);
  if (reason === undefined) return () => tablesAnswer(tables);
  tell(reason);
  return async () => false;
}

/**
 * Returns whether the tables can be read. The caller limits the time, because a database may not
 * answer.
 */
export async function tablesAnswer({ db, file, isDamaged }: Answering): Promise<boolean> {
  try {
    if (isDamaged?.()) return false;
    if (file !== undefined && !(await isDatabase(file))) return false;
    for (const table of READ) await db.selectFrom(table).selectAll().limit(1).execute();
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether the file is a database. An open connection still reads cached pages after the
 * file was deleted or overwritten.
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
