/**
 * Makes one commit: builds the blocks of a batch of writes, stores the blocks and moves the head.
 */
import { type Archive, packArchive } from '../archive/pack.ts';
import { encodeEvent, sortHead } from '../clock/event.ts';
import { putMany } from '../trie/put-many.ts';
import { advanceHead, type CurrentHead, tell } from './current-head.ts';
import { areDeletions, type Operation } from './write-queue.ts';

/**
 * Commits operations on top of the current head. Returns false and stores nothing when another
 * writer moved the head first.
 * @throws FixpointError STORE_FULL, STORE_FAILED, CORRUPT, MISSING_BLOCK
 */
export async function commit(head: CurrentHead, operations: readonly Operation[]): Promise<boolean> {
  const { genesis, readers, files, snapshot: before } = head;
  const made: Archive[] = [];
  const isFirst = before.head.length === 0;
  if (isFirst) made.push(await packArchive({ cars: [], compact: [], head: genesis.head }, genesis.blocks));
  const base = isFirst ? { ...genesis, merged: [] } : before;
  const puts = operations.map(({ key, value }) => [key as string, value.cid] as const);
  const { root, added } = await putMany(readers.shard, base.root, puts);
  const attached = operations.flatMap((operation) => operation.files ?? []);
  const fileChanges = await files.changesFor(attached);
  if (root === base.root && operations.length === 1 && !isFirst) {
    // The document is unchanged, but its files may be missing in the store.
    if (fileChanges.length > 0) await head.store.write(fileChanges);
    files.written(attached);
    return true;
  }
  const event = encodeEvent({
    operations: operations.map(({ key, value }) => ({ key, value: value.cid })),
    root,
    parents: base.head,
  });
  const next = { head: sortHead([event.cid]), root, merged: [] };
  const blocks = [...operations.map(({ value }) => value), ...base.merged, ...added, event];
  made.push(await packArchive({ cars: [], compact: [], head: next.head }, blocks));
  const frees = areDeletions(operations) ? 'later' : undefined;
  if (!(await advanceHead(head, next, made, true, fileChanges, {}, frees))) return false;
  files.written(attached);
  await tell(head, before, 'local', [...new Set(operations.map(({ key }) => key as string))]);
  return true;
}
