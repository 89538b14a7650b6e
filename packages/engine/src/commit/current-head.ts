/**
 * The head of an open database. This file keeps the state that this process last read, and only its
 * functions move the head. A step that moves the head stores the new head record, together with
 * everything that the new head needs, in one durable write. The write succeeds only if the stored
 * head record is still the one that this process last read. Call these functions one at a time, in
 * `exclusive`, the queue that `open-commits.ts` creates.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Archive } from '../archive/pack.ts';
import { equalBytes, equalRows } from '../base/bytes.ts';
import { mergeHeads } from '../clock/advance.ts';
import { decodeRoot, sortHead } from '../clock/event.ts';
import { type Genesis, genesisOf } from '../clock/genesis.ts';
import type { Cid } from '../codec/cid.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../documents/genesis.ts';
import type { ByteStore, Guard, StoreChange } from '../ports/byte-store.ts';
import type { Channel } from '../ports/channel.ts';
import type { Archives } from '../store/archives.ts';
import {
  decodeHeadRecord,
  encodeHeadRecord,
  HEAD_KEY,
  type HeadRecord,
  headKeyOf,
  joinRecords,
  NEW_RECORD,
} from '../store/head-record.ts';
import { REMOTES } from '../store/names.ts';
import type { isWholeWith } from '../trie/whole-trie.ts';
import type { CommitFiles } from './attached-files.ts';
import { type Feed, type HeadChange, writtenSince } from './news.ts';
import { type FirstBlocks, readFirstBlocks } from './opening/first-blocks.ts';
import { isGone } from './reads.ts';
import {
  createReaders,
  createUnstoredBlocks,
  type Readers,
  type Snapshot,
  type UnstoredBlocks,
} from './snapshot.ts';
import { type IsWhole, type Rebuild, snapshotOf } from './snapshot-of.ts';
import type { Stamp } from './stamps.ts';

export interface HeadParts {
  readonly store: ByteStore;
  readonly channel: Channel;
  readonly archives: Archives;
  readonly files: CommitFiles;
  readonly feed: Feed;
  readonly rebuild: Rebuild;
  /** Returns whether a trie can be read completely. The code loads lazily. */
  readonly isWhole: typeof isWholeWith;
  /** Absent if events have no stamps. */
  readonly stamp?: Stamp | undefined;
}

interface HeadState extends HeadParts {
  readonly genesis: Genesis;
  readonly readers: Readers;
  readonly unstored: UnstoredBlocks;
  /**
   * For each archive that a remote sent before its head: the offsets of its valid documents. They
   * needn't be read again when the head arrives.
   */
  readonly checked: Map<Cid, ReadonlySet<number>>;
  /** Key of this writer's head record. */
  readonly key: string;
  /**
   * The head record of this writer, joined with all head records of other writers that were read.
   */
  record: HeadRecord;
  /** The stored bytes of this writer's head record; undefined before its first write. */
  bytes: Uint8Array | undefined;
  /**
   * Changes that remove the records of other writers whose heads are merged into `snapshot`. The
   * next write of this writer's record includes these changes.
   */
  others: readonly StoreChange[];
  /** The result of `store.news()` just before the head records were read. */
  news: number | undefined;
  snapshot: Snapshot;
  /** The stored first blocks; undefined if there are none. */
  first: FirstBlocks | undefined;
  /**
   * Whether the last commit was a deletion. The disk may be full then, so nothing that isn't needed
   * is stored.
   */
  hasDeleted: boolean;
  /**
   * False until the stored head was read. Until then nobody listens, and reads announce no change.
   */
  isOpen: boolean;
}

/** The head as other files see it: read-only, because only the functions below may move it. */
export type CurrentHead = Readonly<HeadState>;

/** Creates the head of an empty database; {@link openHead} reads the stored one. */
export function createHead(parts: HeadParts): CurrentHead {
  const { store, archives, files } = parts;
  const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
  const unstored = createUnstoredBlocks(genesis.blocks);
  const horizon = () => head.record.horizon;
  const head: CurrentHead = {
    ...parts,
    genesis,
    readers: createReaders(archives.readBlock, unstored, files.read, horizon, archives.readBlocks),
    unstored,
    checked: new Map(),
    key: headKeyOf(store.writer),
    record: NEW_RECORD,
    bytes: undefined,
    others: [],
    news: undefined,
    snapshot: { head: sortHead([]), root: undefined, merged: [] },
    first: undefined,
    hasDeleted: false,
    isOpen: false,
  };
  return head;
}

/** Reads the stored head for the first time. @throws FixpointError CORRUPT, MISSING_BLOCK */
export async function openHead(head: HeadState): Promise<void> {
  const [remotes] = await Promise.all([head.store.keys(REMOTES), reloadHead(head)]);
  head.isOpen = true;
  // An earlier version attached this database without recording that in the head record.
  if (remotes.length > 0) head.record = { ...head.record, synced: true };
}

/** Reads the head records again. Returns whether another writer changed them. */
export async function reloadHead(head: HeadState): Promise<boolean> {
  const { store } = head;
  for (let isFirst = !head.isOpen; ; isFirst = false) {
    await store.refresh?.();
    const come = store.news?.();
    const reading = store.readPrefix(HEAD_KEY);
    // The lists must be at least as new as the records. An open doesn't wait for the records,
    // because reads usually run in the order in which they begin. If not, it reads again.
    const listed = isFirst ? listArchives(head) : reading.then(() => listArchives(head));
    // Awaited in `take`, unless the records can't be read.
    listed.catch(() => undefined);
    const records = await reading;
    try {
      return await take(head, records, come, listed);
    } catch (cause) {
      // Another writer may have moved the head and dropped blocks that this read needs.
      await store.refresh?.();
      const isSame = async () => equalRows(records, await store.readPrefix(HEAD_KEY));
      if (!isGone(cause) || (!isFirst && (await isSame()))) throw cause;
    }
  }
}

/** Reads the lists of archives, and with the first ones also the first blocks. */
async function listArchives(head: HeadState): Promise<void> {
  const first = head.isOpen ? undefined : readFirstBlocks(head.store);
  await Promise.all([head.archives.refresh(), head.files.refresh()]);
  if (first === undefined) return;
  head.first = await first;
  if (head.first !== undefined) head.archives.keep(head.first.shards);
}

/**
 * @param come the result of `store.news()` just before the records were read
 * @param listed resolves when the lists of archives are read
 */
async function take(
  head: HeadState,
  records: ReadonlyMap<string, Uint8Array>,
  come: number | undefined,
  listed: Promise<unknown>,
): Promise<boolean> {
  const { readers, key } = head;
  const bytes = records.get(key);
  const decoded = [...records.values()].map(decodeHeadRecord);
  await listed;
  if (records.size === 0) await requireNew(head);
  const { horizon } = joinRecords(decoded, sortHead([]));
  // Readers need the horizon before they walk back to it.
  head.record = { ...head.record, horizon };
  let merged = sortHead([]);
  for (const one of decoded) merged = await mergeHeads(merged, one.head, readers.event);
  const stored = joinRecords(decoded, merged);
  const before = head.snapshot;
  const moved = merged.join() !== before.head.join();
  const isNews = moved || stored.epoch !== head.record.epoch;
  // After a compaction, shards of an older trie that the merge needs may be missing, so check that
  // the merged trie can be read completely.
  const isWhole: IsWhole = (root, made) => head.isWhole(made, readers.shard, root, undefined);
  const checked = merged.length > 1 && stored.bytes > 0 ? isWhole : undefined;
  // Stored events were checked before they were stored, so decoding their root is enough.
  const { first } = head;
  const rootOf = async (event: Cid) =>
    event === first?.event ? first.root : decodeRoot(await readers.block(event));
  const next = moved ? await snapshotOf(merged, { ...readers, rootOf }, head.rebuild, checked) : before;
  head.record = stored;
  head.bytes = bytes;
  show(head, next);
  // Set this only after the merge, because the next commit removes these records.
  head.others = [...records.keys()].flatMap((other) =>
    other === key ? [] : [{ key: other, bytes: undefined }],
  );
  head.news = come;
  if (moved && head.isOpen) await tell(head, before, 'elsewhere');
  return isNews;
}

/**
 * Checks that a store without a head record is empty. The first archive and the first head record
 * are written in one step, so archives without a record are damage.
 * @throws FixpointError CORRUPT when the store contains archives but no head record
 */
async function requireNew({ store, archives }: HeadState): Promise<void> {
  if (archives.list.size === 0) return;
  // Another tab may have written the first archive and record since the records were read.
  if ((await store.readPrefix(HEAD_KEY)).size === 0)
    throw new FixpointError('CORRUPT', 'the head record is gone');
}

function show(head: HeadState, next: Snapshot): void {
  head.snapshot = next;
  head.unstored.show(next);
}

/**
 * Stores rows without moving the head. Returns false and stores nothing when another writer moved
 * the head. Without rows, only checks the head, because even an empty write costs a durable step.
 * @param before the snapshot that the caller read
 */
export async function writeAtHead(
  { snapshot, store, key, bytes, news }: CurrentHead,
  before: Snapshot,
  rows: readonly StoreChange[],
  frees: Guard['frees'],
): Promise<boolean> {
  if (snapshot !== before) return false;
  if (rows.length > 0) return store.write(rows, { key, bytes, news, frees });
  await store.refresh?.();
  const stored = await store.read(key);
  return store.news?.() === news && (stored && bytes ? equalBytes(stored, bytes) : stored === bytes);
}

/**
 * Moves the head in one durable step. Returns false and stores nothing when another writer moved
 * the head first, or when the head was read again since `before`: the condition of the write covers
 * only the head that was read last.
 * @param before the snapshot on which `next` is built
 * @param fresh new archives that the next head needs
 * @param isOwn whether the archives were created here; a remote may lack such archives
 * @param changes other rows to store in the same step
 * @param also fields of the head record that change
 */
export async function advanceHead(
  head: HeadState,
  before: Snapshot,
  next: Snapshot,
  fresh: readonly Archive[],
  isOwn: boolean,
  changes: readonly StoreChange[],
  also?: Partial<HeadRecord>,
  frees?: Guard['frees'],
): Promise<boolean> {
  const { archives } = head;
  const rows = [...(await archives.changesFor(fresh, isOwn)), ...changes];
  if (head.snapshot !== before) return false;
  if (!(await writeRecord(head, rows, { ...head.record, ...also, head: next.head }, frees))) return false;
  archives.added(fresh, isOwn);
  show(head, next);
  head.channel.post();
  return true;
}

/**
 * Stores a head record and other rows in one durable step. Returns false and stores nothing when
 * another writer moved the head first.
 */
export async function writeRecord(
  head: HeadState,
  changes: readonly StoreChange[],
  record: HeadRecord,
  frees: Guard['frees'],
): Promise<boolean> {
  const { key, others } = head;
  const bytes = encodeHeadRecord(record);
  // Never remove another writer's newer record before merging it.
  const news = others.length > 0 ? head.news : undefined;
  const guard = { key, bytes: head.bytes, frees, news };
  if (!(await head.store.write([...changes, ...others, { key, bytes }], guard))) return false;
  head.others = [];
  head.hasDeleted = frees === 'later' || (frees === 'now' && head.hasDeleted);
  head.record = record;
  head.bytes = bytes;
  return true;
}

/**
 * Notifies subscribers that the head moved.
 * @param ids documents that may have changed, if known
 */
export async function tell(
  { snapshot, readers, feed }: CurrentHead,
  before: Snapshot,
  origin: HeadChange['origin'],
  ids?: readonly string[],
): Promise<void> {
  const written = ids ?? (await writtenSince(readers, before, snapshot));
  feed.emit({
    before: before.head,
    after: snapshot.head,
    ids: written.filter((id) => id !== GENESIS_KEY),
    origin,
  });
}
