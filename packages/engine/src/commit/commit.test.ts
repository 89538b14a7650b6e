import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { WITHOUT_REST } from '../base/pace.ts';
import { GENESIS_EVENT } from '../clock/genesis.ts';
import type { Cid } from '../codec/cid.ts';
import { TOMBSTONE } from '../documents/encode.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { HEAD_KEY } from '../store/head-record.ts';
import { commit } from './commit.ts';
import { reloadHead } from './current-head.ts';
import {
  archivesOf,
  code,
  copyOf,
  deletion,
  documentAt,
  fileOf,
  full,
  headOver,
  openedHead,
  operation,
} from './head.fixture.ts';
import { mergeRemote } from './merge-remote.ts';

const eventAt = async ({ head }: Awaited<ReturnType<typeof openedHead>>) =>
  head.readers.event(head.snapshot.head[0] as Cid);

describe('the first commit of a database', () => {
  test('follows the genesis event, and stores both events in one write', async () => {
    const opened = await openedHead();
    expect(await commit(opened.head, [operation('a', 1)])).toBe(true);
    expect(opened.writes).toHaveLength(1);
    expect((await eventAt(opened)).parents).toEqual([GENESIS_EVENT]);
    expect(await documentAt(opened.head, GENESIS_KEY)).toBeDefined();
    const { head, open } = await headOver(opened.values);
    await open();
    expect(await documentAt(head, 'a')).toEqual(operation('a', 1).value.bytes);
  });

  test('[P3] gives databases with the same commits the same head, wherever they were created', async () => {
    const [one, two] = [await openedHead(), await openedHead()];
    for (const { head } of [one, two]) await commit(head, [operation('a', 1), operation('b', 2)]);
    expect(one.head.snapshot.head).toEqual(two.head.snapshot.head);
    expect(one.values).toEqual(two.values);
  });

  test('stores a tombstone for a document that never existed', async () => {
    const opened = await openedHead();
    expect(await commit(opened.head, [deletion('a')])).toBe(true);
    expect(await documentAt(opened.head, 'a')).toEqual(TOMBSTONE.bytes);
    expect((await eventAt(opened)).operations).toEqual([{ key: 'a', value: TOMBSTONE.cid }]);
  });
});

describe('a commit of several operations', () => {
  test('creates one event with all operations in order; the last operation on a document wins', async () => {
    const opened = await openedHead(new Map(), operation('a', 0));
    await commit(opened.head, [operation('b', 1), operation('a', 1), operation('b', 2)]);
    expect((await eventAt(opened)).operations.map(({ key }) => key)).toEqual(['b', 'a', 'b']);
    expect(await documentAt(opened.head, 'b')).toEqual(operation('b', 2).value.bytes);
    expect(opened.changes.map(({ ids, origin }) => [origin, ...ids])).toEqual([['local', 'b', 'a']]);
  });

  test('keeps every written version, even one that a later operation of the commit replaced', async () => {
    const { head } = await openedHead();
    const earlier = operation('b', 1);
    await commit(head, [earlier, operation('b', 2)]);
    expect(await head.readers.block(earlier.value.cid)).toEqual(earlier.value.bytes);
  });
});

describe('a commit that writes what is already stored', () => {
  test('stores nothing and announces nothing', async () => {
    const { head, values, changes, posts, writes } = await openedHead(new Map(), operation('a', 1));
    const [before, stored] = [head.snapshot, copyOf(values)];
    expect(await commit(head, [operation('a', 1)])).toBe(true);
    expect([head.snapshot, changes, posts, writes]).toEqual([before, [], [], []]);
    expect(values).toEqual(stored);
  });

  test('creates no event when it deletes a deleted document', async () => {
    const { head, writes } = await openedHead(new Map(), operation('a', 1), deletion('a'));
    await commit(head, [deletion('a')]);
    expect(writes).toEqual([]);
  });

  test('[P1] stores the write if another tab changed the document since this tab read the head', async () => {
    const { head, values } = await openedHead(new Map(), operation('a', 1));
    const other = await headOver(values);
    await other.open();
    expect(await commit(other.head, [operation('a', 2)])).toBe(true);
    const row = { key: 'pending/1', bytes: undefined };
    expect(await commit(head, [operation('a', 1)], { changes: [row] })).toBe(false);
    expect(await commit(head, [operation('a', 1)])).toBe(false);
    await reloadHead(head);
    expect(await commit(head, [operation('a', 1)])).toBe(true);
    expect(await documentAt(head, 'a')).toEqual(operation('a', 1).value.bytes);
  });

  test('records a batch as an event even if no document changed', async () => {
    const opened = await openedHead(new Map(), operation('a', 1), operation('b', 1));
    const { root } = opened.head.snapshot;
    await commit(opened.head, [operation('a', 1), operation('b', 1)]);
    expect((await eventAt(opened)).operations).toHaveLength(2);
    expect(opened.head.snapshot.root).toBe(root);
  });

  test('[R3] does not list files that could not be stored', async () => {
    const { head, failOnce, writes } = await openedHead(new Map(), operation('a', 1));
    const archive = await fileOf(1, 2, 3);
    const put = () => commit(head, [operation('a', 1, { archives: [archive], staged: [] })]);
    failOnce('write', full);
    await expect(put()).rejects.toThrow(code('STORE_FULL'));
    expect([...head.files.list()]).toEqual([]);
    expect(await put()).toBe(true);
    expect(await head.files.readHere(archive.cid)).toEqual(archive.bytes);
    expect(writes).toHaveLength(1);
  });
});

describe('a commit that fails', () => {
  test('[R3] changes nothing, and creates the same event when it is retried', async () => {
    const { head, values, changes, failOnce } = await openedHead(new Map(), operation('a', 1));
    const { head: untroubled } = await openedHead(new Map(), operation('a', 1), operation('b', 1));
    const [before, stored] = [head.snapshot, copyOf(values)];
    failOnce('write', new FixpointError('STORE_FAILED', 'EIO'));
    await expect(commit(head, [operation('b', 1)])).rejects.toThrow(code('STORE_FAILED'));
    expect([head.snapshot, changes]).toEqual([before, []]);
    expect(values).toEqual(stored);
    await commit(head, [operation('b', 1)]);
    expect(head.snapshot.head).toEqual(untroubled.snapshot.head);
  });

  test('[R4] stores nothing on top of a trie with a missing shard', async () => {
    const { values } = await openedHead(new Map(), operation('a', 1));
    const { head, open } = await headOver(values);
    await open();
    for (const key of values.keys()) if (key.startsWith('commit/')) values.delete(key);
    await head.archives.refresh();
    const before = copyOf(values);
    await expect(commit(head, [operation('b', 1)])).rejects.toThrow(code('MISSING_BLOCK'));
    expect(values).toEqual(before);
  });

  test('[P5] stores nothing when another tab commits first; the next try succeeds on top of that commit', async () => {
    const { head, values, changes, hooks } = await openedHead(new Map(), operation('a', 1));
    const archive = await fileOf(9);
    const put = () => commit(head, [operation('mine', 1, { archives: [archive], staged: [] })]);
    hooks.write = async () => {
      hooks.write = undefined;
      await openedHead(values, operation('theirs', 1));
    };
    expect(await put()).toBe(false);
    expect([changes, [...head.files.list()]]).toEqual([[], []]);
    expect([...values.keys()].some((key) => key.startsWith('file/'))).toBe(false);
    await reloadHead(head);
    expect(await put()).toBe(true);
    for (const id of ['a', 'mine', 'theirs']) expect(await documentAt(head, id)).toBeDefined();
    expect([...head.files.list()]).toEqual([archive.cid]);
  });

  test('[R3] is durable even when a subscriber throws', async () => {
    const { head, values } = await openedHead();
    head.feed.subscribe(() => {
      throw new Error('a mistake of the application');
    });
    // The fixture throws each reported error.
    await expect(commit(head, [operation('a', 1)])).rejects.toThrow(code('SUBSCRIBER'));
    expect(values.has(HEAD_KEY)).toBe(true);
    expect(await documentAt(head, 'a')).toBeDefined();
  });
});

describe('space for a commit', () => {
  test.each([
    ['may use the reserve of a full disk for deletions', [deletion('a'), deletion('b')], 'later'],
    ['may not use the reserve for a deletion and a put', [deletion('a'), operation('b', 2)], undefined],
    ['may not use the reserve for a put', [operation('b', 2)], undefined],
  ])('%s', async (_, operations, frees) => {
    const { head, writes } = await openedHead(new Map(), operation('a', 1), operation('b', 1));
    await commit(head, operations);
    expect(writes[0]?.guard?.frees).toBe(frees);
  });
});

describe('a commit on a head of several events', () => {
  /** Creates two databases with independent commits, and merges the second into the first. */
  async function merged() {
    const [here, there] = [
      await openedHead(new Map(), operation('a', 1)),
      await openedHead(new Map(), operation('b', 1)),
    ];
    await mergeRemote(
      here.head,
      { head: there.head.snapshot.head, archives: await archivesOf(there.head), remember: [] },
      WITHOUT_REST,
    );
    expect(here.head.snapshot.head).toHaveLength(2);
    return here;
  }

  test('follows all events of the head', async () => {
    const opened = await merged();
    const parents = opened.head.snapshot.head;
    await commit(opened.head, [operation('c', 1)]);
    expect((await eventAt(opened)).parents.toSorted()).toEqual([...parents]);
    expect(opened.head.snapshot.head).toHaveLength(1);
  });

  test('[R8] stores the shards that the merge had created only in memory', async () => {
    const opened = await merged();
    const isStored = (cid: Cid) => opened.head.archives.placeOf(cid) !== undefined;
    const shards = opened.head.snapshot.merged.map(({ cid }) => cid).filter((cid) => !isStored(cid));
    expect(shards.length).toBeGreaterThan(0);
    await commit(opened.head, [operation('c', 1)]);
    const { head, open } = await headOver(opened.values);
    await open();
    for (const cid of shards) expect((await head.readers.block(cid)).length).toBeGreaterThan(0);
    for (const id of ['a', 'b', 'c']) expect(await documentAt(head, id)).toBeDefined();
  });
});
