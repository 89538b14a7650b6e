/**
 * Reads all rows as of one moment, while others write. SQLite: a read transaction on a separate
 * connection, so the file isn't copied while it changes. PostgreSQL: a repeatable-read transaction.
 */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../open-tables.ts';
import type { Schema } from '../schema.ts';
import { openForReading } from '../sqlite.ts';
import { ownTables } from './backup-tables.ts';

export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;

export interface Snapshot {
  /** Names of the tables, in an order in which their rows can be inserted. */
  readonly tables: readonly string[];
  /** Name of the last migration that ran. */
  readonly migration: string;
  /** Yields the rows of a table, some at a time. */
  rows(table: string): AsyncIterable<readonly Row[]>;
}

type AnyTable = keyof Schema;
/** Limits of the rows that are yielded at a time. A single row may have more characters. */
const [ROWS_AT_ONCE, CHARACTERS_AT_ONCE] = [200, 1_000_000];

/** Runs `work` with the rows of one moment, which isn't before the call. */
export async function withSnapshot<T>(
  { db, kind, file }: Tables,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  if (kind === 'postgres')
    return db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        // The transaction is idle while rows are written to the place of the backup.
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
        return work(await snapshotOf(tx, kind));
      });
  const own = openForReading(file ?? '');
  try {
    return await own.transaction().execute(async (tx) => work(await snapshotOf(tx, kind)));
  } finally {
    await own.destroy();
  }
}

/** The first query fixes the moment. */
async function snapshotOf(tx: Transaction<Schema>, kind: Tables['kind']): Promise<Snapshot> {
  const migration = await sql<{ name: string }>`select max(name) as name from kysely_migration`.execute(tx);
  const tables = await ownTables({ db: tx, kind });
  return {
    tables: tables.map(({ name }) => name),
    migration: migration.rows[0]?.name ?? '',
    rows: (table) => {
      const name = table as AnyTable;
      // The engine of SQLite steps through the rows, so only some of them are in memory.
      return inPortions(kind === 'sqlite' ? tx.selectFrom(name).selectAll().stream() : fetchedRows(tx, name));
    },
  };
}

async function* inPortions(rows: AsyncIterable<object>): AsyncIterable<readonly Row[]> {
  let some: Row[] = [];
  let characters = 0;
  for await (const row of rows) {
    const plain = plainOf(row);
    const size = JSON.stringify(plain).length;
    if (some.length >= ROWS_AT_ONCE || (some.length > 0 && characters + size > CHARACTERS_AT_ONCE)) {
      yield some;
      [some, characters] = [[], 0];
    }
    some.push(plain);
    characters += size;
  }
  if (some.length > 0) yield some;
}

async function* fetchedRows(tx: Transaction<Schema>, table: AnyTable): AsyncIterable<object> {
  const all = tx.selectFrom(table).selectAll();
  await sql`declare backup_rows no scroll cursor for ${all}`.execute(tx);
  for (;;) {
    // Few at a time, because a row may have a megabyte.
    const { rows } = await sql<object>`fetch 50 from backup_rows`.execute(tx);
    if (rows.length === 0) break;
    yield* rows;
  }
  await sql`close backup_rows`.execute(tx);
}

const plainOf = (row: object): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(name, value)]));

function plainValue(name: string, value: unknown): Value {
  if (value instanceof Date) return value.toISOString();
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Error(`the column ${name} has a value that a backup can't contain`);
}
