import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { decodeEvent, encodeEvent, sortHead } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { createLocalRows } from '../commit/local-rows.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { memoryStore } from '../platform/memory-store.ts';
import { simulatedTime } from '../testing/simulated-time.ts';
import { putMany } from '../trie/put-many.ts';
import { decodeShard } from '../trie/shard.ts';
import { parseDeclarations } from './declared.ts';
import { createIndexes } from './indexes.ts';
import type { Source } from './source.ts';

/** Creates a database of blocks in memory. A test can remove its blocks. */
function history() {
  const blocks = new Map<Cid, Uint8Array>();
  const keep = (all: readonly Block[]) => {
    for (const { cid, bytes } of all) blocks.set(cid, bytes);
  };
  const block = async (cid: Cid) => {
    const bytes = blocks.get(cid);
    if (bytes === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    return bytes;
  };
  const shard = async (cid: Cid) => decodeShard(await block(cid));
  const event = async (cid: Cid) => decodeEvent(await block(cid));
  let snapshot: Snapshot = { head: sortHead([]), root: undefined, merged: [] };
  const source: Source = {
    readers: { block, blocks: (cids) => Promise.all(cids.map(block)), shard, event, fileArchive: block },
    snapshot: () => snapshot,
  };
  return {
    blocks,
    source,
    async put(id: string, fields: Record<string, unknown>): Promise<void> {
      const document = encodeDocument(fields, parseDocKey(id));
      const trie = await putMany(shard, snapshot.root, [[id, document.cid]]);
      const operations = [{ key: id, value: document.cid }];
      const written = encodeEvent({ operations, root: trie.root, parents: snapshot.head });
      keep([document, ...trie.added, written]);
      snapshot = { head: sortHead([written.cid]), root: trie.root, merged: [] };
    },
    /** Merges a write of another device, which wins and has the first event as its parent. */
    async merge(id: string, fields: Record<string, unknown>): Promise<void> {
      const document = encodeDocument(fields, parseDocKey(id));
      const trie = await putMany(shard, snapshot.root, [[id, document.cid]]);
      const own = encodeEvent({
        operations: [{ key: id, value: document.cid }],
        root: trie.root,
        parents: [],
      });
      keep([document, ...trie.added, own]);
      snapshot = { head: sortHead([...snapshot.head, own.cid]), root: trie.root, merged: [] };
    },
  };
}

const inMemory = (source: Source) =>
  createIndexes({
    source,
    followed: undefined,
    local: undefined,
    time: simulatedTime(),
    report: () => undefined,
  });

const counting = () => {
  const seen: string[] = [];
  const map = (doc: { _id: string; n: number }) => {
    seen.push(doc._id);
    return doc.n;
  };
  return { seen, map };
};

describe('indexes', () => {
  test('shares one update between concurrent queries', async () => {
    const { source, put } = history();
    await put('a', { n: 1 });
    await put('b', { n: 2 });
    const { seen, map } = counting();
    const indexes = inMemory(source);
    const answers = await Promise.all([1, 2, 3].map(() => indexes.query(map, {})));
    expect(answers.map(({ rows }) => rows.length)).toEqual([2, 2, 2]);
    expect(seen.sort()).toEqual(['a', 'b']);
  });

  test('returns rows together with the snapshot that they reflect', async () => {
    const { source, put } = history();
    await put('a', { n: 1 });
    const indexes = inMemory(source);
    expect((await indexes.query('n', {})).snapshot.head).toEqual(source.snapshot().head);
  });

  test('updates an index from later events, or from differences between shards if events are gone, and rebuilds it if both are gone', async () => {
    const { source, put, blocks } = history();
    const { seen, map } = counting();
    const indexes = inMemory(source);
    const ids = async () => (await indexes.query(map, {})).rows.map(({ id }) => id);
    const forgetEvent = () => blocks.delete(source.snapshot().head[0]!);
    const putForgettingShards = async (id: string, n: number) => {
      const { root } = source.snapshot();
      await put(id, { n });
      blocks.delete(root!);
    };
    await put('a', { n: 1 });
    await ids();
    for (const n of [5, 6, 2]) await putForgettingShards('b', n);
    expect(await ids()).toEqual(['a', 'b']);
    await put('d', { n: 4 });
    forgetEvent();
    await put('e', { n: 5 });
    expect(await ids()).toEqual(['a', 'b', 'd', 'e']);
    expect(seen.splice(0)).toEqual(['a', 'b', 'd', 'e']);
    await putForgettingShards('b', 2.5);
    forgetEvent();
    await put('c', { n: 3 });
    expect(await ids()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(seen.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('updates an index from differences between shards if histories merged', async () => {
    const { source, put, merge } = history();
    const { seen, map } = counting();
    const indexes = inMemory(source);
    const ids = async () => (await indexes.query(map, {})).rows.map(({ id }) => id);
    await put('a', { n: 1 });
    await put('b', { n: 2 });
    await ids();
    await merge('a', { n: 3 });
    expect(await ids()).toEqual(['b', 'a']);
    expect(seen).toEqual(['a', 'b', 'a']);
  });

  test('updates a stored index while blocks of its earlier head exist, and rebuilds the index otherwise', async () => {
    const { source, put, blocks } = history();
    const local = createLocalRows(memoryStore());
    const { seen, map } = counting();
    const asText = Object.assign(map, { toString: () => '(doc) => doc.n' });
    const opened = () =>
      createIndexes({
        source,
        followed: undefined,
        local,
        time: simulatedTime(),
        report: (error) => expect(error).toBe(undefined),
      });
    await put('a', { n: 1 });
    const first = opened();
    await first.query(asText, {});
    await first.close({ save: true });
    await put('b', { n: 2 });
    const second = opened();
    expect((await second.query(asText, {})).rows.map(({ id }) => id)).toEqual(['a', 'b']);
    await second.close({ save: true });
    expect(seen).toEqual(['a', 'b']);
    const { root } = source.snapshot();
    await put('c', { n: 3 });
    const [between] = source.snapshot().head;
    await put('d', { n: 4 });
    for (const gone of [root!, between!]) blocks.delete(gone);
    const { rows } = await opened().query(asText, {});
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(seen.sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'd']);
  });

  test.each([
    ['reports nothing when the database closes while an index is saved', 'DATABASE_CLOSED', []],
    ['reports a failure of the store while an index is saved', 'STORE_FAILED', ['STORE_FAILED']],
  ] as const)('%s', async (_, code, expected) => {
    const { source, put } = history();
    await put('a', { n: 1 });
    const reported: unknown[] = [];
    const indexes = createIndexes({
      source,
      followed: undefined,
      local: { ...createLocalRows(memoryStore()), write: () => Promise.reject(new FixpointError(code)) },
      time: simulatedTime(),
      report: (error) => reported.push((error as FixpointError).code),
    });
    expect((await indexes.query('n', {})).rows).toHaveLength(1);
    await indexes.close({ save: true });
    expect(reported).toEqual(expected);
  });

  test('retries an update when a block is missing because the head moved', async () => {
    const { source, put } = history();
    await put('a', { n: 1 });
    let raced = false;
    const racing: Source = {
      ...source,
      readers: {
        ...source.readers,
        shard: async (cid) => {
          if (raced) return source.readers.shard(cid);
          raced = true;
          await put('b', { n: 2 });
          throw new FixpointError('MISSING_BLOCK', cid);
        },
      },
    };
    const { rows } = await inMemory(racing).query('n', {});
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('rejects a query if a document is missing, instead of omitting its rows', async () => {
    const { source, put, blocks } = history();
    await put('a', { n: 1 });
    blocks.delete(encodeDocument({ n: 1 }, parseDocKey('a')).cid);
    await expect(inMemory(source).query('n', {})).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
  });

  test('returns no views of declared indexes if the head moves between their updates', async () => {
    const { source, put } = history();
    await put('a', { n: 1, m: 1 });
    let isMoving = false;
    const blocks: Source['readers']['blocks'] = async (cids) => {
      if (isMoving) {
        isMoving = false;
        await put('c', { n: 3, m: 3 });
      }
      return source.readers.blocks(cids);
    };
    const indexes = inMemory({ ...source, readers: { ...source.readers, blocks } });
    await indexes.declare(['n', 'm']);
    const declared = parseDeclarations(['n', 'm']);
    const heads = () =>
      indexes.readDeclared(declared, async (views, { head }) => [
        head,
        ...views.map(({ snapshot }) => snapshot.head),
      ]);
    await heads();
    isMoving = true;
    await put('b', { n: 2, m: 2 });
    expect(await heads()).toBeUndefined();
    const { head } = source.snapshot();
    expect(await heads()).toEqual([head, head, head]);
  });
});
