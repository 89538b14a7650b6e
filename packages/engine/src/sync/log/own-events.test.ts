import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { newPair } from '../../base/p256.ts';
import { signerOf } from '../../base/signatures.ts';
import { type ClockEvent, encodeEvent, type Head, sortHead } from '../../clock/event.ts';
import { signedEvent } from '../../clock/signature.ts';
import { encodeStamp } from '../../clock/stamp.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { decodeOwn, encodeOwn, type OwnEventsParts, ownUnsigned, sentBy } from './own-events.ts';

const signer = await signerOf((await newPair(new Uint8Array(32).fill(7))).both);
const stamp = encodeStamp(1000, new Uint8Array(16).fill(1));

/** A database whose events are each in an archive of their own. */
function database() {
  const events = new Map<Cid, ClockEvent>();
  const pending = new Set<Cid>();
  const sent = new Set<Cid>();
  let head: Head = sortHead([]);
  const parts = {
    hasSent: (archive: Cid) => sent.has(archive),
    commits: {
      archiveOf: (event: Cid) => event,
      pendingUploads: async () => [...pending],
      snapshot: () => ({ head }),
      readers: {
        event: async (cid: Cid) => {
          const event = events.get(cid);
          if (event === undefined) throw new FixpointError('MISSING_BLOCK', cid);
          return event;
        },
      },
    } as unknown as OwnEventsParts['commits'],
  };
  const add = async (of: Set<Cid> | undefined, parents: readonly Cid[], isSigned = false): Promise<Cid> => {
    const root = cidOf(RAW, new Uint8Array([events.size]));
    const plain: ClockEvent = { operations: [], root, parents: sortHead(parents), by: stamp };
    const event = isSigned ? await signedEvent({ ...plain, by: undefined }, 1000, signer) : plain;
    const { cid } = encodeEvent(event);
    events.set(cid, event);
    of?.add(cid);
    head = sortHead([...head.filter((one) => !parents.includes(one)), cid]);
    return cid;
  };
  return { parts, add, events, pending, sent };
}

test('[E6] finds the newest unsigned events that this device wrote, sent or not', async () => {
  const { parts, add, pending, sent } = database();
  const first = await add(sent, []);
  const foreign = await add(undefined, [first]);
  const second = await add(pending, [foreign]);
  const apart = await add(sent, []);
  await add(undefined, [second]);
  await add(undefined, [apart]);
  expect(await ownUnsigned(parts)).toEqual(sortHead([second, apart]));
});

test('[E6] leaves out signed events, and events of others', async () => {
  const { parts, add, pending, events } = database();
  const own = await add(pending, []);
  const signed = await add(pending, [own], true);
  await add(undefined, [signed]);
  expect(await ownUnsigned(parts)).toEqual([own]);
  // Compaction may have dropped events.
  events.delete(own);
  expect(await ownUnsigned(parts)).toEqual([]);
});

test('reads the row that it wrote, and no row', async () => {
  const { add } = database();
  const cids = [await add(undefined, []), await add(undefined, [])];
  expect([...decodeOwn(encodeOwn(cids))]).toEqual(cids);
  expect(decodeOwn(undefined).size).toBe(0);
});

test('counts an archive as sent only if its row names what was uploaded', () => {
  const rows = new Map([
    ['sent', Uint8Array.of(91, 93)],
    ['received', new Uint8Array()],
  ]);
  const hasSent = sentBy({ sentRow: (archive) => rows.get(archive) });
  expect(['sent', 'received', 'unknown'].map((archive) => hasSent(archive as Cid))).toEqual([
    true,
    false,
    false,
  ]);
});
