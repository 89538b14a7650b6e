import { FixpointError } from '@fixpoint/protocol';
import { type Kysely, Migrator, type Transaction } from 'kysely';
import { migrations } from './migrations.ts';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;
/** The database, or a transaction on it. */
export type Connection = Kysely<Schema> | Transaction<Schema>;

/**
 * Migrates the tables to this version. If several processes start at once, one process migrates
 * while the others wait.
 * @param upTo name of the last migration to run; by default all
 * @throws FixpointError CONFIG_INVALID
 */
export async function migrate(db: Db, upTo?: string): Promise<void> {
  const migrator = new Migrator({ db, provider: migrations });
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error !== undefined)
    throw new FixpointError('CONFIG_INVALID', 'the database cannot be migrated', { cause: error });
}

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
