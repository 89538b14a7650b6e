/** Tests the last step of a compaction, with writes, uploads and failures between plan and step. */
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../../codec/cid.ts';
import { CidSet } from '../../codec/cid-set.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import { decodeHeadRecord, HEAD_KEY } from '../../store/head-record.ts';
import { archiveKey, blockIndexKey, commitKey, sentKey, uploadKey } from '../../store/names.ts';
import { commit } from '../commit.ts';
import { reloadHead, writeRecord } from '../current-head.ts';
import { code, copyOf, documentAt, full, headOver, openedHead, operation } from '../head.fixture.ts';
import type { Snapshot } from '../snapshot.ts';
import { carryOut, checkAhead, type Plan, type StepParts } from './carry-out.ts';
import { rewrite } from './rewrite-archives.ts';

/**
 * Creates a database of three commits, a plan that merges all archives, and the parts of the step.
 */
async function planned({ pending = true, more = {} as Partial<ByteStore> } = {}) {
  const { values, head: writer } = await openedHead(new Map(), operation('a', 1));
  const first = writer.snapshot;
  for (const one of [operation('b', 2), operation('a', 3)]) await commit(writer, [one]);
  const opened = await headOver(values, more);
  await opened.open();
  const { head } = opened;
  const { store, archives, readers } = head;
  const held: Snapshot[] = [];
  const parts: StepParts = {
    store,
    archives,
    readers,
    record: () => head.record,
    snapshot: () => head.snapshot,
    held: () => held,
    refreshNow: () => reloadHead(head),
    step: (changes, next, frees) => writeRecord(head, changes, next, frees),
  };
  const sources = [...archives.list.keys()];
  const groups = [{ sources, pending }];
  const rewritten = await rewrite(archives, store, groups, head.snapshot.head);
  const [made] = rewritten.made.map(({ cid }) => cid) as [Cid];
  const plan: Plan = {
    epoch: head.record.epoch,
    groups,
    rewritten,
    live: undefined,
    orphans: [],
    frees: false,
  };
  return { ...opened, first, parts, plan, sources, made, held };
}
/** Returns all blocks as live, except those in `without`. */
async function liveOf({ head }: Awaited<ReturnType<typeof planned>>, without: readonly Cid[] = []) {
  const blocks = [...head.archives.list.keys()].flatMap((cid) => head.archives.contentOf(cid));
  const cids = new Set(blocks.map(({ cid }) => cid));
  for (const cid of without) cids.delete(cid);
  return { cids: CidSet.of(cids), horizon: undefined, keepEvent: async () => undefined };
}
const listed = (values: ReadonlyMap<string, Uint8Array>) =>
  [...values.keys()].filter((key) => /^(car|idx|commit|upload|sent)\//.test(key)).toSorted();

describe('carrying out a plan', () => {
  test('[R8] replaces the old archives with the new one in one write, and keeps every document', async () => {
    const { values, writes, parts, plan, made } = await planned();
    expect(await carryOut(parts, plan)).toBe(true);
    expect(writes).toHaveLength(1);
    expect(listed(values)).toEqual([archiveKey(made), blockIndexKey(made), uploadKey(made)].toSorted());
    const { head, open } = await headOver(values);
    await open();
    expect(await documentAt(head, 'a')).toEqual(operation('a', 3).value.bytes);
    expect(await documentAt(head, 'b')).toEqual(operation('b', 2).value.bytes);
    // A merge keeps every block, so the previous version is readable, too.
    expect(await head.readers.block(operation('a', 1).value.cid)).toEqual(operation('a', 1).value.bytes);
  });

  test('updates the list of archives in memory, without reading the stored list again', async () => {
    const { head, parts, plan, made } = await planned();
    await carryOut(parts, plan);
    expect([...head.archives.list.keys()]).toEqual([made]);
    expect(await head.archives.readBlock(operation('b', 2).value.cid)).toEqual(operation('b', 2).value.bytes);
    expect(await commit(head, [operation('c', 1)])).toBe(true);
  });

  test('increments the epoch, which voids earlier plans', async () => {
    const { values, parts, plan } = await planned();
    await carryOut(parts, plan);
    expect(decodeHeadRecord(values.get(HEAD_KEY)).epoch).toBe(plan.epoch + 1);
    const before = copyOf(values);
    expect(await carryOut(parts, plan)).toBe(false);
    expect(values).toEqual(before);
  });

  test.each([
    [true, 'now'],
    [false, undefined],
  ])('uses the reserve of a full disk only if the plan frees space (%s)', async (frees, expected) => {
    const { writes, parts, plan } = await planned();
    await carryOut(parts, { ...plan, frees });
    expect(writes[0]?.guard?.frees).toBe(expected);
  });

  test('[R8] keeps an archive that was rewritten to the same bytes', async () => {
    const { values, head, parts, plan, sources, made } = await planned();
    const stored = copyOf(values);
    await carryOut(parts, plan);
    // A remote sent the old archives back.
    for (const cid of sources) values.set(commitKey(cid), stored.get(commitKey(cid)) as Uint8Array);
    await head.archives.refresh();
    const groups = [{ sources: [...sources, made], pending: true }];
    const rewritten = await rewrite(head.archives, head.store, groups, head.snapshot.head);
    expect(rewritten.made.map(({ cid }) => cid)).toEqual([made]);
    expect(await carryOut(parts, { ...plan, epoch: head.record.epoch, groups, rewritten })).toBe(true);
    expect(values.has(archiveKey(made)) && values.has(blockIndexKey(made))).toBe(true);
    const { head: later, open } = await headOver(values);
    await open();
    expect(await documentAt(later, 'a')).toEqual(operation('a', 3).value.bytes);
  });
});

describe('archives that wait for upload', () => {
  test('[R17] queues the new archive for upload in place of the old ones', async () => {
    const { head, parts, plan, made } = await planned();
    await carryOut(parts, plan);
    expect([...(await head.archives.pending())]).toEqual([made]);
  });

  test('[R17] queues no upload if all old archives were sent while the plan was made', async () => {
    const { values, head, parts, plan, sources } = await planned();
    for (const cid of sources) values.set(sentKey(cid), new Uint8Array());
    await carryOut(parts, plan);
    expect((await head.archives.pending()).size).toBe(0);
    // The rows about sent archives are removed together with these archives.
    expect([...values.keys()].filter((key) => key.startsWith('sent/'))).toEqual([]);
  });

  test('[R17] queues the new archive for upload if one of the old ones was not sent yet', async () => {
    const { values, head, parts, plan, sources, made } = await planned();
    for (const cid of sources.slice(1)) values.set(sentKey(cid), new Uint8Array());
    await carryOut(parts, plan);
    expect([...(await head.archives.pending())]).toEqual([made]);
  });

  test('queues no upload for archives that came from a remote', async () => {
    const { head, parts, plan } = await planned({ pending: false });
    await carryOut(parts, plan);
    expect((await head.archives.pending()).size).toBe(0);
  });
});

describe('a plan that is void', () => {
  test('[R8] removes nothing after a compaction of another tab', async () => {
    const { values, head, parts, plan } = await planned();
    await writeRecord(head, [], { ...head.record, epoch: head.record.epoch + 1 }, undefined);
    const before = copyOf(values);
    expect(await carryOut(parts, plan)).toBe(false);
    expect(values).toEqual(before);
  });

  test('[P5] removes nothing when another tab commits just before the write', async () => {
    const { values, hooks, head, parts, plan, sources } = await planned();
    hooks.write = async () => {
      hooks.write = undefined;
      await openedHead(values, operation('theirs', 1));
    };
    expect(await carryOut(parts, plan)).toBe(false);
    for (const cid of sources) expect(values.has(commitKey(cid))).toBe(true);
    expect([...head.archives.list.keys()]).toEqual(sources);
    // After a reload, the commit of the other tab doesn't void the merge.
    await reloadHead(head);
    expect(await carryOut(parts, plan)).toBe(true);
    expect(await documentAt(head, 'theirs')).toBeDefined();
  });

  test('[R9] drops no blocks while another process has the database open, but still merges archives', async () => {
    const world = await planned({ more: { isAlone: async () => false } });
    const { parts, plan } = world;
    expect(await carryOut(parts, { ...plan, live: await liveOf(world) })).toBe(false);
    expect(await carryOut(parts, plan)).toBe(true);
  });

  test('[R8] keeps blocks that only a held snapshot needs, and drops them once the snapshot is released', async () => {
    const world = await planned();
    const { values, head, first, held, parts, plan, sources } = world;
    // The plan treats the trie and the version that the first commit wrote as dead.
    const dead = [first.root as Cid, operation('a', 1).value.cid];
    const live = await liveOf(world, dead);
    const rewritten = await rewrite(head.archives, head.store, plan.groups, head.snapshot.head, live.cids);
    held.push(first);
    const before = copyOf(values);
    expect(await carryOut(parts, { ...plan, rewritten, live })).toBe(false);
    expect(values).toEqual(before);
    held.length = 0;
    expect(await carryOut(parts, { ...plan, rewritten, live })).toBe(true);
    expect(sources.some((cid) => values.has(commitKey(cid)))).toBe(false);
    const { head: later, open } = await headOver(values);
    await open();
    for (const cid of dead) await expect(later.readers.block(cid)).rejects.toThrow(code('MISSING_BLOCK'));
    expect(await documentAt(later, 'a')).toEqual(operation('a', 3).value.bytes);
  });
});

describe('the check ahead of a step', () => {
  /** Counts the shards that the parts read, apart from those in caches. */
  function counting(parts: StepParts) {
    const read: Cid[] = [];
    const shard = async (cid: Cid) => {
      read.push(cid);
      return parts.readers.shard(cid);
    };
    return { read, parts: { ...parts, readers: { ...parts.readers, shard } } };
  }

  test('leaves to the step only what was written since', async () => {
    const world = await planned();
    const { head, plan } = world;
    const { read, parts } = counting(world.parts);
    const live = { ...(await liveOf(world)), cids: new CidSet() };
    const kept = { ...plan, groups: [], live };
    const seen = await checkAhead(parts, kept);
    expect(seen?.has(head.snapshot.root as Cid)).toBe(true);
    expect(read.length).toBeGreaterThan(0);

    read.length = 0;
    const fresh = await commit(head, [operation('later', 1)]);
    expect(fresh).toBe(true);
    expect(await carryOut(parts, { ...kept, epoch: head.record.epoch }, seen)).toBe(true);
    expect(read).toEqual([head.snapshot.root]);
  });

  test('[R8] does not hide from the step that a reader took a snapshot since', async () => {
    const world = await planned();
    const { values, head, first, held, parts, plan } = world;
    const live = await liveOf(world, [first.root as Cid, operation('a', 1).value.cid]);
    const rewritten = await rewrite(head.archives, head.store, plan.groups, head.snapshot.head, live.cids);
    const sweep = { ...plan, rewritten, live };
    const seen = await checkAhead(parts, sweep);
    held.push(first);
    const before = copyOf(values);
    expect(await carryOut(parts, sweep, seen)).toBe(false);
    expect(values).toEqual(before);
    held.length = 0;
    expect(await carryOut(parts, sweep, seen)).toBe(true);
  });

  test('[R8] voids a plan that removes what the head needs', async () => {
    const world = await planned();
    const live = await liveOf(world, [world.head.snapshot.root as Cid]);
    expect(await checkAhead(world.parts, { ...world.plan, live })).toBeUndefined();
    expect(await checkAhead(world.parts, { ...world.plan, live: await liveOf(world) })).toBeDefined();
    // A merge keeps every block.
    expect(await checkAhead(world.parts, world.plan)).toEqual(new Set());
  });

  test('[R8] repeats the check until writers have written little since, but not forever', async () => {
    const world = await planned();
    const live = { ...(await liveOf(world)), cids: new CidSet() };
    let looks = 0;
    const chains = (name: string, length: number) => {
      const names = Array.from({ length }, (_, n) => operation(`${name}-${n}`, 0).value.cid);
      const shards = names.map((cid, n) => {
        const entry = { key: 'k', value: undefined, child: names[n + 1] };
        return [cid, { prefix: '', entries: entry.child === undefined ? [] : [entry] }] as const;
      });
      return { root: names[0], shards: new Map(shards) };
    };
    const run = async (lengths: readonly number[]) => {
      looks = 0;
      const all = lengths.map((length, n) => chains(`look-${n}`, length));
      const shard = async (cid: Cid) => all.flatMap(({ shards }) => shards.get(cid) ?? [])[0];
      const snapshot = () => ({ head: [], root: all[looks++]?.root, merged: [] });
      const readers = { ...world.parts.readers, shard } as unknown as StepParts['readers'];
      await checkAhead({ ...world.parts, readers, snapshot }, { ...world.plan, groups: [], live });
      return looks;
    };
    expect(await run([600, 501, 20, 600])).toBe(3);
    expect(await run(Array.from({ length: 20 }, () => 501))).toBe(8);
  });
});

describe('a step that fails', () => {
  test('[R3] keeps the old archives, listed and readable, when the disk is full', async () => {
    const { values, head, parts, plan, sources, failOnce } = await planned();
    const before = copyOf(values);
    failOnce('write', full);
    await expect(carryOut(parts, plan)).rejects.toThrow(code('STORE_FULL'));
    expect(values).toEqual(before);
    expect([...head.archives.list.keys()]).toEqual(sources);
    expect(await documentAt(head, 'b')).toEqual(operation('b', 2).value.bytes);
    // The same plan succeeds when there is space again.
    expect(await carryOut(parts, plan)).toBe(true);
  });

  test('[R3] writes nothing when reading the upload queue fails', async () => {
    const { values, parts, plan, store } = await planned();
    const before = copyOf(values);
    const failing = { ...store, keys: () => Promise.reject(new FixpointError('STORE_FAILED', 'EIO')) };
    await expect(carryOut({ ...parts, store: failing }, plan)).rejects.toThrow(code('STORE_FAILED'));
    expect(values).toEqual(before);
  });
});

describe('archives that an interrupted compaction left behind', () => {
  test('removes the archives, unless another tab has listed them since', async () => {
    const { values, parts, plan } = await planned();
    const [left, used] = ['a', 'b'].map((id) => operation(id, 99).value.cid) as [Cid, Cid];
    for (const cid of [left, used]) values.set(archiveKey(cid), Uint8Array.of(1));
    values.set(blockIndexKey(used), new Uint8Array());
    await carryOut(parts, { ...plan, orphans: [left, used] });
    expect([values.has(archiveKey(left)), values.has(archiveKey(used))]).toEqual([false, true]);
  });
});

describe('the record after a sweep', () => {
  test('contains the size of the remaining archives, and the oldest remaining event', async () => {
    const world = await planned();
    const { values, head, parts, plan } = world;
    const [horizon] = head.snapshot.head;
    await carryOut(parts, { ...plan, live: { ...(await liveOf(world)), horizon } });
    const record = decodeHeadRecord(values.get(HEAD_KEY));
    expect(record).toMatchObject({ horizon, bytes: head.archives.bytes });
    expect(record.bytes).toBeGreaterThan(0);
  });

  test('keeps the horizon of an earlier sweep if the new sweep drops no events', async () => {
    const world = await planned();
    const { values, head, parts, plan } = world;
    const [horizon] = head.snapshot.head;
    await writeRecord(head, [], { ...head.record, horizon }, undefined);
    await carryOut(parts, { ...plan, live: await liveOf(world) });
    expect(decodeHeadRecord(values.get(HEAD_KEY)).horizon).toBe(horizon);
  });

  test('does not count a merge as a sweep', async () => {
    const { values, parts, plan } = await planned();
    await carryOut(parts, plan);
    expect(decodeHeadRecord(values.get(HEAD_KEY)).bytes).toBe(0);
  });
});
