/** Inserts the rows of a backup into empty tables. */
import { randomBytes } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import { sql, type Transaction } from 'kysely';
import type { Connection } from '../connection.ts';
import { migrationNames, RESTORE_MARK } from '../migrations.ts';
import type { Tables } from '../open-tables.ts';
import type { Schema } from '../schema.ts';
import { isBackupTable, ownTables } from './backup-tables.ts';
import type { Row, Value } from './snapshot.ts';
import { USED_PLACE } from './used-places.ts';

/** Rows of one table. */
export interface TableRows {
  readonly table: string;
  readonly rows: readonly Row[];
}

type AnyTable = keyof Schema;
/** SQLite and PostgreSQL accept 32,766 values in a statement. */
const VALUES_MAX = 20_000;

/** Returns whether this version has the migration, so that it can read the rows of a backup. */
export const isKnownMigration = (name: string): boolean => migrationNames.includes(name);

/** @throws FixpointError CONFIG_INVALID when this version doesn't have a table of a backup */
export function requireKnownTables(names: readonly string[]): void {
  for (const name of names) if (!isBackupTable(name)) throw unknownPart(`table ${name}`);
}

/**
 * Rejects tables that a restore created, and whose rows it hasn't inserted.
 * @throws FixpointError CONFIG_INVALID
 */
export async function requireFilled(db: Connection): Promise<void> {
  const mark = await db
    .selectFrom('CloudMarks')
    .select('name')
    .where('name', '=', RESTORE_MARK)
    .executeTakeFirst();
  if (mark !== undefined)
    throw new FixpointError(
      'CONFIG_INVALID',
      'a restore into this database was interrupted: empty the database, the bucket and FIXPOINT_DATA, and restore again',
    );
}

/** Name of the row of `CloudMarks` with random text that each restore replaces. */
const RESTORED_AS = 'restored as';

/**
 * Returns text that only these restored tables have, or undefined if they weren't restored. The
 * server that the backup is of may still run, with the same secrets.
 */
export async function restoredAs(db: Connection): Promise<string | undefined> {
  const row = await db
    .selectFrom('CloudMarks')
    .select('value')
    .where('name', '=', RESTORED_AS)
    .executeTakeFirst();
  return row?.value;
}

/**
 * Inserts all rows in one transaction, which also removes the mark of an unfinished restore.
 * @throws FixpointError CONFIG_INVALID when a row belongs to a table or column that doesn't exist
 */
export async function fillTables(
  { db, kind }: Pick<Tables, 'db' | 'kind'>,
  source: AsyncIterable<TableRows>,
): Promise<void> {
  const tables = await ownTables({ db, kind });
  const columnsOf = new Map(
    tables.map(({ name, columns }) => [name, new Set(columns.map((each) => each.name))]),
  );
  await db.transaction().execute(async (tx) => {
    if (kind === 'sqlite') await sql`pragma defer_foreign_keys = on`.execute(tx);
    for await (const { table, rows } of source) {
      const columns = columnsOf.get(table);
      if (columns === undefined) throw unknownPart(`table ${table}`);
      await insert(
        tx,
        table as AnyTable,
        rows.map((row) => storableRow(row, table, columns, kind)),
      );
    }
    await tx.deleteFrom('CloudMarks').where('name', 'in', [RESTORE_MARK, RESTORED_AS]).execute();
    await tx.deleteFrom('CloudMarks').where('name', 'like', `${USED_PLACE}%`).execute();
    const value = randomBytes(16).toString('hex');
    await tx.insertInto('CloudMarks').values({ name: RESTORED_AS, value }).execute();
  });
}

async function insert(tx: Transaction<Schema>, table: AnyTable, rows: readonly Row[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const atOnce = Math.max(1, Math.floor(VALUES_MAX / Object.keys(first).length));
  for (let start = 0; start < rows.length; start += atOnce)
    await tx
      .insertInto(table)
      // The caller has compared the names with the columns of the table.
      .values(rows.slice(start, start + atOnce) as never)
      .execute();
}

function storableRow(row: Row, table: string, columns: ReadonlySet<string>, kind: Tables['kind']): Row {
  const entries = Object.entries(row).map(([name, value]): [string, Value] => {
    if (!columns.has(name)) throw unknownPart(`column ${name} of the table ${table}`);
    return [name, kind === 'sqlite' && typeof value === 'boolean' ? Number(value) : value];
  });
  return Object.fromEntries(entries);
}

const unknownPart = (what: string): FixpointError =>
  new FixpointError(
    'CONFIG_INVALID',
    `the backup contains the ${what}, which this version doesn't have: restore it with the version that made it`,
  );
