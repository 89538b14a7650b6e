import type { MetaEntry } from '@fixpoint/protocol/storage';
import type { Db } from '../tables/database.ts';
import { timestamp } from '../tables/new-row.ts';

export interface LedgerMetas {
  readonly entries: readonly MetaEntry[];
  readonly keys: readonly string[];
  /** Place of the last entry in the ledger's sequence. */
  readonly cursor: number;
}

/** Stores entries and keys in one transaction. An entry that is there already stays with its first writer; older entries of the same writer are superseded. */
export async function putMetas(
  db: Db,
  ledgerId: string,
  writer: string,
  { metas, keys }: { metas: readonly MetaEntry[]; keys: readonly string[] },
  now: number,
): Promise<void> {
  if (metas.length === 0) return;
  const createdAt = timestamp(now);
  await db.transaction().execute(async (tx) => {
    // Takes the ledger's row, so that numbers are given one after another and without gaps.
    const { metaSeq } = await tx
      .updateTable('Ledgers')
      .set({ updatedAt: createdAt })
      .where('ledgerId', '=', ledgerId)
      .returning('metaSeq')
      .executeTakeFirstOrThrow();
    let seq = metaSeq;
    const cids = metas.map(({ cid }) => cid);
    const known = await tx
      .selectFrom('Metas')
      .select('cid')
      .where('ledgerId', '=', ledgerId)
      .where('cid', 'in', cids)
      .execute();
    const fresh = metas.filter(({ cid }) => !known.some((row) => row.cid === cid));
    for (const entry of fresh) {
      seq += 1;
      await tx
        .insertInto('Metas')
        .values({
          ledgerId,
          seq,
          cid: entry.cid,
          entry: JSON.stringify(entry),
          writer,
          superseded: 0,
          createdAt,
        })
        .execute();
    }
    for (const keyText of keys)
      await tx
        .insertInto('LedgerKeys')
        .values({ ledgerId, keyText, createdAt })
        .onConflict((conflict) => conflict.columns(['ledgerId', 'keyText']).doNothing())
        .execute();
    await tx
      .updateTable('Metas')
      .set({ superseded: 1 })
      .where('ledgerId', '=', ledgerId)
      .where('writer', '=', writer)
      .where('cid', 'not in', cids)
      .execute();
    await tx.updateTable('Ledgers').set({ metaSeq: seq }).where('ledgerId', '=', ledgerId).execute();
  });
}

/** What a reader whose cursor is `after` has not seen. */
export async function metasAfter(db: Db, ledgerId: string, after: number): Promise<LedgerMetas> {
  const rows = await db
    .selectFrom('Metas')
    .select(['entry', 'seq'])
    .where('ledgerId', '=', ledgerId)
    .where('seq', '>', after)
    .where('superseded', '=', 0)
    .orderBy('seq')
    .execute();
  const keys = await db
    .selectFrom('LedgerKeys')
    .select('keyText')
    .where('ledgerId', '=', ledgerId)
    .orderBy('keyText')
    .execute();
  return {
    entries: rows.map(({ entry }) => JSON.parse(entry) as MetaEntry),
    keys: keys.map(({ keyText }) => keyText),
    cursor: rows.at(-1)?.seq ?? after,
  };
}
