import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FixpointError } from '@fixpoint/protocol';
import { Kysely, SqliteAdapter, SqliteDialect, sql } from 'kysely';
import SqliteDatabase from 'libsql';
import {
  type Db,
  migrate,
  type OnStatement,
  type Preparation,
  requireMigrated,
  statementLog,
} from './connection.ts';
import type { Schema } from './schema.ts';

export const SQLITE_FILE = 'fixpoint.sqlite';

/**
 * Opens the SQLite file of a data folder. Each transaction is on disk when it resolves.
 * @param onDamage called when a statement finds that the file is damaged
 * @throws FixpointError CONFIG_INVALID
 */
export async function openSqlite(
  folder: string,
  how: Preparation = 'migrate',
  onDamage: () => void = () => undefined,
  onStatement?: OnStatement,
): Promise<Db> {
  if (how !== 'require')
    return whileAloneIn(folder, async () => {
      const db = openWritable(folder, onDamage, onStatement);
      await migrate(db, how);
      return db;
    });
  if ((await stat(join(folder, SQLITE_FILE)).catch(() => undefined)) === undefined)
    throw new FixpointError('CONFIG_INVALID', `${folder} has no server: ${SQLITE_FILE} is missing`);
  const db = openWritable(folder, onDamage, onStatement);
  try {
    await requireMigrated(db);
    return db;
  } catch (cause) {
    await db.destroy();
    throw cause;
  }
}

function openWritable(folder: string, onDamage: () => void, onStatement?: OnStatement): Db {
  const pass = onStatement && statementLog(onStatement);
  const file = openFile(join(folder, SQLITE_FILE), [
    'busy_timeout = 5000',
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
  ]);
  return new Kysely<Schema>({
    dialect: new AtomicDialect({ database: withStatementCache(file) }),
    log: (event) => {
      if (event.level === 'error' && saysDamaged(event.error)) onDamage();
      pass?.(event);
    },
  });
}

/** Returns whether an error means that the file isn't a proper database. */
const saysDamaged = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown } | null)?.code)) ||
  /malformed|not a database/.test(String((error as Error | null)?.message));

/**
 * Largest file that is checked when a server starts. Checking takes a few seconds per gigabyte.
 */
const CHECKED_BYTES_MAX = 1_000_000_000;

/**
 * Checks the pages and indexes of a file, unless it is large. Returns why it is damaged, or
 * undefined.
 */
export async function damageOf(db: Db, file: string): Promise<string | undefined> {
  const { size } = await stat(file);
  if (size > CHECKED_BYTES_MAX) return undefined;
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
    const [text = 'no answer'] = rows.map(({ quick_check: line }) => line);
    return text === 'ok' ? undefined : text;
  } catch (cause) {
    return (cause as Error).message;
  }
}

/**
 * Opens another connection to an existing SQLite file, for a transaction that reads for a long
 * time. Other connections continue to write.
 * @throws FixpointError CONFIG_INVALID
 */
export function openForReading(file: string): Db {
  const database = openFile(file, ['busy_timeout = 5000', 'query_only = ON']);
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: withStatementCache(database, {}) }) });
}

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
function withStatementCache(file: SqliteDatabase.Database, instead = BEGIN) {
  type Statement = ReturnType<SqliteDatabase.Database['prepare']>;
  const statements = new Map<string, Statement>();
  return {
    close: () => file.close(),
    prepare: (sql: string) => {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      const statement = file.prepare(instead[sql] ?? sql);
      if (statements.size < 500) statements.set(sql, statement);
      return statement;
    },
  };
}
