/**
 * Tests compactions in which other tabs or processes change the database after the plan and before
 * the step that carries out the plan.
 */
import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { packArchive, packBlocks } from '../../archive/pack.ts';
import { sortHead } from '../../clock/event.ts';
import { genesisOf } from '../../clock/genesis.ts';
import { type Block, blockOf } from '../../codec/block.ts';
import { type Cid, RAW } from '../../codec/cid.ts';
import { CidSet } from '../../codec/cid-set.ts';
import type { DatabaseKeys } from '../../crypto/database-keys.ts';
import { NO_KEYS } from '../../crypto/keys.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { encodeDocument } from '../../documents/encode.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../../documents/genesis.ts';
import { memoryStore } from '../../platform/memory-store.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import { Archives } from '../../store/archives.ts';
import { decodeHeadRecord, HEAD_KEY } from '../../store/head-record.ts';
import { archiveKey, blockIndexKey } from '../../store/names.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { openCommits } from '../open-commits.ts';
import { createReaders, type Snapshot } from '../snapshot.ts';
import { type CompactorParts, createCompactor } from './compactor.ts';
import { rewrite } from './rewrite-archives.ts';

const NEWEST = { commits: 1, bytes: 0 };
const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
const operation = (id: string, n: number) => {
  const key = parseDocKey(id);
  return { key, value: encodeDocument({ _id: id, n }, key) };
};

/**
 * Creates a database with twenty versions of a document, and a compactor whose parts a test may
 * replace.
 */
async function worn(over: (store: ByteStore) => ByteStore = (store) => store) {
  const values = new Map<string, Uint8Array>();
  const commits = await openCommits({
    newWriter: () => 'test',
    commitEachWrite: true,
    store: memoryStore(values),
    keys: { keys: () => NO_KEYS },
    ledgerKeys: {} as DatabaseKeys,
    channel: { post: () => undefined, onHint: () => () => undefined, close: () => undefined },
    time: simulatedTime(),
    report: (error) => {
      throw error;
    },
    retention: NEWEST,
    load: () => import('../lazy-commit-chunk.ts'),
  });
  const snapshots: Snapshot[] = [];
  for (let n = 0; n < 20; n++) {
    await commits.write([operation('a', n), operation(`other-${n % 3}`, n)]);
    snapshots.push(commits.snapshot());
  }
  const store = over(memoryStore(values));
  const archives = new Archives(store, { keys: () => NO_KEYS });
  await archives.refresh();
  const recordNow = () => decodeHeadRecord(values.get(HEAD_KEY));
  const steps: number[] = [];
  const compactor = (given: Partial<CompactorParts> = {}) =>
    createCompactor({
      store,
      archives,
      readers: createReaders(
        archives.readBlock,
        { get: () => undefined },
        async () => new Uint8Array(),
        () => undefined,
      ),
      genesis,
      retention: NEWEST,
      time: { now: () => 0 },
      record: recordNow,
      snapshot: () => commits.snapshot(),
      held: () => [],
      exclusive: (work) => work(),
      refresh: async () => undefined,
      refreshNow: async () => undefined,
      requireOpen: () => undefined,
      step: async (changes) => {
        steps.push(changes.length);
        await store.write(changes);
        return true;
      },
      ...given,
    });
  return { values, store, archives, commits, snapshots, recordNow, steps, compactor };
}

describe('between the plan of a compaction and its step', () => {
  test('[R8] voids a plan that drops blocks of a held snapshot', async () => {
    const { values, snapshots, steps, compactor } = await worn();
    const before = new Map(values);
    let isPlanned = false;
    const old = snapshots[3] as Snapshot;
    await compactor({
      exclusive: (work) => {
        isPlanned = true;
        return work();
      },
      // A reader has held the snapshot since the plan was made.
      held: () => (isPlanned ? [old] : []),
    }).sweep();
    // The next plan keeps the snapshot.
    expect(steps).toHaveLength(1);
    const later = new Archives(memoryStore(values), { keys: () => NO_KEYS });
    await later.refresh();
    expect((await later.readBlock(old.root as Cid)).length).toBeGreaterThan(0);
    expect(values).not.toEqual(before);
  });

  test('[R8] [R9] reads the writes of another process, and voids the plan if that process compacted', async () => {
    let isNews = false;
    const { recordNow, steps, compactor } = await worn((store) => ({
      ...store,
      refresh: async () => isNews,
    }));
    let refreshed = 0;
    await compactor({
      exclusive: (work) => {
        isNews = refreshed === 0;
        return work();
      },
      refreshNow: async () => void refreshed++,
      record: () => ({ ...recordNow(), epoch: refreshed }),
    }).sweep();
    expect([refreshed, steps.length]).toEqual([1, 1]);
  });

  test('[R8] removes an unlisted archive, unless another process has listed it since', async () => {
    const { values, compactor } = await worn();
    const [left, listed] = [1, 2].map((n) => packBlocks(genesis.root, [blockOf(Uint8Array.of(n), RAW)])) as [
      ReturnType<typeof packBlocks>,
      ReturnType<typeof packBlocks>,
    ];
    for (const { cid, bytes } of [left, listed]) values.set(archiveKey(cid), bytes);
    await compactor({
      exclusive: (work) => {
        values.set(blockIndexKey(listed.cid), new Uint8Array());
        return work();
      },
    }).sweep();
    expect([values.has(archiveKey(left.cid)), values.has(archiveKey(listed.cid))]).toEqual([false, true]);
  });

  test('[R9] merges archives while another process has the database open, but does nothing if there is only one archive', async () => {
    const { steps, compactor } = await worn((store) => ({ ...store, isAlone: async () => false }));
    const one = compactor();
    await one.sweep();
    await one.sweep();
    expect(steps).toHaveLength(1);
  });
});

describe('archives of a remote with events that are not in the head yet', () => {
  test('[R8] keeps the events and their documents, because a later head needs them and nobody sends them again', async () => {
    const { values, archives, snapshots, recordNow, compactor, store } = await worn();
    const [event, doc] = [snapshots[10]?.head[0] as Cid, operation('a', 10).value.cid];
    // The database is attached, and its head is older than the event.
    const old = snapshots[2] as Snapshot;
    await compactor({ record: () => ({ ...recordNow(), synced: true }), snapshot: () => old }).sweep();
    const later = new Archives(store, { keys: () => NO_KEYS });
    await later.refresh();
    for (const cid of [event, doc]) expect((await later.readBlock(cid)).length).toBeGreaterThan(0);
    expect(archives.list.size).toBe(1);
    expect([...values.keys()].some((key) => key.startsWith('commit/'))).toBe(false);
  });
});

describe('rewritten blocks', () => {
  /** Stores one archive for each group of blocks. */
  async function stored(...groups: (readonly Block[])[]) {
    const values = new Map<string, Uint8Array>();
    const store = memoryStore(values);
    const archives = new Archives(store, { keys: () => NO_KEYS });
    const made = await Promise.all(
      groups.map((blocks) => packArchive({ cars: [], compact: [], head: [] }, blocks)),
    );
    await store.write(await archives.changesFor(made));
    archives.added(made);
    return { values, store, archives, sources: made.map(({ cid }) => cid) };
  }
  const filled = (length: number, fill: number) => blockOf(new Uint8Array(length).fill(fill), RAW);

  test('copies each block once, into archives of about the usual size', async () => {
    const [one, two, three] = [1, 2, 3].map((n) => filled(LIMITS.archiveBytesThreshold * 0.6, n)) as [
      Block,
      Block,
      Block,
    ];
    const { values, store, archives, sources } = await stored([one, two], [two, three]);
    const { made, rest } = await rewrite(archives, store, [{ sources, pending: true }], sortHead([]));
    expect(made.map((archive) => [archive.sources, archive.pending])).toEqual([
      [sources.slice(0, 1), true],
      [sources.slice(1), true],
    ]);
    // Long archives are stored before the step that lists them.
    expect(rest).toEqual([]);
    const fresh = new Archives(memoryStore(values), { keys: () => NO_KEYS });
    for (const { cid, index } of made) fresh.learn(cid, index);
    for (const { cid, bytes } of [one, two, three])
      expect(Buffer.compare(await fresh.readBlock(cid), bytes)).toBe(0);
    expect(made.flatMap(({ cid }) => fresh.contentOf(cid)).filter(({ cid }) => cid === two.cid)).toHaveLength(
      1,
    );
  });

  test('creates no archive when no block is kept', async () => {
    const { store, archives, sources } = await stored([filled(10, 1)], [filled(10, 2)]);
    const groups = [{ sources, pending: false }];
    expect(await rewrite(archives, store, groups, sortHead([]), new CidSet())).toEqual({
      made: [],
      rest: [],
    });
  });
});
