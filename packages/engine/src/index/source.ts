/**
 * Reads the documents that an index needs: either all documents of a snapshot, or those that differ
 * from an earlier head.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { append } from '../base/append.ts';
import type { Pace } from '../base/pace.ts';
import { changesInLine } from '../clock/changes-in-line.ts';
import type { Cid } from '../codec/cid.ts';
import { CidSet } from '../codec/cid-set.ts';
import { orderByPlace } from '../codec/read-by-place.ts';
import type { Commits } from '../commit/commits-interface.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { type DecodeLive, decodingOf, type LiveDoc } from '../documents/decode-fields.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { diffTries } from '../trie/diff.ts';
import { createLinkTable } from '../trie/link-table.ts';
import { createShardPrefetch } from '../trie/prefetch-shards.ts';
import type { Shard } from '../trie/shard.ts';
import { walkLevels } from '../trie/walk-levels.ts';
import type { IndexState } from './state.ts';

export type Source = Pick<Commits, 'readers' | 'snapshot'>;

/** One batch of documents to map again. */
export interface ChangedDocuments {
  /** Ids of all documents of the batch, including deleted ones. */
  readonly ids: readonly string[];
  readonly live: readonly LiveDoc[];
}

/** Which documents an index needs, and which of their fields. */
interface Wanted {
  readonly fields?: readonly string[] | undefined;
  readonly prefix?: string | undefined;
}

const BATCH = 500;
/**
 * Maximum number of documents that are read in the order of their places. Documents that follow
 * each other by id are stored in different archives, so a smaller number opens each archive more
 * often. The ids and links of this number of documents take about 70 MB.
 */
const SORTED_TOGETHER = 1_000_000;
/** Shards and entries of a walk to cache: all of 100,000 documents, and fewer than fit. */
const SHARDS_KEPT = 250_000;

/**
 * Yields all documents if the previous state is empty, or else the documents that differ from that
 * state. The cost depends on how much changed, not on the number of events.
 * @param of `fields`: the fields that the index needs; if undefined, it may need all fields.
 * `prefix`: only documents whose id starts with this text
 * @throws FixpointError MISSING_BLOCK when blocks of the earlier head are gone; CORRUPT
 */
export async function* changedDocuments(
  readers: Readers,
  snapshot: Snapshot,
  before: IndexState,
  { pace, fields, prefix = '' }: Wanted & { readonly pace: Pace },
): AsyncGenerator<ChangedDocuments> {
  const decodeLive = decodingOf(fields);
  const batches =
    before.head.length === 0
      ? allLinks({ readers, root: snapshot.root, prefix, pace })
      : inBatches(
          readers,
          (await linksSince(readers, snapshot, before, pace)).filter(([id]) => id.startsWith(prefix)),
          pace,
        );
  for await (const links of batches) yield readBatch(readers, links, decodeLive);
}

type Links = readonly (readonly [id: string, document: Cid | undefined])[];

/** The snapshot to read, and which of its documents. */
interface Walk {
  readonly readers: Readers;
  readonly root: Cid | undefined;
  /** Only ids that start with this text. */
  readonly prefix: string;
  readonly pace: Pace;
}

/** Yields all links in batches, sorted by the places of their documents. */
async function* allLinks(walk: Walk): AsyncGenerator<Links> {
  const { readers, root } = walk;
  if (root === undefined) return;
  const fitsInMemory = (await readers.blocks.placesOf?.([root])) === undefined;
  yield* fitsInMemory ? linksInOrder(walk, root) : storedLinks(walk);
}

/** Yields all links nearly in the order of their ids. */
async function* linksInOrder(
  { readers: { shard: read }, prefix: wanted }: Walk,
  root: Cid,
): AsyncGenerator<Links> {
  let links: [string, Cid][] = [];
  const shards = [root];
  const childrenIn = ({ prefix, entries }: Shard) =>
    entries.flatMap(({ key, child }) =>
      child !== undefined && isBelow(wanted, prefix + key) ? [child] : [],
    );
  const prefetch = createShardPrefetch(read, childrenIn);
  for (let cid = shards.pop(); cid !== undefined; cid = shards.pop()) {
    if (read.peek?.(cid) === undefined) await prefetch([cid, ...shards.toReversed()]);
    const shard = read.peek?.(cid) ?? (await read(cid));
    for (const { key, value } of shard.entries) {
      const id = shard.prefix + key;
      if (value !== undefined && id.startsWith(wanted)) links.push([id, value]);
    }
    // The shard pushed last is read first, so that links come nearly in order.
    append(shards, childrenIn(shard).reverse());
    if (links.length < BATCH) continue;
    yield links;
    links = [];
  }
  yield links;
}

/**
 * Yields all links of a database that exceeds the memory for opened archives. Collects them with a
 * walk level by level, so that neither shards nor documents open an archive again and again.
 */
async function* storedLinks({ readers, root, prefix, pace }: Walk): AsyncGenerator<Links> {
  const rest = restOf(pace);
  const seen = new CidSet();
  let links = createLinkTable(readers.blocks);
  const isWanted = (cid: Cid, path: string) => isBelow(prefix, path) && seen.add(cid);
  for await (const shards of walkLevels(readers.shard, root, isWanted, { rest, keptMax: SHARDS_KEPT })) {
    for (const shard of shards)
      for (const { key, value } of shard.entries) {
        const id = shard.prefix + key;
        if (value !== undefined && id.startsWith(prefix)) links.add(id, value);
      }
    await links.pack();
    await rest();
    if (links.size() < SORTED_TOGETHER) continue;
    yield* links.inBatches(BATCH, rest);
    links = createLinkTable(readers.blocks);
  }
  yield* links.inBatches(BATCH, rest);
}

const restOf = (pace: Pace) => async (): Promise<void> => {
  if (pace.isDue()) await pace.rest();
};

/** Returns whether ids with this prefix can be in the part of the trie at `path`. */
const isBelow = (prefix: string, path: string): boolean => path.startsWith(prefix) || prefix.startsWith(path);

/**
 * Maximum number of events whose changes an update reads. Many events may have written few
 * documents again and again, and comparing tries reads each document once.
 */
const EVENTS_MAX = 5000;

/** Compaction drops events and shards of the past, so either of them may be missing. */
async function linksSince(
  { event, shard }: Readers,
  { head, root }: Snapshot,
  before: IndexState,
  pace: Pace,
): Promise<Links> {
  const changes = await changesInLine(head, before.head, event, EVENTS_MAX).catch((cause) => {
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    return undefined;
  });
  if (changes !== undefined) return changes.map(({ key, value }) => [key, value]);
  const links: [string, Cid | undefined][] = [];
  for await (const { key, after } of diffTries(shard, before.root, root)) {
    links.push([key, after]);
    if (pace.isDue()) await pace.rest();
  }
  return links;
}

/** Yields batches of links, sorted by the places of their documents. */
async function* inBatches({ blocks }: Readers, links: Links, pace: Pace): AsyncGenerator<Links, void> {
  const order = await orderByPlace(
    blocks,
    links.map(([, link]) => link),
    restOf(pace),
  );
  for (let from = 0; from < order.length; from += BATCH)
    yield order.slice(from, from + BATCH).map((at) => links[at] as Links[number]);
}

async function readBatch(readers: Readers, links: Links, decodeLive: DecodeLive): Promise<ChangedDocuments> {
  const told = links.filter(([id]) => id !== GENESIS_KEY);
  const present = told.flatMap(([id, link]) => (link === undefined ? [] : [{ id, link }]));
  const blocks = await readers.blocks(present.map(({ link }) => link));
  return {
    ids: told.map(([id]) => id),
    live: present.flatMap(({ id }, at) => decodeLive(blocks[at] ?? new Uint8Array(), id) ?? []),
  };
}
