/** Merges the head that a remote sent. Like commits, merges move the head with `advanceHead`. */
import { type Archive, packArchive } from '../archive/pack.ts';
import type { Pace } from '../base/pace.ts';
import { mergeHeads } from '../clock/advance.ts';
import type { Head, ReadEvent } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { isPlainDocument } from '../documents/plain-document.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import { STAGED, stagedKey, uploadKey } from '../store/names.ts';
import { encodeShard } from '../trie/shard.ts';
import { isWhole, isWholeWith } from '../trie/whole-trie.ts';
import { commitOn } from './commit.ts';
import { advanceHead, type CurrentHead, tell } from './current-head.ts';
import { readNews } from './read-news.ts';
import { createReaders, type Readers, type Snapshot } from './snapshot.ts';
import { type Rebuild, snapshotOf } from './snapshot-of.ts';

const NOTHING = new Uint8Array();

/** Reads events for {@link Accept}. */
export interface AcceptTools {
  /** Reads events of this database, and those that just arrived. */
  readonly read: ReadEvent;
  /** Returns the archive of an event; undefined if the event isn't here. */
  readonly archiveOf: (event: Cid) => Cid | undefined;
}

/**
 * Decides which events a head consists of (docs/internals/membership-rules.md, "Events").
 * @returns the next head, and rows to store with it
 */
export type Accept = (
  current: Head,
  received: Head,
  tools: AcceptTools,
) => Promise<{
  readonly head: Head;
  readonly rows: readonly StoreChange[];
  /** Called once head and rows are stored. */
  readonly stored: () => void;
}>;

export interface RemoteMerge {
  readonly head: Head;
  /** Plain archives with blocks that the head needs and this database lacks. */
  readonly archives: readonly Archive[];
  /** Rows that record what the remote contains. */
  readonly remember: readonly StoreChange[];
  /**
   * Archives that were stored before this head arrived. The head makes them part of the history.
   */
  readonly settled?: readonly Cid[];
  /** Whether the changes were made on this device. Then no remote has the archives. */
  readonly isOwn?: boolean;
  /** Decides which events become part of the head; by default all do. */
  readonly accept?: Accept | undefined;
  /**
   * With true, merges nothing, and writes an event without changes on top of the head. Its author
   * then vouches for everything before it.
   */
  readonly vouches?: boolean;
}

/**
 * Merges a remote's head into the current one. Reads and checks all new data before storing any of
 * it. Returns false and stores nothing when another writer moved the head first.
 * @throws FixpointError MISSING_BLOCK, CORRUPT, STORE_FULL, STORE_FAILED
 */
export async function mergeRemote(head: CurrentHead, merge: RemoteMerge, pace: Pace): Promise<boolean> {
  if (merge.vouches === true) return vouch(head);
  const { archives } = head;
  await archives.readIndexes();
  const { snapshot: before } = head;
  const { isOwn = false } = merge;
  const fresh = merge.archives.filter(({ cid }) => !archives.has(cid));
  const staged = new Map<Cid, Uint8Array>();
  for (const { bytes, blocks } of fresh)
    for (const { cid, offset, length } of blocks) staged.set(cid, bytes.subarray(offset, offset + length));
  const staging = readersWith(staged, head);
  const accepted = await merge.accept?.(before.head, merge.head, toolsFor(head, fresh, staging.event));
  const merged = accepted?.head ?? (await mergeHeads(before.head, merge.head, staging.event));
  const { next, unstored } = await nextSnapshot(head, merged, staging, staged);
  const known = { peek: (cid: Cid) => staged.get(cid), isChecked: (cid: Cid) => isChecked(head, cid) };
  const written = await readNews(staging, before, next, pace, known);
  const kept: Archive[] = [];
  if (unstored.length > 0) kept.push(await packArchive({ cars: [], compact: [], head: next.head }, unstored));
  const uploads = isOwn ? [] : kept.map(({ cid }) => ({ key: uploadKey(cid), bytes: NOTHING }));
  const rows = lastOfEach([
    ...(await stagingRows(head.store, merge, fresh)),
    ...[...merge.remember, ...uploads, ...(accepted?.rows ?? [])],
  ]);
  if (!(await advanceHead(head, before, next, [...fresh, ...kept], isOwn, rows))) return false;
  accepted?.stored();
  if (merge.head.length > 0) head.checked.clear();
  else for (const archive of fresh) head.checked.set(archive.cid, plainDocumentsIn(archive));
  for (const { cid } of next.merged) {
    const shard = staging.shard.peek?.(cid);
    if (shard !== undefined) head.readers.shard.keep?.(cid, shard);
  }
  if (merged.join() !== before.head.join()) await tell(head, before, isOwn ? 'elsewhere' : 'remote', written);
  return true;
}

/** Writes an event without changes on top of the head. */
async function vouch(head: CurrentHead): Promise<boolean> {
  const { snapshot: before } = head;
  if (before.head.length === 0) return true;
  const { next, made } = await commitOn(head, before, []);
  if (!(await advanceHead(head, before, next, made, true, []))) return false;
  await tell(head, before, 'local', []);
  return true;
}

const toolsFor = ({ archives }: CurrentHead, fresh: readonly Archive[], read: ReadEvent): AcceptTools => ({
  read,
  archiveOf: (event) =>
    archives.placeOf(event)?.archive ??
    fresh.find(({ blocks }) => blocks.some(({ cid }) => cid === event))?.cid,
});

/** Returns the last change of each row. */
const lastOfEach = (changes: readonly StoreChange[]): StoreChange[] => [
  ...new Map(changes.map((change) => [change.key, change])).values(),
];

/**
 * Returns the snapshot of the merged head, and the shards that must be stored with it.
 *
 * Shards that merging several events creates needn't be stored: each open creates them again, and
 * the next commit stores them. Any other shard that is only in memory must be stored, because later
 * commits refer to it without storing it. A remote can make the database need such a shard: an
 * event may refer to a shard that an earlier merge created here, in an archive that lacks it.
 * @param staged the blocks of new archives; the merged shards are added
 */
async function nextSnapshot(
  { archives, snapshot: before, record, rebuild }: CurrentHead,
  head: Head,
  staging: Readers,
  staged: Map<Cid, Uint8Array>,
): Promise<{ readonly next: Snapshot; readonly unstored: readonly Block[] }> {
  const sent = new Set(staged.keys());
  const inMemory = new Set(before.merged.map(({ cid }) => cid));
  const waiting: Cid[] = [];
  const met = (cid: Cid, isKnown: boolean) => {
    if (!isKnown || inMemory.has(cid)) waiting.push(cid);
  };
  let isRebuilt = false;
  const rebuilding: Rebuild = (...given) => {
    isRebuilt = true;
    waiting.length = 0;
    return rebuild(...given);
  };
  const next = await snapshotOf(head, staging, rebuilding, (root, merged) =>
    isWholeWith(merged, staging.shard, root, before.root, met),
  );
  for (const { cid, bytes } of next.merged) staged.set(cid, bytes);
  if (isRebuilt) await isWhole(staging.shard, next.root, before.root, met);
  // An open notices that it must rebuild a trie only after a compaction.
  const isMadeAgain = head.length > 1 && (!isRebuilt || record.bytes > 0);
  const madeAgain = new Set(isMadeAgain ? next.merged.map(({ cid }) => cid) : []);
  const isHeld = (cid: Cid) => sent.has(cid) || madeAgain.has(cid) || archives.placeOf(cid) !== undefined;
  const seen = new Set<Cid>();
  const unstored: Block[] = [];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (seen.has(cid) || (isHeld(cid) && !inMemory.has(cid))) continue;
    seen.add(cid);
    const shard = await staging.shard(cid);
    if (!isHeld(cid)) unstored.push(encodeShard(shard));
    for (const { child } of shard.entries)
      if (child !== undefined && inMemory.has(child)) waiting.push(child);
  }
  return { next: isMadeAgain ? next : { ...next, merged: [] }, unstored };
}

/**
 * Returns the offsets of valid documents in an archive that is stored before its head arrives.
 * Reading them again to check the head would take as long as everything else.
 */
function plainDocumentsIn({ bytes, blocks }: Archive): ReadonlySet<number> {
  const isPlain = ({ offset, length }: Archive['blocks'][number]) =>
    isPlainDocument(bytes.subarray(offset, offset + length));
  return new Set(blocks.filter(isPlain).map(({ offset }) => offset));
}

function isChecked({ archives, checked }: CurrentHead, block: Cid): boolean {
  const place = checked.size > 0 ? archives.placeOf(block) : undefined;
  return place !== undefined && checked.get(place.archive)?.has(place.offset) === true;
}

/**
 * Returns readers that also find blocks that aren't stored yet. The readers of the head read all
 * others, because they have most of them in their caches.
 */
function readersWith(staged: ReadonlyMap<Cid, Uint8Array>, { readers, files, record }: CurrentHead): Readers {
  const own = createReaders(
    async (cid) => staged.get(cid) ?? readers.block(cid),
    new Map(),
    files.read,
    () => record.horizon,
  );
  const holderOf = (cid: Cid) => (staged.has(cid) ? own : readers);
  const shard: Readers['shard'] = (cid) => holderOf(cid).shard(cid);
  // Caches the shards that the merge creates in `own`, because they aren't stored yet.
  const { peek, keep, ahead } = own.shard;
  return {
    ...own,
    // Only blocks that are already stored are read in batches.
    blocks: readers.blocks,
    event: (cid) => holderOf(cid).event(cid),
    shard: Object.assign(shard, {
      peek: (cid: Cid) => peek?.(cid) ?? readers.shard.peek?.(cid),
      keep,
      ahead: async (cids: readonly Cid[]) => {
        await ahead?.(cids.filter((cid) => staged.has(cid)));
        await readers.shard.ahead?.(cids.filter((cid) => !staged.has(cid)));
      },
    }),
  };
}

/**
 * Returns rows that protect new archives from compaction until their head arrives. When the head
 * arrives, returns changes that remove the rows of its archives.
 */
async function stagingRows(
  store: Pick<ByteStore, 'keys'>,
  { head, settled = [] }: RemoteMerge,
  fresh: readonly Archive[],
): Promise<StoreChange[]> {
  if (head.length === 0) return fresh.map(({ cid }) => ({ key: stagedKey(cid), bytes: NOTHING }));
  if (settled.length === 0) return [];
  const staged = new Set(await store.keys(STAGED));
  return settled.map(stagedKey).flatMap((key) => (staged.has(key) ? [{ key, bytes: undefined }] : []));
}
