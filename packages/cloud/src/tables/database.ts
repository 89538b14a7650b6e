import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { Kysely, Migrator, SqliteDialect, type Transaction } from 'kysely';
import SqliteDatabase from 'libsql';
import { migrations } from './migrations.ts';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;
/** The database, or a transaction on it. */
export type Connection = Kysely<Schema> | Transaction<Schema>;

/** The SQLite file of a data folder: a transaction is on disk when it resolves. @throws FixpointError CONFIG_INVALID */
export async function openSqlite(folder: string): Promise<Db> {
  const file = openFile(join(folder, 'fixpoint.sqlite'));
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: withStatementCache(file) }) });
  const { error } = await new Migrator({ db, provider: migrations }).migrateToLatest();
  if (error !== undefined)
    throw new FixpointError('CONFIG_INVALID', 'the database cannot be migrated', { cause: error });
  return db;
}

function openFile(path: string): SqliteDatabase.Database {
  try {
    const file = new SqliteDatabase(path);
    for (const setting of [
      'journal_mode = WAL',
      'synchronous = FULL',
      'foreign_keys = ON',
      'busy_timeout = 5000',
    ])
      file.pragma(setting);
    return file;
  } catch (cause) {
    throw new FixpointError('CONFIG_INVALID', `${path} cannot be opened: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** A transaction takes the right to write at once: one that reads first would fail when another process wrote meanwhile. */
const BEGIN = { begin: 'begin immediate' } as Record<string, string>;

/** Preparing a statement costs more than running it; the same texts come again and again. */
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

/** Whether a failure says that a row with the same unique value exists. */
export function isDuplicate(cause: unknown): boolean {
  const code = String((cause as { code?: unknown }).code ?? '');
  return (
    code.startsWith('SQLITE_CONSTRAINT_UNIQUE') ||
    code.startsWith('SQLITE_CONSTRAINT_PRIMARYKEY') ||
    code === '23505'
  );
}
