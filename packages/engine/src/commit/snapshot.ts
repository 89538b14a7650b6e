/** The head and its trie, as one reader sees them. */
import { Lru } from '../base/lru.ts';
import {
  type ClockEvent,
  type Operation as ClockOperation,
  eventReader,
  type Head,
  type ReadEvent,
} from '../clock/event.ts';
import { GENESIS_EVENT } from '../clock/genesis.ts';
import type { Block, ReadBlock, ReadBlocks } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { entries } from '../trie/entries.ts';
import { type ReadShard, type Shard, shardReader } from '../trie/shard.ts';

/**
 * Maximum number of cached events plus their operations. At least half of it remains, which is
 * enough for 30 databases that wrote 1,000 documents each before they first synced. An operation
 * takes about 170 bytes.
 */
const EVENTS_KEPT = 60_000;
/**
 * Maximum number of cached shards plus their entries: enough for the current trie of 100,000
 * documents.
 */
const SHARDS_KEPT = 300_000;
const SHARDS_OF_VIEW_KEPT = 30_000;
const MERGED_BYTES_KEPT = 16_000_000;

export interface Snapshot {
  readonly head: Head;
  /** Undefined while the database is empty. */
  readonly root: Cid | undefined;
  /** Shards that merging the events of the head created, and that aren't stored yet. */
  readonly merged: readonly Block[];
}

export interface Readers {
  readonly block: ReadBlock;
  /** Reads many blocks and returns them in the given order. Opens each archive once. */
  readonly blocks: ReadBlocks;
  readonly event: ReadEvent;
  readonly shard: ReadShard;
  /**
   * Returns the plain bytes of a file archive. Fetches the archive from a remote if it isn't on
   * this device.
   * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN
   */
  readonly fileArchive: ReadBlock;
}

/** Blocks that aren't stored yet. */
export interface UnstoredBlocks {
  get(cid: Cid): Uint8Array | undefined;
  /**
   * Switches to the merged shards of this snapshot. Shards of earlier snapshots remain for a while,
   * for readers that still use those snapshots.
   */
  show(snapshot: Snapshot): void;
}

/** @param first the genesis blocks, which an empty database hasn't stored yet */
export function createUnstoredBlocks(first: readonly Block[]): UnstoredBlocks {
  const genesis = new Map(first.map(({ cid, bytes }) => [cid, bytes]));
  let current = new Map<Cid, Uint8Array>();
  const before = new Lru<Cid, Uint8Array>(MERGED_BYTES_KEPT);
  return {
    get: (cid) => current.get(cid) ?? before.get(cid) ?? genesis.get(cid),
    show: ({ merged }) => {
      for (const [cid, bytes] of current) before.set(cid, bytes, bytes.length);
      current = new Map(merged.map(({ cid, bytes }) => [cid, bytes]));
    },
  };
}

const oneByOne =
  (read: ReadBlock): ReadBlocks =>
  (cids) =>
    Promise.all(cids.map(read));

/**
 * Creates cached readers over stored and unstored blocks.
 * @param horizon the oldest event kept, if older ones were dropped
 */
export function createReaders(
  readStored: ReadBlock,
  unstored: Pick<UnstoredBlocks, 'get'>,
  fileArchive: ReadBlock,
  horizon: () => Cid | undefined,
  readManyStored: ReadBlocks = oneByOne(readStored),
): Readers {
  const block: ReadBlock = async (cid) => unstored.get(cid) ?? readStored(cid);
  const blocks: ReadBlocks = async (cids) => {
    const found = cids.map((cid) => unstored.get(cid));
    const stored = (await readManyStored(cids.filter((_, at) => found[at] === undefined))).values();
    return found.map((bytes) => bytes ?? (stored.next().value as Uint8Array));
  };
  if (readManyStored.placesOf !== undefined) blocks.placesOf = readManyStored.placesOf;
  const event = eventReader(block, new Lru<Cid, ClockEvent>(EVENTS_KEPT));
  const shard = shardReader(block, new Lru<Cid, Shard>(SHARDS_KEPT), blocks);
  const oldest = new Map<Cid, ClockEvent>();

  /**
   * Returns the oldest kept event as if it had followed the genesis and written every document,
   * because it replaces all earlier events.
   */
  async function oldestEvent(cid: Cid): Promise<ClockEvent> {
    const known = oldest.get(cid);
    if (known !== undefined) return known;
    const { root } = await event(cid);
    const operations: ClockOperation[] = [];
    for await (const [key, value] of entries(shard, root)) operations.push({ key, value });
    const made = { root, operations, parents: [GENESIS_EVENT] };
    oldest.clear();
    oldest.set(cid, made);
    return made;
  }

  return {
    block,
    blocks,
    fileArchive,
    event: (cid) => (cid === horizon() ? oldestEvent(cid) : event(cid)),
    shard,
  };
}

/** Returns readers that also find the merged shards of this snapshot. */
export function readersOf({ merged }: Snapshot, readers: Readers): Readers {
  if (merged.length === 0) return readers;
  const own = new Map(merged.map(({ cid, bytes }) => [cid, bytes]));
  const block: ReadBlock = async (cid) => own.get(cid) ?? readers.block(cid);
  return { ...readers, block, shard: shardReader(block, new Lru<Cid, Shard>(SHARDS_OF_VIEW_KEPT)) };
}
