import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { Kysely, SqliteDialect } from 'kysely';
import SqliteDatabase from 'libsql';
import { type Db, migrate } from './database.ts';
import type { Schema } from './schema.ts';

/** The SQLite file of a data folder: a transaction is on disk when it resolves. @throws FixpointError CONFIG_INVALID */
export async function openSqlite(folder: string): Promise<Db> {
  const file = openFile(join(folder, 'fixpoint.sqlite'));
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: withStatementCache(file) }) });
  await migrate(db);
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
