/**
 * Metas of ledgers. Each has a number of its ledger's sequence, 1, 2, 3 ..., assigned under the
 * lock on the ledger's row: a reader at some number has missed nothing before it. An entry that a
 * newer one of the same writer replaced is superseded: it keeps its row and is no longer listed.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { LedgerKind, MetaEntry, Metas } from '@fixpoint/protocol/storage';
import { sql } from 'kysely';
import { type Connection, type Db, inTransaction } from '../connection.ts';
import { timestamp } from '../new-row.ts';
import {
  isSealedRecord,
  type KeyPolicy,
  type LedgerKeyList,
  ledgerKindOf,
  putKeys,
  readKeyList,
  settleKind,
} from './ledger-key-rows.ts';
import { nameObjects, requireNotRemoved } from './ledger-objects.ts';
import { type EntryNeeds, parseNames } from './withheld-rows.ts';

/** Total length of entries after which a page ends, so that one page is one message. */
const PAGE_CHARS_MAX = 400_000;
const live = sql<boolean>`"superseded" = 0`;
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

/** What a put stores. */
export interface PutMetas extends Metas {
  readonly userId?: string | null;
  /** What each checked entry needs, by its CID. */
  readonly needs?: ReadonlyMap<string, EntryNeeds>;
  /** Objects of files that the entries refer to. */
  readonly files?: readonly string[];
  /** How many objects of the ledger had been removed before these objects were checked. */
  readonly removals?: number;
  /** Requirements for the keys. */
  readonly policy?: KeyPolicy;
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

/** Where a put ends in the ledger's history. */
export interface PutPlace {
  /** Number of the last meta before the put. */
  readonly after: number;
  /** Mark of `after`. */
  readonly afterMark: string;
  /** Number of the last meta after the put. */
  readonly cursor: number;
  /** Mark of `cursor`, as in {@link MetaPage}. */
  readonly mark: string;
}

/**
 * Stores entries and keys in one durable step, and returns where the put ends. Putting what is
 * already stored changes nothing, so a client may repeat a put whose answer it didn't get.
 * @throws FixpointError NOT_FOUND when the ledger is gone, LIMIT_REACHED, LEDGER_KIND for what
 * belongs to the other kind of ledger, MISSING_CARS when an object may have been removed since it
 * was checked, CONFLICT for other data under a known CID that nobody checked
 */
export async function putMetas(
  db: Db,
  { tenant, ledger }: LedgerId,
  writer: string,
  { metas, keys, userId = null, needs = new Map(), files = [], removals, policy }: PutMetas,
  now: number,
): Promise<PutPlace> {
  const createdAt = timestamp(now);
  return inTransaction(db, async (tx) => {
    // Locks the row by a write that changes nothing: numbers are assigned one after another.
    const row = await tx
      .updateTable('Ledgers')
      .set((eb) => ({ metaSeq: eb.ref('metaSeq') }))
      .where('ledgerId', '=', ledger)
      .where('tenantId', '=', tenant)
      .where('status', '=', 'active')
      .returning(['metaSeq', 'kind', 'removals'])
      .executeTakeFirst();
    if (row === undefined) throw new FixpointError('NOT_FOUND');
    const names = [...new Set([...files, ...[...needs.values()].flatMap(({ objects }) => objects)])];
    if (removals !== undefined && removals !== row.removals)
      throw new FixpointError('MISSING_CARS', 'objects were removed', { cause: { isOutdated: true } });
    if (names.length > 0) await requireNotRemoved(tx, ledger, names, now);
    await settleKind(tx, ledger, row.kind, { metas, keys });
    // In an open-key ledger, keys without entries are meaningless; in a sealed one, devices find
    // each other by their records.
    const fresh = metas.length === 0 ? keys.filter(isSealedRecord) : keys;
    if (fresh.length > 0) await putKeys(tx, ledger, userId, fresh, createdAt, policy);
    const afterMark = await markAt(tx, ledger, row.metaSeq);
    const placeAt = async (cursor: number): Promise<PutPlace> => ({
      after: row.metaSeq,
      afterMark,
      cursor,
      mark: await markAt(tx, ledger, cursor),
    });
    if (metas.length === 0) return placeAt(row.metaSeq);
    const cids = [...new Set(metas.map(({ cid }) => cid))];
    const known = await stateOf(tx, ledger, cids);
    const stateByCid = new Map(known.map((each) => [each.cid, each]));
    const isNews = (cid: string) => {
      const state = stateByCid.get(cid);
      if (state === undefined || (state.withheld !== null && state.superseded === 0)) return true;
      // An entry that another writer superseded is listed again; one superseded by its own writer
      // is a late put.
      return state.superseded === 1 && state.writer !== writer;
    };
    const news = metas.filter(({ cid }, index) => isNews(cid) && cids.indexOf(cid) === index);
    // Checked data matches its CID; then the stored data is the one that doesn't.
    const isOther = ({ cid, data }: (typeof known)[number]) =>
      !needs.has(cid) && metas.some((entry) => entry.cid === cid && entry.data !== data);
    if (known.some(isOther)) throw new FixpointError('CONFLICT', 'a meta of this cid with other data');
    if (news.length === 0 && known.some((each) => each.superseded === 1)) return placeAt(row.metaSeq);
    await nameObjects(tx, ledger, names, createdAt);
    let seq = row.metaSeq;
    for (const entry of news) {
      seq += 1;
      const values = {
        tenantId: tenant,
        ledgerId: ledger,
        seq,
        cid: entry.cid,
        entry: JSON.stringify(entry),
        writer,
        superseded: 0,
        createdAt,
        ...checkOf(needs.get(entry.cid)),
      };
      await tx
        .insertInto('Metas')
        .values(values)
        .onConflict((conflict) => conflict.columns(['ledgerId', 'cid']).doUpdateSet(values))
        .execute();
    }
    await tx
      .updateTable('Metas')
      .set({ superseded: 1, objects: null })
      .where('ledgerId', '=', ledger)
      .where('writer', '=', writer)
      .where(live)
      .where('cid', 'not in', cids)
      .execute();
    if (seq !== row.metaSeq)
      await tx.updateTable('Ledgers').set({ metaSeq: seq }).where('ledgerId', '=', ledger).execute();
    return placeAt(seq);
  });
}

const checkOf = (needs: EntryNeeds | undefined) => ({
  objects: needs === undefined ? null : JSON.stringify(needs.objects),
  tells: needs?.tells ?? 'nothing',
  checked: needs === undefined ? 0 : 1,
  withheld: null,
});

/** Returns what is known of these metas, listed or superseded. */
async function stateOf(tx: Connection, ledger: string, cids: readonly string[]) {
  const rows = await tx
    .selectFrom('Metas')
    .select(['cid', 'writer', 'superseded', 'withheld', 'entry'])
    .where('ledgerId', '=', ledger)
    .where('cid', 'in', cids)
    .execute();
  return rows.map(({ entry, ...row }) => ({ ...row, data: (JSON.parse(entry) as MetaEntry).data }));
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

const markAt = async (db: Connection, ledger: string, seq: number): Promise<string> =>
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
