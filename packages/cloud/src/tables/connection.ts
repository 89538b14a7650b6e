import { FixpointError } from '@fixpoint/protocol';
import { type Kysely, type LogEvent, Migrator, sql, type Transaction } from 'kysely';
import { migrationNames, migrations, migrationsOfRestore } from './migrations.ts';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;
/** The database, or a transaction on it. */
export type Connection = Kysely<Schema> | Transaction<Schema>;

/**
 * Says how tables are opened: `migrate` migrates them to this version, `require` rejects tables of
 * another version, and `restoreUpTo` creates them with this last migration for a backup's rows.
 */
export type Preparation = 'migrate' | 'require' | { readonly restoreUpTo: string };

/**
 * Migrates the tables. If several processes start at once, one process migrates while the others
 * wait.
 * @throws FixpointError CONFIG_INVALID
 */
export async function migrate(db: Db, how: Exclude<Preparation, 'require'> = 'migrate'): Promise<void> {
  const provider = how === 'migrate' ? migrations : migrationsOfRestore(how.restoreUpTo);
  const migrator = new Migrator({ db, provider });
  const { error } = await (how === 'migrate'
    ? migrator.migrateToLatest()
    : migrator.migrateTo(how.restoreUpTo));
  if (error !== undefined)
    throw new FixpointError('CONFIG_INVALID', 'the database cannot be migrated', { cause: error });
}

/**
 * Requires the tables of this version, and changes nothing.
 * @throws FixpointError CONFIG_INVALID
 */
export async function requireMigrated(db: Db): Promise<void> {
  const refuse = (why: string) => {
    throw new FixpointError('CONFIG_INVALID', why);
  };
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`
    .execute(db)
    .catch((cause) =>
      /no such table|does not exist/.test((cause as Error).message) ? { rows: [] } : Promise.reject(cause),
    );
  if (rows.length === 0) return refuse('the database has no tables of a server');
  const names = rows.map(({ name }) => name);
  const newer = names.find((name) => !migrationNames.includes(name));
  if (newer !== undefined)
    return refuse(`the tables are of a newer version (${newer}): run this command in the server's version`);
  const lacking = migrationNames.find((name) => !names.includes(name));
  if (lacking !== undefined)
    refuse(
      `the tables are of an older version, without ${lacking}: run this command in the server's version, or start this version of the server first`,
    );
}

/** A statement that has ended. */
interface EndedStatement {
  readonly sql: string;
  readonly ms: number;
  readonly failed: boolean;
}

export type OnStatement = (statement: EndedStatement) => void;

/** Returns the hook of kysely that passes each statement on. */
export const statementLog =
  (onStatement: OnStatement) =>
  ({ level, query, queryDurationMillis: ms }: LogEvent): void =>
    onStatement({ sql: query.sql, ms, failed: level === 'error' });

const TRIES_MAX = 10;

/**
 * Runs a transaction. Retries it if the database rolled it back because of another transaction, or
 * if another transaction inserted the same row. `work` may run more than once, so it must have no
 * other effects.
 */
export async function inTransaction<T>(db: Db, work: (tx: Transaction<Schema>) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (cause) {
      if (tries >= (isDuplicate(cause) ? 2 : wasUndone(cause) ? TRIES_MAX : 1)) throw cause;
    }
  }
}

const codeOf = (cause: unknown): string => String((cause as { code?: unknown } | null)?.code ?? '');

/** Returns whether PostgreSQL reports a serialization failure (40001) or a deadlock (40P01). */
const wasUndone = (cause: unknown): boolean => ['40001', '40P01'].includes(codeOf(cause));

/** Returns whether a statement failed because a row with the same unique value exists. */
export function isDuplicate(cause: unknown): boolean {
  const code = codeOf(cause);
  return (
    code.startsWith('SQLITE_CONSTRAINT_UNIQUE') ||
    code.startsWith('SQLITE_CONSTRAINT_PRIMARYKEY') ||
    code === '23505'
  );
}
