/**
 * Checks the data of a server, which may run: every row can be read, and every object that a row
 * names exists and has the right bytes. Also lists objects that nothing names.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { sql } from 'kysely';
import type { CloudConfig } from './config.ts';
import { checkContent } from './gateway/content/check-content.ts';
import { inGroups, type ObjectInventory, readGroup } from './objects/inventory.ts';
import { openExisting } from './operate-tables.ts';
import { inventoryOf } from './start-backups.ts';
import { withSnapshot } from './tables/backup/snapshot.ts';
import type { Db } from './tables/connection.ts';
import type { Tables } from './tables/open-tables.ts';
import { readKeys } from './tables/sync/ledger-key-rows.ts';
import { allNamedObjects } from './tables/sync/ledger-objects.ts';

/** An object that a row names, by ledger and name. */
export interface CheckedObject {
  readonly tenantId: string;
  readonly ledgerId: string;
  /** Such as `car/<key>`. */
  readonly name: string;
}

export interface CheckReport {
  /** Tables or indexes that can't be read, each with the reason. */
  readonly tables: readonly string[];
  readonly rows: number;
  /** Number of objects in the store. */
  readonly objects: number;
  /** Number of objects whose bytes prove that they are right. */
  readonly proven: number;
  readonly missing: readonly CheckedObject[];
  readonly damaged: readonly CheckedObject[];
  /**
   * Places of objects that belong to no ledger. A server removes objects of a deleted ledger within
   * minutes, and so far nothing else.
   */
  readonly orphans: readonly string[];
  /**
   * Number of objects of ledgers that no row names: uploads in progress, objects that only clients
   * know, and objects that clients no longer need.
   */
  readonly unnamed: number;
  /** Whether the store has objects although the tables have no databases. */
  readonly lacksLedgers: boolean;
}

type Found = {
  -readonly [name in keyof CheckReport]: CheckReport[name] extends readonly (infer T)[]
    ? T[]
    : CheckReport[name];
};

/** @throws FixpointError CONFIG_INVALID when the stores can't be opened, STORE_FAILED */
export async function checkServer(config: CloudConfig): Promise<CheckReport> {
  const found: Found = {
    tables: [],
    rows: 0,
    objects: 0,
    proven: 0,
    missing: [],
    damaged: [],
    orphans: [],
    unnamed: 0,
    lacksLedgers: false,
  };
  const tables = await openOrTell(config, found);
  if (tables === undefined) return found;
  try {
    await checkTables(tables, found);
    if (found.tables.length > 0) return found;
    const objects = inventoryOf(config);
    await checkObjects(tables.db, objects, found);
    found.lacksLedgers = await lacksLedgers(tables.db, objects);
    return found;
  } finally {
    await tables.db.destroy();
  }
}

/**
 * Returns whether the store has objects although the tables have no databases. Then the tables were
 * emptied, or are those of another server.
 */
export async function lacksLedgers(db: Db, objects: ObjectInventory): Promise<boolean> {
  for (const table of ['Ledgers', 'RemovedLedgers'] as const)
    if ((await db.selectFrom(table).select('ledgerId').limit(1).executeTakeFirst()) !== undefined)
      return false;
  for await (const _ of objects.places()) return true;
  return false;
}

/** Reports a file that can't be opened because it is damaged. */
async function openOrTell(config: CloudConfig, found: Found): Promise<Tables | undefined> {
  try {
    return (await openExisting(config)).tables;
  } catch (cause) {
    const reason = reasonOf(cause);
    if (!/malformed|not a database|disk image/.test(reason)) throw cause;
    found.tables.push(reason);
    return undefined;
  }
}

function reasonOf(cause: unknown): string {
  const { message, cause: deeper } = cause as Error;
  return isFixpointError(cause) && deeper instanceof Error ? `${message}: ${deeper.message}` : message;
}

async function checkTables(tables: Tables, found: Found): Promise<void> {
  if (tables.kind === 'sqlite') {
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`
      .execute(tables.db)
      .catch((cause) => ({ rows: [{ integrity_check: reasonOf(cause) }] }));
    for (const { integrity_check: text } of rows) if (text !== 'ok') found.tables.push(text);
  }
  await withSnapshot(tables, async (snapshot) => {
    for (const table of snapshot.tables) {
      try {
        for await (const rows of snapshot.rows(table)) found.rows += rows.length;
      } catch (cause) {
        found.tables.push(`${table}: ${reasonOf(cause)}`);
        // PostgreSQL runs no further statements in this transaction.
        if (tables.kind === 'postgres') return;
      }
    }
  }).catch((cause) => {
    if (found.tables.length === 0) found.tables.push(reasonOf(cause));
  });
}

async function checkObjects(db: Db, objects: ObjectInventory, found: Found): Promise<void> {
  const before = await ledgersIn(db);
  for (const ledger of before) await checkLedger(db, objects, ledger, found);
  // Read again, because ledgers may have been created since.
  const known = new Set([...before, ...(await ledgersIn(db))].map(pathOf).map(objects.ledgerOf));
  const removed = await db.selectFrom('RemovedLedgers').select(['tenantId', 'ledgerId']).execute();
  for (const ledger of removed) known.add(objects.ledgerOf(pathOf(ledger)));
  for await (const place of objects.places()) {
    found.objects += 1;
    if (!known.has(place.split('/').slice(0, 2).join('/').concat('/'))) found.orphans.push(place);
  }
}

interface LedgerRow {
  readonly tenantId: string;
  readonly ledgerId: string;
}

const ledgersIn = (db: Db): Promise<LedgerRow[]> =>
  db.selectFrom('Ledgers').select(['tenantId', 'ledgerId']).execute();

const pathOf = ({ tenantId, ledgerId }: LedgerRow): string => `${tenantId}/${ledgerId}`;

async function checkLedger(db: Db, objects: ObjectInventory, ledger: LedgerRow, found: Found): Promise<void> {
  const { tenantId, ledgerId } = ledger;
  const path = pathOf(ledger);
  // Names first: an object that was named before the list was read is in the list.
  const names = await allNamedObjects(db, ledgerId);
  const keys = await readKeys(db, ledgerId);
  const places = new Set<string>();
  for await (const place of objects.places(path)) places.add(place);
  const wrong: [CheckedObject, 'missing' | 'damaged'][] = [];
  await inGroups(names, async (some) => {
    const wanted = some.map((name) => objects.placeOf(`${path}/${name}`));
    let index = 0;
    for await (const bytes of readGroup(objects, wanted)) {
      const name = some[index] ?? '';
      places.delete(wanted[index] ?? '');
      index += 1;
      const content = bytes && checkContent(name.slice(name.indexOf('/') + 1), bytes, keys);
      if (content === 'right') found.proven += 1;
      if (content === undefined) wrong.push([{ tenantId, ledgerId, name }, 'missing']);
      if (content === 'wrong') wrong.push([{ tenantId, ledgerId, name }, 'damaged']);
    }
  });
  const isThere = await db
    .selectFrom('Ledgers')
    .select('ledgerId')
    .where('ledgerId', '=', ledgerId)
    .executeTakeFirst();
  // The ledger was deleted while its objects were read.
  if (isThere === undefined) return;
  for (const [object, why] of wrong) found[why].push(object);
  for (const place of places) if (!/~|\.variants\//.test(place)) found.unnamed += 1;
}
