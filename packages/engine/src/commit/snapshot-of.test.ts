import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { WITHOUT_REST } from '../base/pace.ts';
import type { ClockEvent } from '../clock/event.ts';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { putMany } from '../trie/put-many.ts';
import { removeKey } from '../trie/remove.ts';
import { EMPTY_SHARD } from '../trie/shard.ts';
import { trieStore } from '../trie/trie.fixture.ts';
import { readNews } from './read-news.ts';
import type { Readers, Snapshot } from './snapshot.ts';
import { snapshotOf } from './snapshot-of.ts';
import { isWhole } from './whole-trie.ts';
import { writtenSince } from './written-since.ts';

const event = cidOf(RAW, utf8('event'));
const doc = encodeDocument({}, parseDocKey('a'));
const corrupt = { code: 'CORRUPT' };

/** A trie with two documents, one without the first of them, and the events that made them. */
async function history() {
  const tries = trieStore();
  tries.add([EMPTY_SHARD]);
  const both = await putMany(tries.read, EMPTY_SHARD.cid, [
    ['a', doc.cid],
    ['b', doc.cid],
  ]);
  tries.add(both.added);
  const one = await removeKey(tries.read, both.root, 'a');
  tries.add(one.added);
  const snapshot = (root: Cid): Snapshot => ({ head: [event], root, merged: [] });
  const events = new Map<Cid, ClockEvent>([[event, { root: both.root, operations: [], parents: [] }]]);
  const readers = {
    shard: tries.read,
    event: async (cid: Cid) => events.get(cid) ?? Promise.reject(new FixpointError('MISSING_BLOCK', cid)),
    block: async () => doc.bytes,
  } as unknown as Readers;
  return { readers, before: snapshot(both.root), after: snapshot(one.root) };
}
const failing = (readers: Readers, what: 'event' | 'shard'): Readers => ({
  ...readers,
  [what]: () => Promise.reject(new FixpointError('CORRUPT', what)),
});

describe('what a head comes to', () => {
  test('[R4] reports damage as an error instead of rebuilding tries', async () => {
    const { readers, before } = await history();
    expect((await snapshotOf([event], readers)).root).toBe(before.root);
    await expect(snapshotOf([event], failing(readers, 'event'))).rejects.toMatchObject(corrupt);
  });

  test('[R8] finds a trie with a missing shard incomplete; reports a damaged one as an error', async () => {
    const { readers, before } = await history();
    const nowhere = cidOf(RAW, utf8('nowhere'));
    expect(await isWhole(readers.shard, before.root, undefined)).toBe(true);
    expect(await isWhole(readers.shard, nowhere, before.root)).toBe(false);
    await expect(isWhole(failing(readers, 'shard').shard, before.root, undefined)).rejects.toMatchObject(
      corrupt,
    );
  });
});

describe('what is new in a snapshot', () => {
  test('includes removed keys', async () => {
    const { readers, before, after } = await history();
    expect(await readNews(readers, before, after, WITHOUT_REST)).toEqual(['a']);
    expect(await writtenSince(readers, before, after)).toEqual(['a']);
  });

  test('reads in slices and yields between them', async () => {
    const { readers, before } = await history();
    let rests = 0;
    const pace = { isDue: () => true, rest: async () => void rests++ };
    const empty = { head: [], root: undefined, merged: [] };
    expect(await readNews(readers, empty, before, pace)).toEqual(['a', 'b']);
    expect(rests).toBe(2);
  });

  test('[R4] rejects when events in between are damaged; reports every document when they were dropped', async () => {
    const { readers, before, after } = await history();
    await expect(writtenSince(failing(readers, 'shard'), before, after)).rejects.toMatchObject(corrupt);
    const unknown = cidOf(RAW, utf8('dropped'));
    expect(await writtenSince(readers, { ...before, root: unknown }, after)).toEqual([]);
  });
});
