/**
 * Makes one commit: builds the blocks of a batch of writes, stores the blocks and moves the head.
 */
import { type Archive, packArchive } from '../archive/pack.ts';
import { encodeEvent, sortHead } from '../clock/event.ts';
import { MERGE_STAMP } from '../clock/stamp.ts';
import type { Block } from '../codec/block.ts';
import { CID_BYTES } from '../codec/cid.ts';
import type { Guard, StoreChange } from '../ports/byte-store.ts';
import { putMany, type Replaced } from '../trie/put-many.ts';
import { advanceHead, type CurrentHead, noteLasting, tell, writeAtHead } from './current-head.ts';
import type { HeadChange } from './news.ts';
import type { Snapshot } from './snapshot.ts';
import { areDeletions, type Operation } from './write-queue.ts';

export interface CommitOptions {
  /** Changes that are stored in the same step. */
  readonly changes?: readonly StoreChange[];
  /** See `Guard.frees`. */
  readonly frees?: Guard['frees'];
  /** `settled` if subscribers already know these writes. */
  readonly origin?: HeadChange['origin'];
  /** When the newest of the operations was written; by default now. */
  readonly timeMs?: number | undefined;
  /** Whether the event merges concurrent versions. Then its bytes depend only on the head. */
  readonly isMerge?: boolean | undefined;
}

/**
 * Commits operations on top of the current head. Returns false and stores nothing when another
 * writer moved the head first.
 * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT, MISSING_BLOCK
 */
export async function commit(
  head: CurrentHead,
  operations: readonly Operation[],
  {
    changes = [],
    origin = 'local',
    frees = areDeletions(operations) ? 'later' : undefined,
    timeMs,
    isMerge = false,
  }: CommitOptions = {},
): Promise<boolean> {
  const { files, snapshot: before } = head;
  const built = await commitOn(head, before, operations, { timeMs, frees, isMerge });
  const { next, made, isUnchanged } = built;
  const lasting = lastingBytes(head, operations, built);
  const attached = operations.flatMap((operation) => operation.files ?? []);
  const also = [...(await files.changesFor(attached)), ...changes];
  // A merge must make all versions its ancestors, even if the document stays as it is.
  if (isUnchanged && operations.length === 1 && !isMerge) {
    // Another writer may have changed the document. If not, its files may still be missing.
    if (!(await writeAtHead(head, before, also, frees))) return false;
    files.written(attached);
    return true;
  }
  if (!(await advanceHead(head, before, next, made, true, also, {}, frees))) return false;
  noteLasting(head, lasting);
  files.written(attached);
  await tell(head, before, origin, [...new Set(operations.map(({ key }) => key as string))]);
  return true;
}

/** Size of the length and the CID in front of each block of an archive. */
const BYTES_BEFORE_BLOCK = 2 + CID_BYTES;

/**
 * Returns about how many more bytes of archives the current documents need after a commit. Negative
 * if they need fewer. Call this before the archives of the commit are added.
 */
function lastingBytes(
  { archives, record }: CurrentHead,
  operations: readonly Operation[],
  { added, event, replaced }: MadeCommit,
): number {
  const sizeOf = ({ length }: { readonly length: number }) => BYTES_BEFORE_BLOCK + length;
  // Compaction drops old events, unless the database was ever attached.
  let bytes = record.synced ? sizeOf(event.bytes) : 0;
  for (const shard of added) bytes += sizeOf(shard.bytes);
  bytes -= replaced.shardBytes + replaced.shards * BYTES_BEFORE_BLOCK;
  // If a value is already stored, the database needs only one of the two copies.
  for (const { cid, bytes: value } of new Map(operations.map(({ key, value }) => [key, value])).values())
    if (archives.lengthOf(cid) === undefined) bytes += sizeOf(value);
  for (const value of replaced.values) {
    const length = archives.lengthOf(value);
    // The index of its archive isn't read, so nothing of this commit counts.
    if (length === undefined) return Math.min(0, bytes);
    bytes -= sizeOf({ length });
  }
  return bytes;
}

export interface MadeCommit {
  readonly next: Snapshot;
  /** The new blocks, and the archives that contain them. */
  readonly blocks: readonly Block[];
  readonly made: readonly Archive[];
  readonly event: Block;
  /** The new shards, and what they replaced. */
  readonly added: readonly Block[];
  readonly replaced: Replaced;
  /** Whether the documents are the same as before. */
  readonly isUnchanged: boolean;
}

/** Builds the blocks of a commit on top of a snapshot, and stores nothing. */
export async function commitOn(
  head: Pick<CurrentHead, 'first' | 'genesis' | 'readers' | 'stamp' | 'record'>,
  before: Snapshot,
  operations: readonly Operation[],
  { timeMs, frees, isMerge }: Pick<CommitOptions, 'timeMs' | 'frees' | 'isMerge'> = {},
): Promise<MadeCommit> {
  const { first, genesis, readers, stamp, record } = head;
  // An open with first blocks doesn't read this event, and nothing may build on a lost one.
  if (first !== undefined && before.head.includes(first.event)) await readers.block(first.event);
  const made: Archive[] = [];
  const isFirst = before.head.length === 0;
  if (isFirst) made.push(await packArchive({ cars: [], compact: [], head: genesis.head }, genesis.blocks));
  const base = isFirst ? { ...genesis, merged: [] } : before;
  const puts = operations.map(({ key, value }) => [key as string, value.cid] as const);
  const { root, added, replaced } = await putMany(readers.shard, base.root, puts);
  const unstamped = {
    operations: operations.map(({ key, value }) => ({ key, value: value.cid })),
    root,
    parents: base.head,
  };
  const stamped = isMerge
    ? { ...unstamped, by: MERGE_STAMP }
    : await stamp?.(unstamped, { timeMs, frees, isAttached: record.synced });
  const event = encodeEvent(stamped ?? unstamped);
  const next = { head: sortHead([event.cid]), root, merged: [] };
  const blocks = [...operations.map(({ value }) => value), ...base.merged, ...added, event];
  made.push(await packArchive({ cars: [], compact: [], head: next.head }, blocks));
  return { next, blocks, made, event, added, replaced, isUnchanged: root === base.root && !isFirst };
}
