import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { type Archive, packArchive } from '../archive/pack.ts';
import { utf8 } from '../base/bytes.ts';
import { WITHOUT_REST } from '../base/pace.ts';
import { encodeEvent, type Head, sortHead } from '../clock/event.ts';
import { blockOf, type ReadBlocks } from '../codec/block.ts';
import { CAR, type Cid, cidOf, RAW } from '../codec/cid.ts';
import type { StoreChange } from '../ports/byte-store.ts';
import { putMany } from '../trie/put-many.ts';
import { commit } from './commit.ts';
import { reloadHead } from './current-head.ts';
import {
  archivesOf,
  code,
  copyOf,
  deletion,
  documentAt,
  full,
  headOver,
  openedHead,
  operation,
} from './head.fixture.ts';
import { type Accept, mergeRemote } from './merge-remote.ts';
import type { Operation } from './write-queue.ts';

/** Creates a remote with one commit for each operation. Returns the merge that the remote sends. */
async function remoteWith(...operations: readonly Operation[]) {
  const { head } = await openedHead(new Map(), ...operations);
  return { head: head.snapshot.head, archives: await archivesOf(head), remember: [] };
}
const ofRemote = (from: Awaited<ReturnType<typeof openedHead>>) =>
  archivesOf(from.head).then((archives) => ({ head: from.head.snapshot.head, archives, remember: [] }));
const under = (values: ReadonlyMap<string, Uint8Array>, prefix: string) =>
  [...values.keys()].filter((key) => key.startsWith(prefix));
const row = { key: 'remote/r/told', bytes: utf8('told') };

describe('merging the head of a remote', () => {
  test('[P1] makes documents of the remote readable after a restart, and announces them', async () => {
    const { head, values, changes, posts } = await openedHead(new Map(), operation('a', 1));
    const before = head.snapshot.head;
    const merge = await remoteWith(operation('b', 1), operation('c', 1));
    expect(await mergeRemote(head, merge, WITHOUT_REST)).toBe(true);
    expect(changes).toEqual([
      { before, after: head.snapshot.head, ids: expect.arrayContaining(['b', 'c']), origin: 'remote' },
    ]);
    expect(posts).toEqual([1]);
    const { head: later, open } = await headOver(values);
    await open();
    for (const id of ['a', 'b', 'c']) expect(await documentAt(later, id)).toBeDefined();
  });

  test('[P3] gives two databases the same head and documents when each merges the other', async () => {
    const [here, there] = [
      await openedHead(new Map(), operation('a', 1), operation('both', 1)),
      await openedHead(new Map(), operation('b', 1), operation('both', 2)),
    ];
    const [sentHere, sentThere] = [await ofRemote(here), await ofRemote(there)];
    await mergeRemote(here.head, sentThere, WITHOUT_REST);
    await mergeRemote(there.head, sentHere, WITHOUT_REST);
    expect(here.head.snapshot.head).toEqual(there.head.snapshot.head);
    expect(here.head.snapshot.root).toBe(there.head.snapshot.root);
  });

  test('announces a document that both databases wrote independently', async () => {
    const first = operation('doc', 0);
    const [here, there] = [await openedHead(new Map(), first), await openedHead(new Map(), first)];
    await commit(here.head, [operation('doc', 1)]);
    await commit(there.head, [operation('doc', 2)]);
    here.changes.length = 0;
    await mergeRemote(here.head, await ofRemote(there), WITHOUT_REST);
    expect(here.changes[0]?.ids).toEqual(['doc']);
  });

  test('announces a deletion by the remote', async () => {
    const first = operation('doc', 0);
    const [here, there] = [await openedHead(new Map(), first), await openedHead(new Map(), first)];
    await commit(there.head, [deletion('doc')]);
    await mergeRemote(here.head, await ofRemote(there), WITHOUT_REST);
    expect(here.changes.map(({ ids }) => ids)).toEqual([['doc']]);
    expect(await documentAt(here.head, 'doc')).toEqual(deletion('doc').value.bytes);
  });

  test('stores the rows of a remote whose head is already merged, and announces nothing', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const before = here.head.snapshot.head;
    const merge = { ...(await ofRemote(here)), remember: [row] };
    expect(await mergeRemote(here.head, merge, WITHOUT_REST)).toBe(true);
    expect([here.head.snapshot.head, here.changes]).toEqual([before, []]);
    expect(here.values.get(row.key)).toEqual(row.bytes);
  });

  test('does not step back to an older head of the remote', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const older = await ofRemote(here);
    await commit(here.head, [operation('a', 2)]);
    const now = here.head.snapshot.head;
    await mergeRemote(here.head, older, WITHOUT_REST);
    expect(here.head.snapshot.head).toEqual(now);
    expect(await documentAt(here.head, 'a')).toEqual(operation('a', 2).value.bytes);
  });

  test('stores archives, head and rows in one write, without archives that are already stored', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const merge = await remoteWith(operation('b', 1));
    const known = [...here.head.archives.list.keys()];
    const fresh = merge.archives.filter(({ cid }) => !known.includes(cid)).map(({ cid }) => cid);
    // Both databases have the archive of the first event.
    expect(fresh.length).toBe(merge.archives.length - 1);
    await mergeRemote(here.head, { ...merge, remember: [row] }, WITHOUT_REST);
    expect(here.writes).toHaveLength(1);
    expect(here.writes[0]?.keys.toSorted()).toEqual(
      ['head', row.key, ...fresh.flatMap((cid) => [`car/${cid}`, `idx/${cid}`])].toSorted(),
    );
  });

  test('[R17] does not queue the archives of a remote for upload', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const merge = await remoteWith(operation('b', 1));
    const pending = await here.head.archives.pending();
    await mergeRemote(here.head, merge, WITHOUT_REST);
    expect(await here.head.archives.pending()).toEqual(pending);
  });

  test('yields between documents when its time slice is over', async () => {
    const here = await openedHead();
    const merge = await remoteWith(operation('b', 1), operation('c', 1), operation('d', 1));
    let rests = 0;
    const rest = async () => void rests++;
    await mergeRemote(here.head, merge, { isDue: () => true, rest });
    expect(rests).toBeGreaterThanOrEqual(3);
    expect(await documentAt(here.head, 'd')).toBeDefined();
  });
});

describe('a shard that a merge creates', () => {
  test('enters the cache when it is stored, and not before', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const merge = await remoteWith(operation('b', 1));
    const merged = (await headAfter(merge)).merged.map(({ cid }) => cid);
    const cached = () => merged.filter((cid) => here.head.readers.shard.peek?.(cid) !== undefined);
    here.failOnce('write', full);
    await expect(mergeRemote(here.head, merge, WITHOUT_REST)).rejects.toThrow(code('STORE_FULL'));
    expect(cached()).toEqual([]);
    await mergeRemote(here.head, merge, WITHOUT_REST);
    expect(cached()).toEqual(merged);
    expect(merged.length).toBeGreaterThan(0);
  });

  /** Returns what merging yields in another database with the same document. */
  async function headAfter(merge: Awaited<ReturnType<typeof remoteWith>>) {
    const { head } = await openedHead(new Map(), operation('a', 1));
    await mergeRemote(head, merge, WITHOUT_REST);
    return head.snapshot;
  }
});

describe('a head that refers to shards which its remote did not send', () => {
  type Opened = Awaited<ReturnType<typeof openedHead>>;
  const start = () => openedHead(new Map(), operation('a1', 1));
  const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

  /**
   * Merges `a2` from here into a remote with `a3`, and commits on top of that. Returns what this
   * remote sent before, and what it sends after that: everything but shards that the merge created.
   */
  async function remoteWithholding(
    here: Opened,
    documents: Operation[],
    isWithheld: (shard: string) => boolean,
  ) {
    const there = await start();
    await commit(there.head, [operation('a3', 1)]);
    const branch = await ofRemote(there);
    await mergeRemote(there.head, await ofRemote(here), WITHOUT_REST);
    const merged = there.head.snapshot.merged.filter(({ bytes }) => isWithheld(textOf(bytes)));
    const withheld = new Set(merged.map(({ cid }) => cid));
    expect(withheld.size).toBeGreaterThan(0);
    await commit(there.head, documents);
    const { head } = there.head.snapshot;
    const archives: Archive[] = [];
    for (const { blocks, bytes } of await archivesOf(there.head)) {
      const sent = blocks.slice(1).filter(({ cid }) => !withheld.has(cid));
      const blockAt = ({ cid, offset, length }: (typeof sent)[number]) => ({
        cid,
        bytes: bytes.subarray(offset, offset + length),
      });
      archives.push(await packArchive({ cars: [], compact: [], head }, sent.map(blockAt)));
    }
    return { branch, withholding: { head, archives, remember: [] } };
  }

  /** Opens a copy of the database without anything that was in memory, and reads all documents. */
  async function expectReadable({ values }: Opened, ids: readonly string[]) {
    const again = await openedHead(copyOf(values));
    const read = await Promise.all(ids.map((id) => documentAt(again.head, id)));
    expect(read).toEqual(ids.map((id) => operation(id, 1).value.bytes));
    return again;
  }

  const z = [operation('z', 1)];
  const nothingNew = [operation('a1', 1), operation('a2', 1)];
  const isAny = () => true;
  const isBelowRoot = (shard: string) => !shard.includes('fprefix`');
  test.each<[string, Operation[], (shard: string) => boolean, Operation[], boolean]>([
    ['if an earlier merge created the shards here', z, isAny, [], true],
    ['if the shards are below one that was sent', z, isBelowRoot, [], true],
    ['if the shards are below a root that stays the same', nothingNew, isBelowRoot, [], true],
    ['if nothing created the shards here', z, isAny, [], false],
    ['if a write here is concurrent', z, isAny, [operation('x', 1)], true],
  ])('[P5] stays readable after restarts and commits, %s', async (_, sent, isWithheld, beside, isMerged) => {
    const here = await start();
    await commit(here.head, [operation('a2', 1)]);
    const { branch, withholding } = await remoteWithholding(here, sent, isWithheld);
    if (isMerged) await mergeRemote(here.head, branch, WITHOUT_REST);
    for (const one of beside) await commit(here.head, [one]);
    expect(await mergeRemote(here.head, withholding, WITHOUT_REST)).toBe(true);
    const ids = ['a1', 'a2', 'a3', ...[...sent, ...beside].map(({ key }) => key as string)];
    const restarted = await expectReadable(here, ids);
    for (const { head, values } of [restarted, here]) {
      await commit(head, [operation('y', 1)]);
      await expectReadable({ ...here, values }, [...ids, 'y']);
    }
  });

  test('[R5] queues the shards for upload, because no remote has them', async () => {
    const here = await start();
    await commit(here.head, [operation('a2', 1)]);
    const { branch, withholding } = await remoteWithholding(here, z, isAny);
    await mergeRemote(here.head, branch, WITHOUT_REST);
    const before = await here.head.archives.pending();
    await mergeRemote(here.head, withholding, WITHOUT_REST);
    const queued = [...(await here.head.archives.pending())].filter((cid) => !before.has(cid));
    expect(queued).toHaveLength(1);
    const late = await start();
    const archives = (await archivesOf(here.head)).filter(({ cid }) => queued.includes(cid));
    await mergeRemote(
      late.head,
      { ...withholding, archives: [...withholding.archives, ...archives] },
      WITHOUT_REST,
    );
    expect(await late.head.archives.pending()).toEqual(await (await start()).head.archives.pending());
    await expectReadable(late, ['a1', 'a2', 'a3', 'z']);
  });
});

describe('a merge that fails', () => {
  test('[P1] stores nothing while an archive of the head is missing, and succeeds once the archive arrives', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const merge = await remoteWith(operation('b', 1), operation('c', 1));
    const [before, stored] = [here.head.snapshot, copyOf(here.values)];
    for (const missing of merge.archives.filter(({ cid }) => !here.head.archives.has(cid))) {
      const archives = merge.archives.filter((one) => one !== missing);
      await expect(mergeRemote(here.head, { ...merge, archives }, WITHOUT_REST)).rejects.toThrow(
        code('MISSING_BLOCK'),
      );
    }
    expect([here.head.snapshot, here.changes]).toEqual([before, []]);
    expect(here.values).toEqual(stored);
    expect(await mergeRemote(here.head, merge, WITHOUT_REST)).toBe(true);
  });

  test('[R4] rejects a head with an invalid document, and stores nothing', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const text = blockOf(utf8('not a document'), RAW);
    const archive = await forged(text.cid, text);
    const [before, stored] = [here.head.snapshot, copyOf(here.values)];
    const merge = { head: sortHead([archive.event]), archives: [archive], remember: [row] };
    await expect(mergeRemote(here.head, merge, WITHOUT_REST)).rejects.toThrow(code('CORRUPT'));
    expect(here.head.snapshot).toBe(before);
    expect(here.values).toEqual(stored);
  });

  test('[R4] rejects a head that refers to a document which nobody sent', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const archive = await forged(operation('b', 1).value.cid);
    const stored = copyOf(here.values);
    const merge = { head: sortHead([archive.event]), archives: [archive], remember: [] };
    await expect(mergeRemote(here.head, merge, WITHOUT_REST)).rejects.toThrow(code('MISSING_BLOCK'));
    expect(here.values).toEqual(stored);
  });

  test('[R3] adds no archive to the list when the disk is full, and merges when there is space again', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const merge = await remoteWith(operation('b', 1));
    const list = [...here.head.archives.list.keys()];
    here.failOnce('write', full);
    await expect(mergeRemote(here.head, merge, WITHOUT_REST)).rejects.toThrow(code('STORE_FULL'));
    expect([...here.head.archives.list.keys()]).toEqual(list);
    expect(await mergeRemote(here.head, merge, WITHOUT_REST)).toBe(true);
    expect(await documentAt(here.head, 'b')).toBeDefined();
  });

  test('[P5] stores nothing when another tab commits during the check; the next try merges on top of that commit', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const merge = { ...(await remoteWith(operation('b', 1))), remember: [row] };
    here.hooks.write = async () => {
      here.hooks.write = undefined;
      await openedHead(here.values, operation('other tab', 1));
    };
    expect(await mergeRemote(here.head, merge, WITHOUT_REST)).toBe(false);
    expect([here.values.has(row.key), here.changes]).toEqual([false, []]);
    await reloadHead(here.head);
    expect(await mergeRemote(here.head, merge, WITHOUT_REST)).toBe(true);
    for (const id of ['a', 'b', 'other tab']) expect(await documentAt(here.head, id)).toBeDefined();
  });
});

describe('archives that arrive before their head', () => {
  const ahead = { head: sortHead([]), remember: [] };

  test('[R8] stores the archives as staged, and does not move the head', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const before = here.head.snapshot.head;
    const { archives } = await remoteWith(operation('b', 1));
    await mergeRemote(here.head, { ...ahead, archives, remember: [row] }, WITHOUT_REST);
    const fresh = archives.filter(({ cid }) => here.values.has(`staged/${cid}`));
    expect(fresh).toHaveLength(archives.length - 1);
    expect([here.head.snapshot.head, here.changes]).toEqual([before, []]);
    expect(here.values.has(row.key)).toBe(true);
    for (const { cid } of fresh) expect(here.head.archives.has(cid)).toBe(true);
  });

  test('checks the documents of staged archives when they arrive, and reads none of them for their head', async () => {
    const here = await openedHead();
    const merge = await remoteWith(...['b', 'c', 'd'].map((id) => operation(id, 1)));
    await mergeRemote(here.head, { ...ahead, archives: merge.archives }, WITHOUT_REST);
    const read: Cid[] = [];
    const readBlocks = here.head.readers.blocks;
    const readers = { ...here.head.readers, blocks: recording(readBlocks, read) };
    await mergeRemote({ ...here.head, readers }, { ...merge, archives: [] }, WITHOUT_REST);
    expect(read).toEqual([]);
    expect(here.changes[0]?.ids.toSorted()).toEqual(['b', 'c', 'd']);
  });

  test('reads the shards of staged archives together', async () => {
    const here = await openedHead();
    const merge = await remoteWith(...Array.from({ length: 40 }, (_, n) => operation(`doc-${n}`, n)));
    await mergeRemote(here.head, { ...ahead, archives: merge.archives }, WITHOUT_REST);
    const { shard } = here.head.readers;
    const alone: Cid[] = [];
    const recorded = Object.assign((cid: Cid) => {
      alone.push(cid);
      return shard(cid);
    }, shard);
    const readers = { ...here.head.readers, shard: recorded };
    await mergeRemote({ ...here.head, readers }, { ...merge, archives: [] }, WITHOUT_REST);
    expect(alone).toEqual([]);
  });

  test('[R4] rejects a head whose invalid document is in a staged archive', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const text = blockOf(utf8('not a document'), RAW);
    const archive = await forged(text.cid, text);
    await mergeRemote(here.head, { ...ahead, archives: [archive] }, WITHOUT_REST);
    const merge = { head: sortHead([archive.event]), archives: [], remember: [row] };
    await expect(mergeRemote(here.head, merge, WITHOUT_REST)).rejects.toThrow(code('CORRUPT'));
    expect(here.values.has(row.key)).toBe(false);
  });

  test('[R4] reads a document again whose staged archive was replaced by another one', async () => {
    const here = await openedHead();
    const merge = await remoteWith(operation('b', 1));
    await mergeRemote(here.head, { ...ahead, archives: merge.archives }, WITHOUT_REST);
    const joined = merge.archives.map((archive) => ({ ...archive, cid: cidOf(CAR, archive.bytes.slice(1)) }));
    for (const archive of joined) {
      const changes = await here.head.archives.changesFor([archive]);
      await here.store.write(changes);
      here.head.archives.added([archive]);
    }
    const read: Cid[] = [];
    const readers = { ...here.head.readers, blocks: recording(here.head.readers.blocks, read) };
    await mergeRemote({ ...here.head, readers }, { ...merge, archives: [] }, WITHOUT_REST);
    expect(read).toContain(operation('b', 1).value.cid);
  });

  /** Records the blocks that are read together. Shards of a trie have their own reader. */
  function recording(blocks: ReadBlocks, read: Cid[]): ReadBlocks {
    const recorded = (cids: readonly Cid[]) => {
      read.push(...cids);
      return blocks(cids);
    };
    return Object.assign(recorded, { placeOf: () => 0 });
  }

  test('stages the archives in an empty database, too', async () => {
    const here = await openedHead();
    const { archives } = await remoteWith(operation('b', 1));
    await mergeRemote(here.head, { ...ahead, archives }, WITHOUT_REST);
    expect(here.head.snapshot.head).toEqual([]);
    expect(under(here.values, 'staged/')).toHaveLength(archives.length);
  });

  test('unstages the archives in the write that merges their head; other archives remain staged', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const [one, other] = [await remoteWith(operation('b', 1)), await remoteWith(operation('c', 1))];
    for (const { archives } of [one, other])
      await mergeRemote(here.head, { ...ahead, archives }, WITHOUT_REST);
    here.writes.length = 0;
    const settled = one.archives.map(({ cid }) => cid);
    await mergeRemote(here.head, { ...one, archives: [], settled }, WITHOUT_REST);
    expect(here.writes).toHaveLength(1);
    const left = other.archives.map(({ cid }) => `staged/${cid}`);
    expect(under(here.values, 'staged/').every((key) => left.includes(key))).toBe(true);
    expect(under(here.values, 'staged/').length).toBeGreaterThan(0);
    expect(await documentAt(here.head, 'b')).toBeDefined();
  });

  test('keeps the archives staged when merging their head fails', async () => {
    const here = await openedHead(new Map(), operation('a', 1));
    const merge = await remoteWith(operation('b', 1));
    await mergeRemote(here.head, { ...ahead, archives: merge.archives }, WITHOUT_REST);
    const staged = under(here.values, 'staged/');
    here.failOnce('write', new FixpointError('STORE_FAILED', 'EIO'));
    const settled = merge.archives.map(({ cid }) => cid);
    await expect(mergeRemote(here.head, { ...merge, archives: [], settled }, WITHOUT_REST)).rejects.toThrow(
      code('STORE_FAILED'),
    );
    expect(under(here.values, 'staged/')).toEqual(staged);
  });
});

/** Creates an archive with one event, as a malicious member with write access could. */
async function forged(value: Cid, ...more: ReturnType<typeof blockOf>[]): Promise<Archive & { event: Cid }> {
  const { head } = await openedHead();
  const { root, added } = await putMany(head.readers.shard, head.genesis.root, [['b', value]]);
  const event = encodeEvent({ operations: [{ key: 'b', value }], root, parents: head.genesis.head });
  const header = { cars: [], compact: [], head: [event.cid] };
  const archive = await packArchive(header, [...head.genesis.blocks, ...added, event, ...more]);
  return { ...archive, event: event.cid };
}

describe('merging with rules about events', () => {
  const accepting =
    (next: Head, rows: StoreChange[] = [], stored: () => void = () => undefined): Accept =>
    async () => ({ head: next, rows, stored });
  const empty = { head: sortHead([]), archives: [], remember: [] };

  test('stores what a remote sent, and moves the head only to what is accepted', async () => {
    const { head, values } = await openedHead(new Map(), operation('a', 1));
    const before = head.snapshot.head;
    const merge = await remoteWith(operation('b', 1));
    const [archive] = merge.archives;
    const tools: unknown[] = [];
    const accept: Accept = async (current, received, { read, archiveOf }) => {
      const [event] = received as [Cid];
      tools.push(current, (await read(event)).operations.length, archiveOf(event) !== undefined);
      return {
        head: current,
        rows: [{ key: 'staged/x', bytes: utf8('') }],
        stored: () => tools.push('stored'),
      };
    };
    expect(await mergeRemote(head, { ...merge, accept }, WITHOUT_REST)).toBe(true);
    expect(head.snapshot.head).toEqual(before);
    expect(tools).toEqual([before, 1, true, 'stored']);
    expect([...values.keys()]).toContain('staged/x');
    expect(head.archives.has((archive as Archive).cid)).toBe(true);
    expect(await documentAt(head, 'b')).toBeUndefined();
  });

  test('takes events out of the head, durably and for all tabs', async () => {
    const { head, values, changes } = await openedHead(new Map(), operation('a', 1));
    const before = head.snapshot.head;
    await commit(head, [operation('a', 2), operation('b', 1)]);
    const tab = await headOver(values);
    await tab.open();
    changes.length = 0;
    const after = head.snapshot.head;
    expect(await mergeRemote(head, { ...empty, accept: accepting(before) }, WITHOUT_REST)).toBe(true);
    expect(changes).toEqual([{ before: after, after: before, ids: ['a', 'b'], origin: 'remote' }]);
    expect(await documentAt(head, 'b')).toBeUndefined();
    expect(await documentAt(head, 'a')).toEqual(operation('a', 1).value.bytes);
    // A tab that knows the earlier head commits on the new one.
    expect(await commit(tab.head, [operation('c', 1)])).toBe(false);
    await reloadHead(tab.head);
    expect(tab.head.snapshot.head).toEqual(before);
    const later = await headOver(values);
    await later.open();
    expect(later.head.snapshot.head).toEqual(before);
  });

  test('changes nothing if storing fails, or if another tab moved the head', async () => {
    const { head, values, failOnce } = await openedHead(new Map(), operation('a', 1));
    const before = head.snapshot.head;
    await commit(head, [operation('a', 2)]);
    const after = head.snapshot.head;
    let isStored = false;
    const accept = accepting(before, [], () => {
      isStored = true;
    });
    failOnce('write', full);
    await expect(mergeRemote(head, { ...empty, accept }, WITHOUT_REST)).rejects.toEqual(code('STORE_FULL'));
    const tab = await headOver(values);
    await tab.open();
    await commit(tab.head, [operation('c', 1)]);
    expect(await mergeRemote(head, { ...empty, accept }, WITHOUT_REST)).toBe(false);
    expect([head.snapshot.head, isStored]).toEqual([after, false]);
  });

  test('vouches with an event without changes, which waits for upload', async () => {
    const { head, changes } = await openedHead(new Map(), operation('a', 1));
    const { head: before, root } = head.snapshot;
    const pending = (await head.archives.pending()).size;
    expect(await mergeRemote(head, { ...empty, vouches: true }, WITHOUT_REST)).toBe(true);
    const [event] = head.snapshot.head as [Cid];
    expect(await head.readers.event(event)).toMatchObject({ operations: [], root, parents: before });
    expect((await head.archives.pending()).size).toBe(pending + 1);
    expect(changes).toMatchObject([{ ids: [], origin: 'local' }]);
    const { head: none } = await openedHead();
    expect(await mergeRemote(none, { ...empty, vouches: true }, WITHOUT_REST)).toBe(true);
    expect(none.snapshot.head).toEqual([]);
  });
});
