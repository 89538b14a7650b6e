/**
 * Rebuilds data that compaction dropped. Old tries are rebuilt from their events. A history that
 * can be sent is built from the current documents.
 */
import { FixpointError } from '@fixpoint/protocol';
import { type Archive, packArchive } from '../archive/pack.ts';
import { commonAncestor } from '../clock/common-ancestor.ts';
import { encodeEvent, type Head, type Operation, type ReadEvent, sortHead } from '../clock/event.ts';
import type { Genesis } from '../clock/genesis.ts';
import { rootOfHead } from '../clock/root-of-head.ts';
import { JOINED_STAMP } from '../clock/stamp.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { applyOperations } from '../trie/apply.ts';
import { entries } from '../trie/entries.ts';
import { decodeShard, type ReadShard } from '../trie/shard.ts';
import { isWhole } from '../trie/whole-trie.ts';
import { advanceHead, type CurrentHead, tell } from './current-head.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/**
 * After this number of incomplete tries, a rebuild assumes that all other tries are missing, too.
 */
const INCOMPLETE_MAX = 8;

/**
 * Returns the snapshot of a head even if some old tries are missing. A merge starts from the trie
 * of the event where the branches diverged. If that trie is missing, it is rebuilt from earlier
 * events. All replicas rebuild the same trie.
 * @throws FixpointError MISSING_BLOCK when events are missing or don't produce a recorded trie;
 * CORRUPT
 */
export async function rebuiltSnapshot(head: Head, readers: Readers): Promise<Snapshot> {
  const made = new Map<Cid, Block>();
  const shard: ReadShard = async (cid) => {
    const block = made.get(cid);
    return block === undefined ? readers.shard(cid) : decodeShard(block.bytes);
  };
  const rebuild = createRebuild(readers.event, shard, made);
  const start = head.length === 1 ? head[0] : await commonAncestor(head, readers.event);
  if (start !== undefined) await rebuild(start);
  const { root, added } = await rootOfHead(head, { event: readers.event, shard });
  for (const block of added) made.set(block.cid, block);
  return { head, root, merged: await reachable(root, made, shard) };
}

/** Returns a function that makes the trie of an event readable. */
function createRebuild(event: ReadEvent, shard: ReadShard, made: Map<Cid, Block>) {
  let incomplete = 0;
  const keep = (blocks: readonly Block[]) => {
    for (const block of blocks) made.set(block.cid, block);
  };

  async function isThere(root: Cid): Promise<boolean> {
    if (incomplete >= INCOMPLETE_MAX) return false;
    const whole = await isWhole(shard, root, undefined);
    if (!whole) incomplete += 1;
    return whole;
  }

  /** Returns the merged root of an event's parents. */
  async function baseOf(parents: readonly Cid[]): Promise<Cid | undefined> {
    const ancestor = await commonAncestor(parents, event);
    if (ancestor !== undefined) await rebuild(ancestor);
    const { root, added } = await rootOfHead(parents, { event, shard });
    keep(added);
    return root;
  }

  async function rebuild(target: Cid): Promise<void> {
    const operations: (readonly Operation[])[] = [];
    let base: Cid | undefined;
    for (let cid: Cid | undefined = target; cid !== undefined; ) {
      const { operations: own, parents, root }: Awaited<ReturnType<ReadEvent>> = await event(cid);
      if (await isThere(root)) {
        base = root;
        break;
      }
      operations.push(own);
      if (parents.length > 1) base = await baseOf(parents);
      cid = parents.length === 1 ? parents[0] : undefined;
    }
    const update = await applyOperations(shard, base, operations.reverse().flat());
    const { root } = await event(target);
    // All replicas use the recorded root. If the history produces another root, the recorded trie
    // can't be rebuilt.
    if (update.root !== root) throw new FixpointError('MISSING_BLOCK', root);
    keep(update.added);
  }
  return rebuild;
}

/** Returns the rebuilt shards that the root needs. */
async function reachable(
  root: Cid | undefined,
  made: ReadonlyMap<Cid, Block>,
  shard: ReadShard,
): Promise<readonly Block[]> {
  const needed = new Map<Cid, Block>();
  const waiting = [root];
  while (waiting.length > 0) {
    const cid = waiting.pop();
    const block = cid === undefined ? undefined : made.get(cid);
    if (block === undefined || needed.has(block.cid)) continue;
    needed.set(block.cid, block);
    for (const { child } of (await shard(block.cid)).entries) waiting.push(child);
  }
  return [...needed.values()];
}

/**
 * Creates one event with the effect of a whole history. The event follows the genesis, writes every
 * document, and has the same root as the history. A database that dropped events before its first
 * sync sends this event in place of its history. Its stamp says that copies of the database may
 * have earlier versions of its documents.
 */
async function joinedHistory(
  { root, merged }: Snapshot,
  { shard }: Readers,
  genesis: Genesis,
): Promise<{ readonly snapshot: Snapshot; readonly archive: Archive }> {
  const operations: { key: string; value: Cid }[] = [];
  // A history with dropped events isn't empty, so it has a root.
  const from = root as Cid;
  for await (const [key, value] of entries(shard, from))
    if (key !== GENESIS_KEY) operations.push({ key, value });
  const event = encodeEvent({ operations, root: from, parents: genesis.head, by: JOINED_STAMP });
  const head = sortHead([event.cid]);
  const archive = await packArchive({ cars: [], compact: [], head }, [...genesis.blocks, ...merged, event]);
  return { snapshot: { head, root: from, merged: [] }, archive };
}

/**
 * Stops compaction from dropping events. Returns false and stores nothing when another writer moved
 * the head first.
 * @throws FixpointError STORE_LOCKED when events were dropped and another process has the database
 * open
 */
export async function prepareForSync(head: CurrentHead): Promise<boolean> {
  const { record, snapshot: before, readers, genesis } = head;
  if (record.synced) return true;
  const also = { synced: true, epoch: record.epoch + 1 };
  if (record.horizon === undefined) return advanceHead(head, before, before, [], false, [], also);
  // Another process might still write on top of the history that this step replaces.
  if ((await head.store.isAlone?.()) === false) throw new FixpointError('STORE_LOCKED');
  const { snapshot, archive } = await joinedHistory(before, readers, genesis);
  const former = sortHead([...record.former, ...before.head]);
  if (!(await advanceHead(head, before, snapshot, [archive], true, [], { ...also, former }))) return false;
  await tell(head, before, 'local', []);
  return true;
}
