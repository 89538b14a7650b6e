import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FixpointError } from '@fixpoint/protocol';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import SqliteDatabase from 'libsql';
import { type Db, migrate } from './connection.ts';
import type { Schema } from './schema.ts';

export const SQLITE_FILE = 'fixpoint.sqlite';

/**
 * Opens the SQLite file of a data folder. Each transaction is on disk when it resolves.
 * @throws FixpointError CONFIG_INVALID
 */
export const openSqlite = (folder: string): Promise<Db> =>
  whileAloneIn(folder, async () => {
    const file = openFile(join(folder, SQLITE_FILE), [
      'busy_timeout = 5000',
      'journal_mode = WAL',
      'synchronous = FULL',
      'foreign_keys = ON',
    ]);
    const db = new Kysely<Schema>({ dialect: new AtomicDialect({ database: withStatementCache(file) }) });
    await migrate(db);
    return db;
  });

/**
 * Migrates in one transaction. kysely would commit each statement, so a server that is killed
 * while it migrates would leave tables that no version can open.
 */
class AtomicDialect extends SqliteDialect {
  override createAdapter() {
    return new AtomicAdapter();
  }
}

class AtomicAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

const [LOCK_LOOK_MS, LOCK_LOOKS_MAX] = [20, 1500];

/**
 * Runs work in one process at a time among those that share the folder. The lock is on a separate
 * file, and the system releases it when the process dies.
 * @throws FixpointError CONFIG_INVALID after half a minute
 */
export async function whileAloneIn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = openFile(join(folder, 'start.lock'), ['busy_timeout = 0']);
  try {
    for (let looks = 0; !isTaken(lock); looks += 1) {
      if (looks >= LOCK_LOOKS_MAX)
        throw new FixpointError(
          'CONFIG_INVALID',
          `${folder}: another server has been starting there for half a minute: stop one of them, and try again`,
        );
      await pause(LOCK_LOOK_MS);
    }
    try {
      return await work();
    } finally {
      lock.exec('rollback');
    }
  } finally {
    lock.close();
  }
}

function isTaken(lock: SqliteDatabase.Database): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'SQLITE_BUSY') return false;
    throw cause;
  }
}

function openFile(path: string, settings: readonly string[]): SqliteDatabase.Database {
  try {
    const file = new SqliteDatabase(path);
    for (const setting of settings) file.pragma(setting);
    return file;
  } catch (cause) {
    throw new FixpointError('CONFIG_INVALID', `${path} cannot be opened: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/**
 * Takes the write lock at the start of a transaction. Otherwise a transaction that first reads and
 * then writes would fail if another process wrote in between.
 */
const BEGIN = { begin: 'begin immediate' } as Record<string, string>;

/**
 * Caches prepared statements. Preparing a statement costs more than running it, and the same texts
 * recur.
 */
function withStatementCache(file: SqliteDatabase.Database) {
  type Statement = ReturnType<SqliteDatabase.Database['prepare']>;
  const statements = new Map<string, Statement>();
  return {
    close: () => file.close(),
    prepare: (sql: string) => {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      const statement = file.prepare(BEGIN[sql] ?? sql);
      if (statements.size < 500) statements.set(sql, statement);
      return statement;
    },
  };
}
