/**
 * Stores which entries are withheld and which objects in the store are faulty. An entry is withheld
 * if clients couldn't read it, or couldn't read an object to which it refers.
 */
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { type Db, inTransaction } from '../connection.ts';
import { timestamp } from '../new-row.ts';
import { nameObjects } from './ledger-objects.ts';

export type Why = 'malformed' | 'absent';

export interface WithheldMeta {
  readonly cid: string;
  readonly why: Why;
  readonly entry: MetaEntry;
  /** The user who put the entry. */
  readonly author: string | undefined;
  /** The time when the entry was received, as ISO text; empty where that wasn't recorded. */
  readonly since: string;
  /** Objects that a reader of the entry needs. */
  readonly objects: readonly string[];
}

/** The known objects of an entry. */
export interface EntryNeeds {
  readonly objects: readonly string[];
  readonly tells: 'all' | 'cars' | 'nothing';
}

export const parseNames = (text: string | null): readonly string[] =>
  text === null ? [] : (JSON.parse(text) as string[]);

/** Returns withheld entries, newest first. */
export async function readWithheld(db: Db, ledger: string, limit: number): Promise<readonly WithheldMeta[]> {
  const rows = await db
    .selectFrom('Metas')
    .select(['cid', 'entry', 'writer', 'withheld', 'objects', 'createdAt'])
    .where('ledgerId', '=', ledger)
    .where('withheld', 'is not', null)
    .where('superseded', '=', 0)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ cid, entry, writer, withheld, objects, createdAt }) => ({
    cid,
    why: withheld === 'malformed' ? 'malformed' : 'absent',
    entry: JSON.parse(entry) as MetaEntry,
    author: authorOf(writer),
    since: createdAt,
    objects: parseNames(objects),
  }));
}

/** Returns the user of a writer, which is a pair of user and connection, as JSON. */
export function authorOf(writer: string): string | undefined {
  try {
    const [userId] = JSON.parse(writer) as unknown[];
    return typeof userId === 'string' ? userId : undefined;
  } catch {
    return undefined;
  }
}

/** Withholds entries. An entry that its writer has superseded stays unchanged. */
export async function withhold(db: Db, ledger: string, whys: ReadonlyMap<string, Why>): Promise<void> {
  for (const [cid, why] of whys)
    await db
      .updateTable('Metas')
      .set({ withheld: why })
      .where('ledgerId', '=', ledger)
      .where('cid', '=', cid)
      .where('superseded', '=', 0)
      .execute();
}

/**
 * Lists entries again. The entries get new numbers, so that readers whose cursors are past the old
 * numbers receive them.
 */
export async function release(db: Db, ledger: string, cids: readonly string[]): Promise<void> {
  if (cids.length === 0) return;
  await inTransaction(db, async (tx) => {
    const row = await tx
      .updateTable('Ledgers')
      .set((eb) => ({ metaSeq: eb.ref('metaSeq') }))
      .where('ledgerId', '=', ledger)
      .returning('metaSeq')
      .executeTakeFirst();
    if (row === undefined) return;
    let seq = row.metaSeq;
    for (const cid of cids) {
      const { numUpdatedRows } = await tx
        .updateTable('Metas')
        .set({ withheld: null, seq: seq + 1 })
        .where('ledgerId', '=', ledger)
        .where('cid', '=', cid)
        .where('withheld', 'is not', null)
        .where('superseded', '=', 0)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) seq += 1;
    }
    await tx.updateTable('Ledgers').set({ metaSeq: seq }).where('ledgerId', '=', ledger).execute();
  });
}

/** Records that entries are readable, and the objects that they need. */
export async function markChecked(
  db: Db,
  ledger: string,
  needs: ReadonlyMap<string, EntryNeeds>,
  now: number,
): Promise<void> {
  if (needs.size === 0) return;
  const names = [...new Set([...needs.values()].flatMap(({ objects }) => objects))];
  await inTransaction(db, async (tx) => {
    await nameObjects(tx, ledger, names, timestamp(now));
    for (const [cid, { objects, tells }] of needs)
      await tx
        .updateTable('Metas')
        .set({ checked: 1, objects: JSON.stringify(objects), tells })
        .where('ledgerId', '=', ledger)
        .where('cid', '=', cid)
        .where('checked', '=', 0)
        .execute();
  });
}

/** Returns objects that are known to be faulty. */
export async function faultyObjects(db: Db, ledger: string): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('FaultyObjects').select('name').where('ledgerId', '=', ledger).execute();
  return new Set(rows.map(({ name }) => name));
}

export async function markFaulty(db: Db, ledger: string, name: string, now: number): Promise<void> {
  const row = { ledgerId: ledger, name, createdAt: timestamp(now) };
  await db
    .insertInto('FaultyObjects')
    .values(row)
    .onConflict((conflict) => conflict.columns(['ledgerId', 'name']).doUpdateSet(row))
    .execute();
}

export async function clearFaulty(db: Db, ledger: string, name: string): Promise<void> {
  await db.deleteFrom('FaultyObjects').where('ledgerId', '=', ledger).where('name', '=', name).execute();
}

/**
 * Removes entries, listed or not. The objects to which they referred stay protected. Returns how
 * many entries were removed.
 */
export async function deleteEntries(db: Db, ledger: string, cids: readonly string[]): Promise<number> {
  if (cids.length === 0) return 0;
  const { numDeletedRows } = await db
    .deleteFrom('Metas')
    .where('ledgerId', '=', ledger)
    .where('cid', 'in', [...new Set(cids)])
    .executeTakeFirst();
  return Number(numDeletedRows);
}
