/**
 * Metas of ledgers. Each has a number of its ledger's sequence, 1, 2, 3 ..., assigned under the
 * lock on the ledger's row: a reader at some number has missed nothing before it. An entry that a
 * newer one of the same writer replaced is superseded: it keeps its row and is no longer listed.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { LedgerKind, MetaEntry } from '@fixpoint/protocol/storage';
import { sql } from 'kysely';
import type { Connection, Db } from '../connection.ts';
import { type LedgerKeyList, ledgerKindOf, readKeyList } from './ledger-key-rows.ts';
import { parseNames } from './withheld-rows.ts';

/** Total length of entries after which a page ends, so that one page is one message. */
const PAGE_CHARS_MAX = 400_000;
export const live = sql<boolean>`"superseded" = 0`;
const listed = sql<boolean>`"superseded" = 0 and "withheld" is null`;

export interface LedgerId {
  readonly tenant: string;
  readonly ledger: string;
}

export interface ListedMeta {
  readonly seq: number;
  readonly writer: string;
  readonly entry: MetaEntry;
  /** Objects that a reader needs, as far as they are known. */
  readonly objects: readonly string[];
  /** Whether it was checked that the entry can be read. */
  readonly isChecked: boolean;
}

export interface MetaPage {
  readonly rows: readonly ListedMeta[];
  readonly keys: readonly string[];
  readonly records: LedgerKeyList['records'];
  readonly recordsOf: LedgerKeyList['recordsOf'];
  readonly kind: LedgerKind | undefined;
  /** Every meta up to here is in this page or an earlier one, or is no longer listed. */
  readonly cursor: number;
  /**
   * Distinguishes this cursor from an equal one of another history: that of tables which were
   * restored from an older copy and continued.
   */
  readonly mark: string;
  /** Where the page begins: the requested cursor, or 0 when it isn't of this history. */
  readonly from: number;
  /** Whether more metas follow the cursor. */
  readonly hasMore: boolean;
}

/** A reader's position, as a page returned it; without a mark only the number counts. */
export interface Place {
  readonly cursor: number;
  readonly mark?: string | undefined;
}

/**
 * Returns listed metas after a cursor, in the order of their numbers, at most `limit`.
 * @throws FixpointError NOT_FOUND when the ledger is gone
 */
export async function readMetas(
  db: Db,
  { tenant, ledger }: LedgerId,
  place: number | Place,
  limit: number,
): Promise<MetaPage> {
  const { cursor: after, mark } = typeof place === 'number' ? { cursor: place, mark: undefined } : place;
  // Read before the rows: every meta with a number up to this one is stored by now.
  const last = await lastMetas(db)
    .where('Ledgers.ledgerId', '=', ledger)
    .where('Ledgers.tenantId', '=', tenant)
    .executeTakeFirst();
  if (last === undefined) throw new FixpointError('NOT_FOUND');
  const isOfThese =
    after <= last.metaSeq && (mark === undefined || mark === (await markAt(db, ledger, after)));
  const from = isOfThese ? after : 0;
  const rows = await db
    .selectFrom('Metas')
    .select(['seq', 'writer', 'entry', 'objects', 'checked', 'cid', 'createdAt'])
    .where('ledgerId', '=', ledger)
    .where('seq', '>', from)
    .where(listed)
    .orderBy('seq')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, fittingOf(rows, limit));
  const hasMore = rows.length > page.length;
  const lastRead = page.at(-1)?.seq ?? from;
  const cursor = hasMore ? lastRead : Math.max(lastRead, last.metaSeq);
  return {
    rows: page.map(rowOf),
    ...(await readKeyList(db, ledger)),
    kind: ledgerKindOf(last.kind),
    from,
    cursor,
    mark: markOf(cursor === lastRead ? (page.at(-1) ?? last) : last),
    hasMore,
  };
}

interface StoredMeta {
  readonly seq: number;
  readonly writer: string;
  readonly entry: string;
  readonly objects: string | null;
  readonly checked: number;
}

const rowOf = ({ seq, writer, entry, objects, checked }: StoredMeta): ListedMeta => ({
  seq,
  writer,
  entry: JSON.parse(entry) as MetaEntry,
  objects: parseNames(objects),
  isChecked: checked === 1,
});

/** Returns the newest listed metas of a ledger, at most `limit`. */
export async function newestMetas(db: Db, ledger: string, limit: number): Promise<readonly ListedMeta[]> {
  const rows = await db
    .selectFrom('Metas')
    .select(['seq', 'writer', 'entry', 'objects', 'checked'])
    .where('ledgerId', '=', ledger)
    .where(listed)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(rowOf);
}

/** Returns the last number of each ledger, with the meta that has it. */
const lastMetas = (db: Db) =>
  db
    .selectFrom('Ledgers')
    .leftJoin('Metas', (join) =>
      join.onRef('Metas.ledgerId', '=', 'Ledgers.ledgerId').onRef('Metas.seq', '=', 'Ledgers.metaSeq'),
    )
    .select(['Ledgers.ledgerId', 'Ledgers.metaSeq', 'Ledgers.kind', 'Metas.cid', 'Metas.createdAt']);

/** Returns the mark of a cursor; empty where no meta has that number. */
export const markAt = async (db: Connection, ledger: string, seq: number): Promise<string> =>
  (await marksAt(db, ledger, [seq])).get(seq) ?? '';

/**
 * Returns the marks of these cursors, where a meta has that number. A meta keeps its row when it is
 * no longer listed.
 */
export async function marksAt(
  db: Connection,
  ledger: string,
  cursors: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('Metas')
    .select(['seq', 'cid', 'createdAt'])
    .where('ledgerId', '=', ledger)
    .where('seq', 'in', [...cursors])
    .execute();
  return new Map(rows.map((row) => [row.seq, markOf(row)]));
}

/**
 * Returns the mark of a meta. Includes the time: a client that repeats a put in another history
 * puts the same meta, maybe under the same number, at another time.
 */
const markOf = ({ cid, createdAt }: { readonly cid: string | null; readonly createdAt: string | null }) =>
  cid ? createHash('sha256').update(`${cid} ${createdAt}`).digest('base64url').slice(0, 16) : '';

/**
 * Returns how many of these rows fit in one page: at least one, so that every reader makes
 * progress.
 */
function fittingOf(rows: readonly { readonly entry: string }[], limit: number): number {
  let chars = 0;
  let count = 0;
  for (const { entry } of rows.slice(0, limit)) {
    chars += entry.length;
    if (count > 0 && chars > PAGE_CHARS_MAX) break;
    count += 1;
  }
  return count;
}

/** Returns where each of these ledgers ends; ledgers that are gone are missing. */
export async function lastPlaces(db: Db, ledgers: readonly string[]): Promise<Map<string, Required<Place>>> {
  const places = new Map<string, Required<Place>>();
  for (let start = 0; start < ledgers.length; start += 500) {
    const rows = await lastMetas(db)
      .where('Ledgers.ledgerId', 'in', ledgers.slice(start, start + 500))
      .execute();
    for (const row of rows) places.set(row.ledgerId, { cursor: row.metaSeq, mark: markOf(row) });
  }
  return places;
}
