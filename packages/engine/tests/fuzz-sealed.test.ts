/**
 * Passes hostile records, entries and objects to devices of a sealed ledger. Some are from a
 * gateway, which has no key, others from a member, who has one.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { packArchive } from '../src/archive/pack.ts';
import { utf8 } from '../src/base/bytes.ts';
import { sortHead } from '../src/clock/event.ts';
import { cidOf, RAW } from '../src/codec/cid.ts';
import { encode } from '../src/codec/dag-cbor.ts';
import { openLedgerKeys } from '../src/crypto/ledger-keys.ts';
import { sealObject } from '../src/crypto/sealed-object.ts';
import { decodeCode } from '../src/crypto/secret-code.ts';
import { createRemoteMemory } from '../src/sync/ledger/remote-memory.ts';
import { sealedSealing } from '../src/sync/ledger/sealed-sealing.ts';
import { decodeMessage } from '../src/sync/transport/message-codec.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { budget, patienceMs, processorMs, seed } from './budget.fixture.ts';
import { mutate } from './mutate.fixture.ts';

const RUNS = budget({ commit: 5000, night: 1_000_000, release: 10_000_000 });
/**
 * A call that takes longer than this counts as hung. The engine needs much less for these small
 * inputs.
 */
const SLOW_MS = 1000;
const ledger = encode(['tenant', 'ledger']);

async function device(from: number) {
  const random = seededRandom(from);
  const parts = {
    ledger,
    random,
    prefix: 'p/',
    rows: new Map<string, Uint8Array>(),
    save: async () => undefined,
  };
  const keys = await openLedgerKeys(parts);
  const memory = createRemoteMemory('remote');
  return { keys, memory, sealing: sealedSealing({ ledger, keys, memory, random }) };
}

const owner = await device(1);
const other = await device(2);
const first = await owner.keys.create();
await owner.keys.learn([...first, other.keys.announcement()]);
const [grant = ''] = await owner.keys.grant(other.keys.code());
const { code: recoveryCode, records: ofCode } = await owner.keys.newRecoveryCode();
const [recovery = ''] = ofCode;
await owner.keys.learn([grant, recovery]);
const [rotation = ''] = await owner.keys.rotate([]);
const records = [...first, other.keys.announcement(), grant, recovery, rotation];
const archive = await packArchive({ cars: [], compact: [], head: [] }, [owner.sealing.mark([])]);
const sealed = await owner.sealing.seal('car', archive.cid, archive.bytes);
const entry = await owner.sealing.makeEntry(archive.cid, sortHead([archive.cid]));
const plainEntry = encode({ v: 1, cars: [], names: [new Uint8Array(32)], head: [] });
const event = {
  ...{ type: 'eventGetMeta', tid: 't', conn: { reqId: 'r', resId: 's' } },
  ...{ meta: { metas: [entry], keys: records }, kind: 'sealed', removed: [grant], cursor: 1 },
};

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const recordBytes = (record: string) => new Uint8Array(Buffer.from(record.slice(3), 'base64url'));
const asRecord = (bytes: Uint8Array) => `S1.${Buffer.from(bytes).toString('base64url')}`;
const sealedText = (bytes: Uint8Array) => `S${Buffer.from(bytes).toString('base64')}`;

/**
 * Number of records after which a new device replaces the listening device. A device remembers all
 * records that it received, and would become slow.
 */
const HEARD_MAX = 200;
let listener = await device(3);
let heard = 0;
async function hear(record: string): Promise<unknown> {
  heard += 1;
  if (heard % HEARD_MAX === 0) listener = await device(3 + heard);
  return listener.keys.learn([...first, record]);
}

interface Reader {
  readonly name: string;
  readonly valid: readonly Uint8Array[];
  read(bytes: Uint8Array): unknown;
}

const READERS: readonly Reader[] = [
  {
    name: 'a record in the list of keys',
    valid: records.map(recordBytes),
    read: (bytes) => hear(asRecord(bytes)),
  },
  {
    name: 'the text of a record',
    valid: records.map(bytesOf),
    read: (bytes) => hear(textOf(bytes)),
  },
  {
    name: 'a record of a member who left',
    valid: records.map(recordBytes),
    read: async (bytes) => {
      await owner.keys.learn([], { removed: [asRecord(bytes)] });
      return owner.keys.rotateAway();
    },
  },
  {
    name: 'a recovery code',
    valid: [bytesOf(recoveryCode)],
    read: (bytes) => decodeCode(textOf(bytes), 20),
  },
  {
    name: 'an object',
    valid: [sealed.body],
    read: (bytes) => owner.sealing.open('car', archive.cid, bytes),
  },
  {
    name: 'a meta entry of a gateway',
    valid: [bytesOf(entry.data)],
    read: (bytes) => owner.sealing.readEntry({ ...entry, data: textOf(bytes) }),
  },
  {
    name: 'a meta entry of a member',
    valid: [plainEntry],
    read: async (bytes) => {
      const body = await sealObject(ledger, 'meta', bytes, owner.keys.current(), seededRandom(4));
      return owner.sealing.readEntry({ cid: cidOf(RAW, body), parents: [], data: sealedText(body) });
    },
  },
  {
    name: 'the mark in an archive',
    valid: [archive.bytes],
    read: (bytes) => owner.sealing.readMark(bytes),
  },
  {
    name: 'the public key of a device that the server lists as announced',
    valid: [bytesOf('BAAB_-')],
    read: async (bytes) => {
      await other.keys.learn([], { devices: [{ pub: textOf(bytes), since: textOf(bytes) }] });
      return [other.keys.devices(), await other.keys.rotateAway().catch(() => undefined)];
    },
  },
  {
    name: 'an event',
    valid: [utf8(JSON.stringify(event))],
    read: (bytes) => {
      const message = decodeMessage(bytes);
      return message.type === 'eventGetMeta' ? { ...message, ...message.meta } : undefined;
    },
  },
];

test.each(READERS)(
  '[R20][S7] reads, ignores or immediately rejects $name with a typed error, and gives nobody access',
  { timeout: patienceMs() },
  async ({ name, valid, read }) => {
    const random = seededRandom(seed() + name.length);
    const before = { devices: owner.keys.devices().length, current: owner.keys.current().name };
    for (let run = 0; run < RUNS; run++) {
      const bytes = mutate(valid[random.below(valid.length)] ?? new Uint8Array(), random);
      const startedMs = processorMs();
      try {
        await read(bytes);
      } catch (cause) {
        if (!isFixpointError(cause))
          throw new Error(`${name} in run ${run}: ${Buffer.from(bytes).toString('base64')}`, { cause });
      }
      if (processorMs() - startedMs > SLOW_MS)
        throw new Error(`${name} in run ${run} hangs: ${Buffer.from(bytes).toString('base64')}`);
    }
    expect({ devices: owner.keys.devices().length, current: owner.keys.current().name }).toEqual(before);
    expect(listener.keys.isApproved()).toBe(false);
  },
);
