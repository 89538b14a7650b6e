/** Authors of events by the stored membership log of a ledger. */
import type { EntryId } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import type { Signer } from '../../base/signatures.ts';
import { type ClockEvent, encodeEvent, type Head, type ReadEvent } from '../../clock/event.ts';
import { signedEvent } from '../../clock/signature.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import {
  bytesOf,
  deviceFields,
  keysNamed,
  linkFields,
  personFields,
  written,
  writtenStart,
} from '../../membership/form/signed-log.fixture.ts';
import { createAuthors } from './authors.ts';
import { createLogAuthors } from './log-authors.ts';

const PREFIX = 'remote/r/secret/';

/** A founder F, the admin W, and a device of W that F added. */
async function storedLog() {
  const [F, C, W, W2] = await Promise.all(['F', 'C', 'W', 'W2'].map(keysNamed));
  if (!F || !C || !W || !W2) throw new Error('no keys');
  const start = await writtenStart('F', F, C);
  const person = { ...linkFields('person', start.id, [start.id]), ...(await personFields('W', W)) };
  const admitted = await written(person, { signer: F.signer });
  const more = {
    ...linkFields('device', start.id, [admitted.id], admitted.id),
    ...{ person: bytesOf(admitted.id), name: utf8('more'), ...(await deviceFields('W', W2)) },
  };
  const added = await written(more, { signer: F.signer });
  const rows = new Map([start, admitted, added].map(({ id, text }) => [`${PREFIX}entry/${id}`, utf8(text)]));
  return { rows, start: start.id, admitted: admitted.id, added: added.id, F, W, W2 };
}

async function world() {
  const log = await storedLog();
  const events = new Map<Cid, ClockEvent>();
  const names = {
    row: Buffer.concat([bytesOf(log.added).subarray(0, 16), bytesOf(log.start), utf8(PREFIX)]),
  };
  const read: ReadEvent = async (cid) => events.get(cid) as ClockEvent;
  const remembered = async (prefix: string) =>
    new Map([...log.rows].filter(([key]) => key.startsWith(prefix)));
  const authors = createLogAuthors(async () => names.row, remembered, read);
  return {
    ...{ ...log, events, names, authors, remembered },
    write: async (by: Signer | undefined, name: EntryId | undefined, parents: Head): Promise<Cid> => {
      const root = cidOf(RAW, utf8(`root ${events.size}`));
      const event = { operations: [{ key: 'a', value: root }], root, parents };
      const named = name === undefined ? new Uint8Array(16) : bytesOf(name).subarray(0, 16);
      const signed = by === undefined ? event : await signedEvent(event, 5, by, named);
      const { cid } = encodeEvent(signed);
      events.set(cid, signed);
      return cid;
    },
    authorOf: async (cid: Cid, head: Head) => {
      const find = await authors();
      return find?.(cid, events.get(cid) as ClockEvent, head);
    },
  };
}

describe('the author of an event', () => {
  test('is the member whose device signed it, and names who added the device', async () => {
    const { write, authorOf, W, W2, added } = await world();
    const one = await write(W.signer, added, []);
    const other = await write(W2.signer, added, [one]);
    expect(await authorOf(one, [other])).toEqual({
      ...{ author: { status: 'verified', name: 'W' }, signature: 'valid' },
    });
    expect(await authorOf(other, [other])).toEqual({
      ...{ author: { status: 'verified', name: 'W', addedBy: 'F' }, signature: 'valid' },
    });
  });

  test('is somebody who vouched, for an event that names nothing', async () => {
    const { write, authorOf, W, F, added } = await world();
    const unsigned = await write(undefined, undefined, []);
    const zeros = await write(W.signer, undefined, [unsigned]);
    const last = await write(F.signer, added, [zeros]);
    const author = { status: 'vouched for', name: 'F', by: last, knew: false };
    expect(await authorOf(unsigned, [last])).toEqual({ author, signature: 'unknown' });
    expect(await authorOf(zeros, [last])).toEqual({ author, signature: 'valid' });
    expect(await authorOf(zeros, [zeros])).toEqual({
      author: { status: 'not accepted' },
      signature: 'valid',
    });
  });

  test('is unknown without a log, and with a name that this device made before it knew the log', async () => {
    const { names, authors, added, remembered } = await world();
    names.row = Buffer.concat([bytesOf(added).subarray(0, 16), new Uint8Array(32), utf8(PREFIX)]);
    expect(await authors()).toBeUndefined();
    const none = createLogAuthors(
      async () => undefined,
      remembered,
      async () => undefined as never,
    );
    expect(await none()).toBeUndefined();
  });

  test('is counted for each member by a verification', async () => {
    const { write, events, authors, W, F, added } = await world();
    const unsigned = await write(undefined, undefined, []);
    const first = await write(W.signer, added, [unsigned]);
    const head = [await write(F.signer, added, [first])];
    const alone = await write(W.signer, undefined, head);
    const found = createAuthors(async () => new Map(), head, authors);
    for (const [cid, event] of events) await found.add(cid, event);
    expect(await found.found()).toMatchObject({
      ...{ unsigned: 1, badSignatures: [] },
      byLog: {
        verified: [
          { name: 'W', events: 1 },
          { name: 'F', events: 1 },
        ],
        vouchedFor: [{ name: 'W', events: 1 }],
        ...{ beforeLog: 0, notAccepted: [alone] },
      },
    });
  });
});
