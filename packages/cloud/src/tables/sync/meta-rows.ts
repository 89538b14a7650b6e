/**
 * Reads metas of ledgers. Each meta gets the next number of its ledger (1, 2, 3 ...) under the lock
 * on the ledger's row. So a reader with a cursor has not missed any meta up to that number. The
 * newer entries of a writer supersede the writer's earlier entries. Superseded entries keep their
 * rows, but are no longer listed.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { LedgerKind, MetaEntry, MovedTo, ReceivedEntry } from '@fixpoint/protocol/storage';
import { sql } from 'kysely';
import type { Connection, Db } from '../connection.ts';
import { getLedger } from '../ledgers/ledger-rows.ts';
import { type LedgerKeyList, ledgerKindOf, readKeyList } from './ledger-key-rows.ts';
import { authorOf, parseNames } from './withheld-rows.ts';

/** Maximum total length of a page's entries, so that it fits into one message. */
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
  /** When the entry was put, as ISO text. */
  readonly createdAt: string;
  /** Objects that a reader needs, as far as they are known. */
  readonly objects: readonly string[];
  /** Whether the entry was checked and is readable. */
  readonly isChecked: boolean;
}

export interface MetaPage {
  readonly rows: readonly ListedMeta[];
  readonly keys: readonly string[];
  readonly records: LedgerKeyList['records'];
  readonly recordsOf: LedgerKeyList['recordsOf'];
  readonly kind: LedgerKind | undefined;
  /** The ledger that this one moved to. */
  readonly movedTo: MovedTo | undefined;
  /** Every listed meta up to this number is in this page or an earlier page. */
  readonly cursor: number;
  /**
   * Distinguishes this cursor from a cursor with the same number in a different history. Histories
   * differ when the tables were restored from an older copy.
   */
  readonly mark: string;
  /**
   * Start of the page: the requested cursor, or 0 when the cursor belongs to a different history.
   */
  readonly from: number;
  /** Whether more metas follow the cursor. */
  readonly hasMore: boolean;
}

/** A reader's position, as a page returned it. Without a mark, only the number is compared. */
export interface Place {
  readonly cursor: number;
  readonly mark?: string | undefined;
}

/**
 * Returns listed metas after a cursor, in the order of their numbers, at most `limit`.
 * @throws FixpointError NOT_FOUND when the ledger was deleted
 */
export async function readMetas(
  db: Db,
  { tenant, ledger }: LedgerId,
  place: number | Place,
  limit: number,
): Promise<MetaPage> {
  const { cursor: after, mark } = typeof place === 'number' ? { cursor: place, mark: undefined } : place;
  // Read before the rows, so that all metas up to this number are already stored.
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
    movedTo: await movedToOf(db, last.movedTo),
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
  readonly createdAt: string;
  readonly objects: string | null;
  readonly checked: number;
}

const rowOf = ({ seq, writer, entry, createdAt, objects, checked }: StoredMeta): ListedMeta => ({
  seq,
  writer,
  createdAt,
  entry: JSON.parse(entry) as MetaEntry,
  objects: parseNames(objects),
  isChecked: checked === 1,
});

/** Returns when these entries were received, and from whom. Omits entries of unknown writers. */
export const receivedOf = (
  rows: readonly (Pick<ListedMeta, 'seq' | 'writer' | 'createdAt'> & {
    readonly entry: Pick<MetaEntry, 'cid'>;
  })[],
): ReceivedEntry[] =>
  rows.flatMap(({ seq, writer, createdAt, entry: { cid } }) => {
    const account = authorOf(writer);
    return account === undefined ? [] : [{ cid, seq, at: createdAt, account }];
  });

/** Returns the newest listed metas of a ledger, at most `limit`. */
export async function newestMetas(db: Db, ledger: string, limit: number): Promise<readonly ListedMeta[]> {
  const rows = await db
    .selectFrom('Metas')
    .select(['seq', 'writer', 'entry', 'createdAt', 'objects', 'checked'])
    .where('ledgerId', '=', ledger)
    .where(listed)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(rowOf);
}

/**
 * Returns the users of the last entries in these ledgers. The last entry of a writer is never
 * superseded, so these are the users whom readers see in the history, unless an admin removed all
 * entries of a user. Counts withheld entries, because the same writer's earlier ones were listed.
 */
export async function usersOfEntries(db: Connection, ledgers: readonly string[]): Promise<Set<string>> {
  const users = new Set<string>();
  for (const ledger of ledgers) {
    const rows = await db
      .selectFrom('Metas')
      .select('writer')
      .distinct()
      .where('ledgerId', '=', ledger)
      .where(live)
      .execute();
    for (const { writer } of rows) users.add(authorOf(writer) ?? '');
  }
  return users;
}

/** Selects the last number of each ledger, with its meta. */
const lastMetas = (db: Db) =>
  db
    .selectFrom('Ledgers')
    .leftJoin('Metas', (join) =>
      join.onRef('Metas.ledgerId', '=', 'Ledgers.ledgerId').onRef('Metas.seq', '=', 'Ledgers.metaSeq'),
    )
    .select(['Ledgers.ledgerId', 'Ledgers.metaSeq', 'Ledgers.kind', 'Ledgers.movedTo'])
    .select(['Metas.cid', 'Metas.createdAt']);

async function movedToOf(db: Db, ledgerId: string | null): Promise<MovedTo | undefined> {
  if (ledgerId === null) return undefined;
  const kind = ledgerKindOf((await getLedger(db, ledgerId))?.kind ?? null);
  return { ledger: ledgerId, ...(kind && { kind }) };
}

/** Returns the mark of a cursor; empty where no meta has that number. */
export const markAt = async (db: Connection, ledger: string, seq: number): Promise<string> =>
  (await marksAt(db, ledger, [seq])).get(seq) ?? '';

/**
 * Returns the marks of those cursors that equal the number of a meta. Metas that are no longer
 * listed keep their rows, so their numbers count too.
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
 * Returns the mark of a meta. The mark includes the time, because a client may repeat a put in a
 * different history. The same meta may then have the same number, but it has a different time.
 */
const markOf = ({ cid, createdAt }: { readonly cid: string | null; readonly createdAt: string | null }) =>
  cid ? createHash('sha256').update(`${cid} ${createdAt}`).digest('base64url').slice(0, 16) : '';

/**
 * Returns how many of these rows fit into one page. At least one row fits, so that readers make
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

/** Returns the last place of each of these ledgers. Omits deleted ledgers. */
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
