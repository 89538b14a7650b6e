/**
 * Counts how often archives are opened, in a store that returns only whole values, as IndexedDB
 * does, and with archives that don't fit into memory together.
 */
import { describe, expect, test } from 'vitest';
import { packArchive } from '../../archive/pack.ts';
import { encodeEvent, sortHead } from '../../clock/event.ts';
import { genesisOf } from '../../clock/genesis.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { NO_KEYS } from '../../crypto/keys.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { encodeDocument } from '../../documents/encode.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../../documents/genesis.ts';
import { memoryStore } from '../../platform/memory-store.ts';
import { Archives } from '../../store/archives.ts';
import type { HeadRecord } from '../../store/head-record.ts';
import { ARCHIVES } from '../../store/names.ts';
import { putMany } from '../../trie/put-many.ts';
import { createReaders, type Snapshot } from '../snapshot.ts';
import { createCompactor } from './compactor.ts';
import { liveBlocks } from './live-blocks.ts';
import { isStillWhole } from './still-whole.ts';

const BULKS = 24;
const BULK = 250;
/** Maximum number of opened archives in memory. */
const KEPT = 4;
/** The root, and shards whose paths have one to four characters. */
const LEVELS = 5;

const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
const nothing = async () => new Uint8Array();

/** Returns the number of a document as an id without order. */
const idOf = (n: number): string => cidOf(RAW, Uint8Array.of(n >> 8, n & 255)).slice(-8);

const documents = (bulk: number) =>
  Array.from({ length: BULK }, (_, at) => {
    const key = parseDocKey(idOf(bulk * BULK + at));
    return [key as string, encodeDocument({ _id: key, bulk }, key)] as const;
  });

/** Writes bulks of documents, each into an archive of its own. */
async function filled() {
  const store = memoryStore();
  const archives = new Archives(store, { keys: () => NO_KEYS });
  const readers = createReaders(archives.readBlock, { get: () => undefined }, nothing, () => undefined);
  let snapshot: Snapshot = { head: [], root: undefined, merged: [] };
  for (let bulk = 0; bulk < BULKS; bulk++) {
    const puts = documents(bulk);
    const links = puts.map(([key, { cid }]) => [key, cid] as const);
    const { root, added } = await putMany(readers.shard, snapshot.root, links);
    const operations = links.map(([key, value]) => ({ key, value }));
    const event = encodeEvent({ operations, root, parents: snapshot.head });
    const blocks = [...puts.map(([, block]) => block), ...added, event];
    const made = [await packArchive({ cars: [], compact: [], head: [event.cid] }, blocks)];
    await store.write(await archives.changesFor(made));
    archives.added(made);
    snapshot = { head: sortHead([event.cid]), root, merged: [] };
  }
  return { store, snapshot };
}

/** Opens the database with empty caches. `opened` lists the archives that were read, in order. */
async function reopened() {
  const { store: inner, snapshot } = await filled();
  const opened: string[] = [];
  const store = {
    ...inner,
    read: (key: string) => {
      if (key.startsWith(ARCHIVES)) opened.push(key);
      return inner.read(key);
    },
  };
  const archives = new Archives(store, { keys: () => NO_KEYS }, KEPT);
  await archives.refresh();
  const readers = createReaders(
    archives.readBlock,
    { get: () => undefined },
    nothing,
    () => undefined,
    archives.readBlocks,
  );
  return { store, archives, readers, snapshot, opened };
}

type Opened = Awaited<ReturnType<typeof reopened>>;

const liveOf = ({ readers, snapshot, archives }: Opened) =>
  liveBlocks({
    snapshot,
    former: [],
    held: [],
    readers,
    genesis,
    retention: { commits: 1, bytes: 0 },
    mayDropEvents: false,
    sizeOf: (cid) => archives.placeOf(cid)?.length ?? 0,
    pause: async () => undefined,
  });

const ONCE_A_LEVEL = BULKS * LEVELS;

describe('archives that are larger than the memory for them', () => {
  test('[R11] opens each archive once for each level of the trie when it looks for live blocks', async () => {
    const database = await reopened();
    const { cids } = await liveOf(database);
    for (let bulk = 0; bulk < BULKS; bulk++)
      for (const [, { cid }] of documents(bulk)) expect(cids.has(cid)).toBe(true);
    // The history is read event by event, and each event is in another archive.
    expect(database.opened.length).toBeLessThanOrEqual(ONCE_A_LEVEL + BULKS);
  });

  test('[R11] opens each archive once more to copy its live blocks', async () => {
    const database = await reopened();
    const { store, archives, readers, snapshot, opened } = database;
    const record = {
      head: snapshot.head,
      epoch: 0,
      bytes: 0,
      former: [],
      synced: false,
    } as unknown as HeadRecord;
    let written = 0;
    await createCompactor({
      store,
      archives,
      readers,
      genesis,
      retention: { commits: 1, bytes: 0 },
      time: { now: () => 0 },
      record: () => record,
      snapshot: () => snapshot,
      held: () => [],
      exclusive: (work) => work(),
      refresh: async () => undefined,
      refreshNow: async () => undefined,
      requireOpen: () => undefined,
      step: async (changes) => {
        written++;
        await store.write(changes);
        return true;
      },
    }).sweep();
    expect(written).toBe(1);
    expect(opened.length).toBeLessThanOrEqual(ONCE_A_LEVEL + 2 * BULKS);
    opened.length = 0;
    for (const [, { cid, bytes }] of documents(3))
      expect(Buffer.compare(await archives.readBlock(cid), bytes)).toBe(0);
  });

  test('[R8] opens each archive once for each level to check that a step removes nothing needed', async () => {
    const { archives, readers, snapshot, opened } = await reopened();
    const removal = {
      archives,
      readers,
      live: new Set<Cid>(),
      removed: new Set<Cid>(),
      snapshots: [snapshot],
    };
    expect(await isStillWhole(removal)).toBe(true);
    expect(opened.length).toBeLessThanOrEqual(ONCE_A_LEVEL + BULKS);
  });

  test('[R11] opens each archive once for each level when a bulk changes shards that are not in memory', async () => {
    const { readers, snapshot, opened } = await reopened();
    const puts = documents(5).map(([key]) => [key, genesis.root] as const);
    const { added } = await putMany(readers.shard, snapshot.root, puts);
    expect(added.length).toBeGreaterThan(BULK / 2);
    expect(opened.length).toBeLessThanOrEqual(ONCE_A_LEVEL);
  });
});
