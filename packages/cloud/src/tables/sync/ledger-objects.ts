/**
 * Stores the names of the objects that entries of a ledger need. A name is the path of an object
 * without its tenant and ledger: `car/<key>`, `car.<index>/<key>` or `file/<key>`. Names of
 * superseded entries are kept, because archives of newer entries may refer to older archives, which
 * the gateway can't see.
 */
import { FixpointError } from '@fixpoint/protocol';
import { isBackupRunning } from '../backup/backup-lease.ts';
import type { Connection, Db } from '../connection.ts';
import { inTransaction } from '../connection.ts';
import { timestamp } from '../new-row.ts';

const AT_ONCE = 500;
/**
 * Milliseconds after which the row of a removal no longer counts. No removal takes this long, so
 * such a row was left by a killed server or a failed store.
 */
const REMOVAL_MS = 300_000;

/** Adds new names to the ledger. The caller holds the lock on the ledger's row. */
export async function nameObjects(
  tx: Connection,
  ledger: string,
  names: readonly string[],
  createdAt: string,
): Promise<void> {
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE);
    const known = new Set(
      (
        await tx
          .selectFrom('LedgerObjects')
          .select('name')
          .where('ledgerId', '=', ledger)
          .where('name', 'in', some)
          .execute()
      ).map(({ name }) => name),
    );
    const fresh = some.filter((name) => !known.has(name));
    if (fresh.length === 0) continue;
    const rows = fresh.map((name) => ({ ledgerId: ledger, name, createdAt }));
    await tx.insertInto('LedgerObjects').values(rows).execute();
  }
}

/** Returns the names of at most `limit` file objects that entries refer to. */
export async function namedFiles(db: Db, ledger: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('LedgerObjects')
    .select('name')
    .where('ledgerId', '=', ledger)
    .where('name', '>=', 'file/')
    .where('name', '<', 'file0')
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

/** Returns the names of all objects that entries of the ledger need or needed. */
export async function allNamedObjects(db: Connection, ledger: string): Promise<readonly string[]> {
  const rows = await db.selectFrom('LedgerObjects').select('name').where('ledgerId', '=', ledger).execute();
  return rows.map(({ name }) => name);
}

/** Returns the number of removals of objects in the ledger: see {@link removeUnnamed}. */
export async function removalsOf(db: Db, ledger: string): Promise<number> {
  const row = await db
    .selectFrom('Ledgers')
    .select('removals')
    .where('ledgerId', '=', ledger)
    .executeTakeFirst();
  return row?.removals ?? 0;
}

/**
 * Requires that none of these objects is being removed.
 * @throws FixpointError MISSING_CARS when one of them is being removed
 */
export async function requireNotRemoved(
  tx: Connection,
  ledger: string,
  names: readonly string[],
  now: number,
): Promise<void> {
  const rows = await tx
    .selectFrom('ObjectRemovals')
    .select('name')
    .where('ledgerId', '=', ledger)
    .where('createdAt', '>', timestamp(now - REMOVAL_MS))
    .execute();
  const removed = rows.map(({ name }) => name).filter((name) => names.includes(name));
  if (removed.length > 0)
    throw new FixpointError('MISSING_CARS', removed.join(', '), { cause: { objects: removed } });
}

/**
 * Removes an object unless an entry of the ledger needs it or may need it, or a running backup may
 * need it. Returns `kept` if the object may be needed, and `absent` if the store didn't have it.
 *
 * The row in ObjectRemovals blocks entries that refer to the object during the removal. If an entry
 * was checked before a removal and is stored after it, the number of removals has changed, so the
 * entry is checked again. If a removal fails or the server is killed, the row stays and blocks
 * entries for five minutes.
 */
export async function removeUnnamed(
  db: Db,
  ledger: string,
  name: string,
  now: number,
  remove: () => Promise<boolean>,
): Promise<'kept' | 'removed' | 'absent'> {
  const isKept = await inTransaction(db, async (tx) => {
    await lockLedger(tx, ledger);
    if ((await isNeeded(tx, ledger, name)) || (await isBackupRunning(tx, now))) return true;
    const row = { ledgerId: ledger, name, createdAt: timestamp(now) };
    await tx
      .insertInto('ObjectRemovals')
      .values(row)
      .onConflict((conflict) => conflict.columns(['ledgerId', 'name']).doUpdateSet(row))
      .execute();
    return false;
  });
  if (isKept) return 'kept';
  const wasThere = await remove();
  await inTransaction(db, async (tx) => {
    await tx
      .updateTable('Ledgers')
      .set((eb) => ({ removals: eb('removals', '+', 1) }))
      .where('ledgerId', '=', ledger)
      .execute();
    await tx
      .deleteFrom('ObjectRemovals')
      .where('ledgerId', '=', ledger)
      .where((eb) => eb.or([eb('name', '=', name), eb('createdAt', '<=', timestamp(now - REMOVAL_MS))]))
      .execute();
  });
  return wasThere ? 'removed' : 'absent';
}

/** Locks the ledger's row by a write that changes nothing. */
const lockLedger = (tx: Connection, ledger: string) =>
  tx
    .updateTable('Ledgers')
    .set((eb) => ({ removals: eb.ref('removals') }))
    .where('ledgerId', '=', ledger)
    .execute();

/**
 * Returns whether an entry refers to the object, or may need it because not all objects of that
 * entry are known.
 */
async function isNeeded(tx: Connection, ledger: string, name: string): Promise<boolean> {
  const [store] = name.split('/');
  // No entry needs objects of the write-ahead log, and entries themselves are rows.
  if (store?.startsWith('wal') || store?.startsWith('meta')) return false;
  const named = await tx
    .selectFrom('LedgerObjects')
    .select('name')
    .where('ledgerId', '=', ledger)
    .where('name', '=', name)
    .executeTakeFirst();
  if (named !== undefined) return true;
  // Entries of existing clients list only archives, so they may need any file. Unchecked entries,
  // even superseded ones, may need any object.
  const tellsTooLittle = store?.startsWith('car') ? ['nothing'] : ['nothing', 'cars'];
  const silent = await tx
    .selectFrom('Metas')
    .select('cid')
    .where('ledgerId', '=', ledger)
    .where((eb) =>
      eb.or([eb('checked', '=', 0), eb.and([eb('superseded', '=', 0), eb('tells', 'in', tellsTooLittle)])]),
    )
    .limit(1)
    .executeTakeFirst();
  return silent !== undefined;
}
