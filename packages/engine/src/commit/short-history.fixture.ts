/** A short history of two documents, with readers that a test can break. */
import { FixpointError } from '@fixpoint/protocol';
import { utf8 } from '../base/bytes.ts';
import type { ClockEvent } from '../clock/event.ts';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { putMany } from '../trie/put-many.ts';
import { removeKey } from '../trie/remove.ts';
import { EMPTY_SHARD } from '../trie/shard.ts';
import { trieStore } from '../trie/trie.fixture.ts';
import type { Readers, Snapshot } from './snapshot.ts';

export const event = cidOf(RAW, utf8('event'));
const doc = encodeDocument({}, parseDocKey('a'));
export const corrupt = { code: 'CORRUPT' };

/**
 * Creates two snapshots with the same head: one with two documents, and one without the first of
 * these documents.
 */
export async function history() {
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
    blocks: async (cids: readonly Cid[]) => cids.map(() => doc.bytes),
  } as unknown as Readers;
  return { readers, before: snapshot(both.root), after: snapshot(one.root) };
}
export const failing = (readers: Readers, what: 'event' | 'shard'): Readers => ({
  ...readers,
  [what]: () => Promise.reject(new FixpointError('CORRUPT', what)),
});
