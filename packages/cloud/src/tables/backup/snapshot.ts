/**
 * Reads all rows as of one moment, while others write. SQLite: a read transaction on a separate
 * connection, so the file isn't copied while it changes. PostgreSQL: a repeatable-read transaction.
 */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../open-tables.ts';
import type { Schema } from '../schema.ts';
import { openForReading } from '../sqlite.ts';

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
const ROWS_AT_ONCE = 200;
/** Tables whose rows belong to the running processes, or that the migrator fills. */
const OMITTED = new Set(['kysely_migration', 'kysely_migration_lock', 'BackupLeases']);
/** Tables to which rows of other tables refer. */
const FIRST = ['user', 'Users', 'Tenants', 'Ledgers'];

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
      .execute(async (tx) => work(await snapshotOf(tx, fetchedRows)));
  const own = openForReading(file ?? '');
  try {
    return await own.transaction().execute(async (tx) => work(await snapshotOf(tx, streamedRows)));
  } finally {
    await own.destroy();
  }
}

type ReadRows = (tx: Transaction<Schema>, table: AnyTable) => AsyncIterable<readonly object[]>;

/** The first query fixes the moment. */
async function snapshotOf(tx: Transaction<Schema>, read: ReadRows): Promise<Snapshot> {
  const migration = await sql<{ name: string }>`select max(name) as name from kysely_migration`.execute(tx);
  const names = (await tx.introspection.getTables()).map(({ name }) => name);
  const rest = names.filter((name) => !FIRST.includes(name) && !OMITTED.has(name)).sort();
  return {
    tables: [...FIRST.filter((name) => names.includes(name)), ...rest],
    migration: migration.rows[0]?.name ?? '',
    rows: async function* (table) {
      for await (const rows of read(tx, table as AnyTable)) yield rows.map(plainOf);
    },
  };
}

/** The engine of SQLite steps through the rows, so only some of them are in memory. */
async function* streamedRows(tx: Transaction<Schema>, table: AnyTable): AsyncIterable<readonly object[]> {
  let some: object[] = [];
  for await (const row of tx.selectFrom(table).selectAll().stream()) {
    some.push(row);
    if (some.length < ROWS_AT_ONCE) continue;
    yield some;
    some = [];
  }
  yield some;
}

async function* fetchedRows(tx: Transaction<Schema>, table: AnyTable): AsyncIterable<readonly object[]> {
  const all = tx.selectFrom(table).selectAll();
  await sql`declare backup_rows no scroll cursor for ${all}`.execute(tx);
  for (;;) {
    const { rows } = await sql<object>`fetch 200 from backup_rows`.execute(tx);
    if (rows.length === 0) break;
    yield rows;
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
