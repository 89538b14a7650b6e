/**
 * Stores metas. An entry gets the next number of its ledger under the lock on the ledger's row, and
 * supersedes its writer's earlier entries.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { MetaEntry, Metas, ReceivedEntry } from '@fixpoint/protocol/storage';
import { type Connection, type Db, inTransaction } from '../connection.ts';
import { timestamp } from '../new-row.ts';
import { isSealedRecord, type KeyPolicy, putKeys, settleKind } from './ledger-key-rows.ts';
import { nameObjects, requireNotRemoved } from './ledger-objects.ts';
import { type LedgerId, live, type MetaPage, markAt, receivedOf } from './meta-rows.ts';
import type { EntryNeeds } from './withheld-rows.ts';

/** The contents of a put. */
export interface PutMetas extends Metas {
  readonly userId?: string | null;
  /** The objects that each checked entry needs, by its CID. */
  readonly needs?: ReadonlyMap<string, EntryNeeds>;
  /** Objects of files that the entries refer to. */
  readonly files?: readonly string[];
  /** Number of removals in the ledger when the check of these objects began. */
  readonly removals?: number;
  /** The policy that new keys must satisfy. */
  readonly policy?: KeyPolicy;
}

/** The place of a put in the ledger's history. */
export interface PutPlace {
  /** Number of the last meta before the put. */
  readonly after: number;
  /** Mark of `after`, as in {@link MetaPage}. */
  readonly afterMark: string;
  /** Number of the last meta after the put. */
  readonly cursor: number;
  /** Mark of `cursor`, as in {@link MetaPage}. */
  readonly mark: string;
  /** When the entries of the put were received first, and from whom. */
  readonly received: readonly ReceivedEntry[];
}

/**
 * Stores entries and keys in one durable step, and returns the place of the put. A repeated put has
 * no effect, so a client that got no answer may retry.
 * @throws FixpointError NOT_FOUND when the ledger was deleted; LIMIT_REACHED; LEDGER_KIND for
 * entries or keys of the other kind; MISSING_CARS when an object may have been removed since its
 * check; CONFLICT when an unchecked entry has a known CID and other data
 */
export async function putMetas(
  db: Db,
  id: LedgerId,
  writer: string,
  { metas, keys, userId = null, needs = new Map(), files = [], removals, policy }: PutMetas,
  now: number,
): Promise<PutPlace> {
  const { ledger } = id;
  const createdAt = timestamp(now);
  return inTransaction(db, async (tx) => {
    const row = await lockLedger(tx, id);
    const names = [...new Set([...files, ...[...needs.values()].flatMap(({ objects }) => objects)])];
    if (removals !== undefined && removals !== row.removals)
      throw new FixpointError('MISSING_CARS', 'objects were removed', { cause: { isOutdated: true } });
    if (names.length > 0) await requireNotRemoved(tx, ledger, names, now);
    await settleKind(tx, ledger, row.kind, { metas, keys });
    // In an open-key ledger, keys without entries are meaningless. In a sealed ledger, devices find
    // each other by their records.
    const fresh = metas.length === 0 ? keys.filter(isSealedRecord) : keys;
    if (fresh.length > 0) await putKeys(tx, ledger, userId, fresh, createdAt, policy);
    const afterMark = await markAt(tx, ledger, row.metaSeq);
    const entries = { metas, needs, names, writer, createdAt };
    const cursor = metas.length === 0 ? row.metaSeq : await putEntries(tx, id, row.metaSeq, entries);
    const mark = await markAt(tx, ledger, cursor);
    return { after: row.metaSeq, afterMark, cursor, mark, received: await receivedAmong(tx, ledger, metas) };
  });
}

async function receivedAmong(
  tx: Connection,
  ledger: string,
  metas: readonly MetaEntry[],
): Promise<ReceivedEntry[]> {
  if (metas.length === 0) return [];
  const rows = await tx
    .selectFrom('Metas')
    .select(['cid', 'seq', 'writer', 'createdAt'])
    .where('ledgerId', '=', ledger)
    .where(
      'cid',
      'in',
      metas.map(({ cid }) => cid),
    )
    .orderBy('seq')
    .execute();
  return receivedOf(rows.map(({ cid, ...row }) => ({ ...row, entry: { cid } })));
}

/**
 * Locks the ledger's row with a write that changes nothing, so that numbers are assigned in order.
 * @throws FixpointError NOT_FOUND
 */
export async function lockLedger(tx: Connection, { tenant, ledger }: LedgerId) {
  const row = await tx
    .updateTable('Ledgers')
    .set((eb) => ({ metaSeq: eb.ref('metaSeq') }))
    .where('ledgerId', '=', ledger)
    .where('tenantId', '=', tenant)
    .where('status', '=', 'active')
    .returning(['metaSeq', 'kind', 'removals'])
    .executeTakeFirst();
  if (row === undefined) throw new FixpointError('NOT_FOUND');
  return row;
}

/** Entries of one put, after its keys were stored. */
interface PutEntries {
  readonly metas: readonly MetaEntry[];
  readonly needs: ReadonlyMap<string, EntryNeeds>;
  /** Objects that the entries need or refer to. */
  readonly names: readonly string[];
  readonly writer: string;
  readonly createdAt: string;
}

/**
 * Stores new entries, and supersedes the writer's earlier entries. Returns the number of the
 * ledger's last meta.
 * @throws FixpointError CONFLICT
 */
async function putEntries(
  tx: Connection,
  id: LedgerId,
  metaSeq: number,
  { metas, needs, names, writer, createdAt }: PutEntries,
): Promise<number> {
  const { ledger } = id;
  const cids = [...new Set(metas.map(({ cid }) => cid))];
  const known = await stateOf(tx, ledger, cids);
  const news = newsAmong(metas, known, writer);
  // Checked data matches its CID. So if the new entry was checked, the stored data is wrong.
  const isOther = ({ cid, data }: KnownMeta) =>
    !needs.has(cid) && metas.some((entry) => entry.cid === cid && entry.data !== data);
  if (known.some(isOther)) throw new FixpointError('CONFLICT', 'a meta with this cid has other data');
  if (news.length === 0 && known.some((each) => each.superseded === 1)) return metaSeq;
  await nameObjects(tx, ledger, names, createdAt);
  for (const [at, entry] of news.entries())
    await insertEntry(tx, id, metaSeq + 1 + at, entry, { writer, createdAt, needs: needs.get(entry.cid) });
  await supersedeOthers(tx, ledger, writer, cids);
  const seq = metaSeq + news.length;
  if (news.length > 0)
    await tx.updateTable('Ledgers').set({ metaSeq: seq }).where('ledgerId', '=', ledger).execute();
  return seq;
}

/**
 * Returns the entries that get a new number: each entry once, without entries that are already
 * listed.
 */
function newsAmong(
  metas: readonly MetaEntry[],
  known: readonly KnownMeta[],
  writer: string,
): readonly MetaEntry[] {
  const stateByCid = new Map(known.map((each) => [each.cid, each]));
  const isNews = (cid: string) => {
    const state = stateByCid.get(cid);
    if (state === undefined || (state.withheld !== null && state.superseded === 0)) return true;
    // A superseded entry of another writer is listed again. If the writer is the same, the put is a
    // late repetition.
    return state.superseded === 1 && state.writer !== writer;
  };
  const cids = metas.map(({ cid }) => cid);
  return metas.filter(({ cid }, index) => isNews(cid) && cids.indexOf(cid) === index);
}

async function insertEntry(
  tx: Connection,
  { tenant, ledger }: LedgerId,
  seq: number,
  entry: MetaEntry,
  put: { readonly writer: string; readonly createdAt: string; readonly needs: EntryNeeds | undefined },
): Promise<void> {
  const values = {
    tenantId: tenant,
    ledgerId: ledger,
    seq,
    cid: entry.cid,
    entry: JSON.stringify(entry),
    writer: put.writer,
    superseded: 0,
    createdAt: put.createdAt,
    ...checkOf(put.needs),
  };
  await tx
    .insertInto('Metas')
    .values(values)
    .onConflict((conflict) => conflict.columns(['ledgerId', 'cid']).doUpdateSet(values))
    .execute();
}

/** Supersedes the writer's earlier entries, because each put replaces them. */
async function supersedeOthers(
  tx: Connection,
  ledger: string,
  writer: string,
  cids: readonly string[],
): Promise<void> {
  await tx
    .updateTable('Metas')
    .set({ superseded: 1, objects: null })
    .where('ledgerId', '=', ledger)
    .where('writer', '=', writer)
    .where(live)
    .where('cid', 'not in', cids)
    .execute();
}

const checkOf = (needs: EntryNeeds | undefined) => ({
  objects: needs === undefined ? null : JSON.stringify(needs.objects),
  tells: needs?.tells ?? 'nothing',
  checked: needs === undefined ? 0 : 1,
  withheld: null,
});

type KnownMeta = Awaited<ReturnType<typeof stateOf>>[number];

/** Returns the stored state of these metas, listed or superseded. */
async function stateOf(tx: Connection, ledger: string, cids: readonly string[]) {
  const rows = await tx
    .selectFrom('Metas')
    .select(['cid', 'writer', 'superseded', 'withheld', 'entry'])
    .where('ledgerId', '=', ledger)
    .where('cid', 'in', cids)
    .execute();
  return rows.map(({ entry, ...row }) => ({ ...row, data: (JSON.parse(entry) as MetaEntry).data }));
}
