/**
 * Makes one commit: builds the blocks of a batch of writes, stores the blocks and moves the head.
 */
import { type Archive, packArchive } from '../archive/pack.ts';
import { encodeEvent, sortHead } from '../clock/event.ts';
import { MERGE_STAMP } from '../clock/stamp.ts';
import type { Block } from '../codec/block.ts';
import type { Guard, StoreChange } from '../ports/byte-store.ts';
import { putMany } from '../trie/put-many.ts';
import { advanceHead, type CurrentHead, tell, writeAtHead } from './current-head.ts';
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
  const { next, made, isUnchanged } = await commitOn(head, before, operations, { timeMs, frees, isMerge });
  const attached = operations.flatMap((operation) => operation.files ?? []);
  const also = [...(await files.changesFor(attached)), ...changes];
  // A merge must make all versions its ancestors, even if the document stays as it is.
  if (isUnchanged && operations.length === 1 && !isMerge && operations[0]?.isForced !== true) {
    // Another writer may have changed the document. If not, its files may still be missing.
    if (!(await writeAtHead(head, before, also, frees))) return false;
    files.written(attached);
    return true;
  }
  if (!(await advanceHead(head, before, next, made, true, also, {}, frees))) return false;
  files.written(attached);
  await tell(head, before, origin, [...new Set(operations.map(({ key }) => key as string))]);
  return true;
}

export interface MadeCommit {
  readonly next: Snapshot;
  /** The new blocks, and the archives that contain them. */
  readonly blocks: readonly Block[];
  readonly made: readonly Archive[];
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
  const { root, added } = await putMany(readers.shard, base.root, puts);
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
  return { next, blocks, made, isUnchanged: root === base.root && !isFirst };
}
