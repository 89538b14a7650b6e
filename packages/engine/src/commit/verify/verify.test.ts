import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { type Pace, WITHOUT_REST } from '../../base/pace.ts';
import { type ClockEvent, encodeEvent } from '../../clock/event.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { encodeDocument } from '../../documents/encode.ts';
import type { Archives } from '../../store/archives.ts';
import type { Shard } from '../../trie/shard.ts';
import type { Readers } from '../snapshot.ts';
import { type VerifyParts, verifyStored } from './verify.ts';

const cid = (name: string): Cid => cidOf(RAW, utf8(name));
const doc = encodeDocument({ n: 1 }, parseDocKey('a'));

/** Verifies a database of one event, whose root is this shard. */
function look(
  root: Shard,
  operations: ClockEvent['operations'],
  pace: Pace = WITHOUT_REST,
  bytes = doc.bytes,
) {
  const event: ClockEvent = { root: cid('root'), operations, parents: [] };
  const parts: VerifyParts = {
    store: { read: async () => undefined, readPrefix: async () => new Map() },
    archives: { list: new Map(), readIndexes: async () => undefined } as unknown as Archives,
    files: { list: () => new Set(), readHere: async () => new Uint8Array(), refresh: async () => undefined },
    readers: {
      event: async () => event,
      shard: async () => root,
      block: async (one: Cid) => (one === cid('event') ? encodeEvent(event).bytes : bytes),
    } as unknown as Readers,
    snapshot: { head: [cid('event')], root: cid('root'), merged: [] },
    pace,
  };
  return verifyStored(parts, {});
}
const entry = { key: 'a', value: doc.cid, child: undefined };

describe('the verification of a database', () => {
  test('reports nothing as missing for an event that removed a key', async () => {
    const found = await look({ prefix: '', entries: [entry] }, [{ key: 'b', value: undefined }]);
    expect(found).toMatchObject({ documents: 1, events: 1, damaged: [], missing: [], missingOfPast: 0 });
  });

  test('[R4] finds a shard at the wrong place, even with a valid CID', async () => {
    const found = await look({ prefix: 'x', entries: [entry] }, []);
    expect(found.damaged).toEqual([{ cid: cid('root'), why: 'a misplaced shard of the trie' }]);
  });

  test('[R4] counts a block shared by two ids as two documents, or as none when the block is damaged', async () => {
    const shared = { prefix: '', entries: [entry, { ...entry, key: 'b' }] };
    expect(await look(shared, [])).toMatchObject({ documents: 2, damaged: [] });
    const damaged = await look(shared, [], WITHOUT_REST, Uint8Array.of(0xff));
    expect(damaged).toMatchObject({ documents: 0, damaged: [{ cid: doc.cid }] });
  });

  test('[R11] yields between reads', async () => {
    let rests = 0;
    const pace = {
      isDue: () => true,
      rest: async () => {
        rests++;
      },
    };
    const others = ['b', 'c'].map((key) => ({ key, value: cid(key), child: undefined }));
    await look({ prefix: '', entries: [entry, ...others] }, [], pace);
    // One read each for the event, its shard and three documents.
    expect(rests).toBeGreaterThanOrEqual(5);
  });
});
