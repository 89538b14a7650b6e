import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { decodeHeadRecord, HEAD_KEY } from '../store/head-record.ts';
import { commit } from './commit.ts';
import { advanceHead, reloadHead, tell, writeAtHead, writeRecord } from './current-head.ts';
import {
  archivesOf,
  code,
  copyOf,
  documentAt,
  full,
  headOver,
  openedHead,
  operation,
} from './head.fixture.ts';

describe('opening a head', () => {
  test('shows an empty database until something is stored', async () => {
    const { head, open, values } = await headOver();
    await open();
    expect(head.snapshot).toEqual({ head: [], root: undefined, merged: [] });
    expect(values.size).toBe(0);
  });

  test('shows documents that another process stored, without announcing a change', async () => {
    const { values, head: before } = await openedHead(new Map(), operation('a', 1), operation('b', 2));
    const { head, open, changes } = await headOver(values);
    await open();
    expect(head.snapshot).toEqual(before.snapshot);
    expect(await documentAt(head, 'b')).toEqual(operation('b', 2).value.bytes);
    expect(changes).toEqual([]);
  });

  test('[R4] reports archives without a head record as damage', async () => {
    const { values } = await openedHead(new Map(), operation('a', 1));
    values.delete(HEAD_KEY);
    const { open } = await headOver(values);
    await expect(open()).rejects.toThrow(code('CORRUPT'));
  });

  test('[R9] opens while another tab stores the very first commit', async () => {
    const { values } = await openedHead(new Map(), operation('a', 1));
    const [stored, record] = [copyOf(values), values.get(HEAD_KEY)];
    values.clear();
    const { head, open, hooks } = await headOver(values);
    // Runs after the head records are read and before the archives are read.
    hooks.readPrefix = (prefix) => {
      if (prefix === HEAD_KEY) return;
      hooks.readPrefix = undefined;
      for (const [key, bytes] of stored) values.set(key, bytes);
    };
    await open();
    expect(head.snapshot.head).toEqual([]);
    expect(await reloadHead(head)).toBe(true);
    expect(head.snapshot.head).toEqual(decodeHeadRecord(record).head);
  });

  test.each([
    ['CORRUPT', 'bytes that are not JSON', 'head'],
    ['CORRUPT', 'a head that is not a list', JSON.stringify({ v: 3, head: 'x' })],
    ['CORRUPT', 'a negative epoch', JSON.stringify({ v: 3, head: [], epoch: -1 })],
    ['FORMAT_NEWER', 'a record of a later version', JSON.stringify({ v: 4, head: [] })],
  ])('[R4] rejects with %s for %s, and leaves the head empty', async (name, _, record) => {
    const { values, writes } = await openedHead(new Map(), operation('a', 1));
    values.set(HEAD_KEY, utf8(record));
    const { head, open } = await headOver(values);
    await expect(open()).rejects.toThrow(code(name));
    expect([head.snapshot.head, head.isOpen, writes]).toEqual([[], false, []]);
  });

  test('[R17] treats a database with a row of a remote as attached, even if its head record does not say so', async () => {
    const { values, head: before } = await openedHead(new Map(), operation('a', 1));
    expect(before.record.synced).toBe(false);
    values.set('remote/some', Uint8Array.of(1));
    const { head, open } = await headOver(values);
    await open();
    expect(head.record.synced).toBe(true);
    // The next commit records that the database is attached.
    await commit(head, [operation('b', 1)]);
    expect(decodeHeadRecord(values.get(HEAD_KEY)).synced).toBe(true);
  });
});

describe('reloading a head', () => {
  test('announces commits of another tab with the ids of the written documents, oldest first', async () => {
    const { values, head, changes } = await openedHead(new Map(), operation('a', 1));
    const before = head.snapshot.head;
    await openedHead(values, operation('z', 1), operation('b', 1));
    expect(await reloadHead(head)).toBe(true);
    const after = decodeHeadRecord(values.get(HEAD_KEY)).head;
    expect(changes).toEqual([{ before, after, ids: ['z', 'b'], origin: 'elsewhere' }]);
    expect(await documentAt(head, 'b')).toEqual(operation('b', 1).value.bytes);
  });

  test('reports nothing new, and announces nothing, when nobody wrote', async () => {
    const { head, changes } = await openedHead(new Map(), operation('a', 1));
    const before = head.snapshot;
    expect(await reloadHead(head)).toBe(false);
    expect(head.snapshot).toBe(before);
    expect(changes).toEqual([]);
  });

  test('[R8] returns true after a compaction of another tab, but announces no change', async () => {
    const { values, head, changes } = await openedHead(new Map(), operation('a', 1));
    const { head: other } = await openedHead(values);
    await writeRecord(other, [], { ...other.record, epoch: other.record.epoch + 1 }, undefined);
    expect(await reloadHead(head)).toBe(true);
    expect(changes).toEqual([]);
    // The next commit builds on the record of the compaction.
    expect(await commit(head, [operation('b', 1)])).toBe(true);
    expect(decodeHeadRecord(values.get(HEAD_KEY)).epoch).toBe(1);
  });

  test('[R3] keeps the earlier state when a read fails, and catches up with the next read', async () => {
    const { values, head, changes, failOnce } = await openedHead(new Map(), operation('a', 1));
    await openedHead(values, operation('b', 1));
    const { snapshot, record, bytes } = head;
    failOnce('readPrefix', new FixpointError('STORE_FAILED', 'EIO'));
    await expect(reloadHead(head)).rejects.toThrow(code('STORE_FAILED'));
    expect([head.snapshot, head.record, head.bytes]).toEqual([snapshot, record, bytes]);
    // A commit on top of the earlier state is rejected, because the stored head record has changed.
    expect(await commit(head, [operation('c', 1)])).toBe(false);
    expect(await reloadHead(head)).toBe(true);
    expect(changes.map(({ ids }) => ids)).toEqual([['b']]);
  });

  test('[R4] keeps the earlier state when the record of another tab refers to a missing event', async () => {
    const { values, head, changes } = await openedHead(new Map(), operation('a', 1));
    const { head: other } = await openedHead(new Map(), operation('elsewhere', 1));
    const { snapshot } = head;
    values.set(HEAD_KEY, other.bytes as Uint8Array);
    await expect(reloadHead(head)).rejects.toThrow(code('MISSING_BLOCK'));
    expect(head.snapshot).toBe(snapshot);
    expect(changes).toEqual([]);
  });
});

describe('moving a head', () => {
  test('[P5] stores nothing and notifies nobody when another tab moved the head first', async () => {
    const { values, head, posts, changes } = await openedHead(new Map(), operation('a', 1));
    await openedHead(values, operation('b', 1));
    const [before, stored] = [head.snapshot, copyOf(values)];
    expect(await advanceHead(head, before, before, [], true, [{ key: 'local/x', bytes: utf8('x') }])).toBe(
      false,
    );
    expect([head.snapshot, posts, changes]).toEqual([before, [], []]);
    expect(values).toEqual(stored);
  });

  test('[R2] stores nothing on top of a snapshot that is older than the head record it read last', async () => {
    const { values } = await openedHead(new Map(), operation('a', 1));
    const { head, open, writes } = await headOver(values);
    const before = head.snapshot;
    await open();
    const other = (await openedHead(new Map(), operation('b', 1))).head;
    expect(await advanceHead(head, before, other.snapshot, await archivesOf(other), true, [])).toBe(false);
    expect(await writeAtHead(head, before, [{ key: 'local/x', bytes: utf8('x') }], undefined)).toBe(false);
    expect(writes).toEqual([]);
  });

  test('stores the record, the archives and the other rows in one write', async () => {
    const { head: from } = await openedHead(new Map(), operation('a', 1));
    const { head, writes, open } = await headOver();
    await open();
    const row = { key: 'local/x', bytes: utf8('x') };
    await advanceHead(head, head.snapshot, from.snapshot, await archivesOf(from), true, [row]);
    expect(writes).toHaveLength(1);
    expect(writes[0]?.keys.toSorted()).toEqual(
      [...from.archives.list.keys()]
        .map((cid) => `commit/${cid}`)
        .concat('head', 'local/x')
        .toSorted(),
    );
  });

  test('[R3] changes nothing in memory when the disk is full, and commits when there is space again', async () => {
    const { values, head, posts, failOnce } = await openedHead(new Map(), operation('a', 1));
    const [before, archives, stored] = [head.snapshot, [...head.archives.list.keys()], copyOf(values)];
    failOnce('write', full);
    await expect(commit(head, [operation('b', 1)])).rejects.toThrow(code('STORE_FULL'));
    expect([head.snapshot, [...head.archives.list.keys()], posts]).toEqual([before, archives, []]);
    expect(values).toEqual(stored);
    expect(await commit(head, [operation('b', 1)])).toBe(true);
    expect(await documentAt(head, 'b')).toEqual(operation('b', 1).value.bytes);
  });

  test('[R1] notifies other tabs only after the write is durable', async () => {
    const { head, posts } = await openedHead(new Map(), operation('a', 1));
    await commit(head, [operation('b', 1)]);
    await commit(head, [operation('c', 1)]);
    expect(posts).toEqual([1, 2]);
  });

  test('keeps fields of the record that a step does not change', async () => {
    const { values, head } = await openedHead(new Map(), operation('a', 1));
    await writeRecord(head, [], { ...head.record, synced: true, epoch: 7, bytes: 99 }, undefined);
    await commit(head, [operation('b', 1)]);
    expect(decodeHeadRecord(values.get(HEAD_KEY))).toMatchObject({ synced: true, epoch: 7, bytes: 99 });
  });
});

describe('records of several writers', () => {
  /** Opens the head of a writer with its own head record. `store.news()` returns `news.count`. */
  async function writer(values: Map<string, Uint8Array>, number: number) {
    const news = { count: 0 };
    const opened = await headOver(values, { writer: number, news: () => news.count });
    await opened.open();
    return { ...opened, news };
  }
  const recordsIn = (values: ReadonlyMap<string, Uint8Array>) =>
    [...values.keys()].filter((key) => key.startsWith(HEAD_KEY));

  test('[R9] removes merged records with the next write, which is rejected if other writers wrote newer records', async () => {
    const values = new Map<string, Uint8Array>();
    const [one, two] = [await writer(values, 1), await writer(values, 2)];
    await commit(one.head, [operation('a', 1)]);
    await commit(two.head, [operation('b', 1)]);
    two.news.count = 5;
    await reloadHead(two.head);
    expect(two.head.snapshot.head).toHaveLength(2);
    two.writes.length = 0;
    await commit(two.head, [operation('c', 1)]);
    expect(two.writes[0]?.guard).toMatchObject({ key: 'head/2', news: 5 });
    expect(recordsIn(values)).toEqual(['head/2']);
    // After the records are removed, writes need no such condition.
    await commit(two.head, [operation('d', 1)]);
    expect(two.writes[1]?.guard?.news).toBeUndefined();
    for (const id of ['a', 'b', 'c', 'd']) expect(await documentAt(two.head, id)).toBeDefined();
  });

  test('[P5] never removes a record that could not be merged', async () => {
    const values = new Map<string, Uint8Array>();
    const [one, two] = [await writer(values, 1), await writer(values, 2)];
    await commit(one.head, [operation('a', 1)]);
    await commit(two.head, [operation('b', 1)]);
    const [archive = ''] = [...values.keys()].filter(
      (key) => key === `commit/${one.head.archives.placeOf(one.head.snapshot.head[0] as never)?.archive}`,
    );
    const bytes = values.get(archive) as Uint8Array;
    values.delete(archive);
    await expect(reloadHead(two.head)).rejects.toThrow(code('MISSING_BLOCK'));
    await commit(two.head, [operation('c', 1)]);
    expect(recordsIn(values)).toEqual(['head/1', 'head/2']);
    values.set(archive, bytes);
    await reloadHead(two.head);
    expect(await documentAt(two.head, 'a')).toBeDefined();
  });

  test('[R9] keeps merged records when a write fails, and removes them with the next write', async () => {
    const values = new Map<string, Uint8Array>();
    const [one, two] = [await writer(values, 1), await writer(values, 2)];
    await commit(one.head, [operation('a', 1)]);
    await reloadHead(two.head);
    two.failOnce('write', full);
    await expect(commit(two.head, [operation('b', 1)])).rejects.toThrow(code('STORE_FULL'));
    expect(recordsIn(values)).toEqual(['head/1']);
    await commit(two.head, [operation('b', 1)]);
    expect(recordsIn(values)).toEqual(['head/2']);
  });

  test('refreshes the store before each read of the head', async () => {
    const values = new Map<string, Uint8Array>();
    let refreshes = 0;
    const { head, open } = await headOver(values, {
      refresh: async () => {
        refreshes += 1;
        return false;
      },
    });
    await open();
    expect(refreshes).toBe(1);
    await openedHead(values, operation('a', 1));
    await reloadHead(head);
    expect(refreshes).toBe(2);
    expect(await documentAt(head, 'a')).toBeDefined();
  });
});

describe('announcing a head', () => {
  test('finds the written documents if the caller passes none, and never reports the genesis document', async () => {
    const { head, changes } = await openedHead();
    const before = head.snapshot;
    await commit(head, [operation('a', 1)]);
    changes.length = 0;
    await tell(head, before, 'remote');
    expect(changes).toEqual([{ before: [], after: head.snapshot.head, ids: ['a'], origin: 'remote' }]);
  });

  test('reports the ids of the caller unchanged, without reading anything', async () => {
    const { head, changes, hooks } = await openedHead(new Map(), operation('a', 1));
    hooks.read = () => {
      throw new Error('read');
    };
    await tell(head, head.snapshot, 'local', ['x', 'y']);
    expect(changes.map(({ ids }) => ids)).toEqual([['x', 'y']]);
  });
});
