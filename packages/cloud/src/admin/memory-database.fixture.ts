import { Kysely, SqliteDialect } from 'kysely';
import SqliteDatabase from 'libsql';
import { onTestFinished } from 'vitest';
import { type Db, migrate } from '../tables/connection.ts';
import type { Schema } from '../tables/schema.ts';

/** Opens tables in memory, so that thousands of requests take seconds and write nothing to disk. */
export async function openMemoryDatabase(): Promise<Db> {
  const file = new SqliteDatabase(':memory:');
  file.pragma('foreign_keys = ON');
  const statements = new Map<string, ReturnType<typeof file.prepare>>();
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? file.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const database = { close: () => file.close(), prepare };
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database }) });
  onTestFinished(() => db.destroy());
  await migrate(db);
  return db;
}
