/** Tests the form of greetings (N2), and what reading a log again may skip (F1 to F6). */
import {
  decodeEntry,
  type EntryFields,
  isEntryText,
  isGreetingText,
  isSignedBy,
  isSignedGreeting,
  type KnownEntries,
  ledgerBytes,
  mayLead,
  type ReadGreeting,
  readGreeting,
  readLog,
  recordText,
  signedGreeting,
} from '@fixpoint/protocol/storage';
import { beforeAll, describe, expect, test } from 'vitest';
import { hex, utf8 } from '../../base/bytes.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { sha256 } from '../../codec/sha256.ts';
import {
  bytesOf,
  deviceFields,
  keysNamed,
  LEDGER,
  linkFields,
  personFields,
  type TestKeys,
  type Written,
  written,
  writtenStart,
} from './signed-log.fixture.ts';

const ID = 'ab'.repeat(32);
const OTHER_ID = 'cd'.repeat(32);
const at = bytesOf('018bcfe56800');

let keys: { readonly F: TestKeys; readonly C: TestKeys; readonly W: TestKeys };
let log: Readonly<Record<'start' | 'W' | 'device' | 'leave' | 'key' | 'remove', Written>>;

beforeAll(async () => {
  const [F, C, W] = [await keysNamed('F'), await keysNamed('C'), await keysNamed('W')];
  keys = { F, C, W };
  const start = await writtenStart('F', F, C);
  const ofW = await written(
    { ...linkFields('person', start.id, [start.id], start.id), ...(await personFields('W', W)) },
    F,
  );
  const more = { ...(await deviceFields('W', await keysNamed('W2'))), name: utf8('W2') };
  const device = await written(
    { ...linkFields('device', ofW.id, [ofW.id]), ...more, person: bytesOf(ofW.id) },
    W,
  );
  const leave = await written(linkFields('leave', ofW.id, [device.id], device.id), W);
  const rot = new Uint8Array(48);
  const key = await written({ ...linkFields('key', start.id, [ofW.id], ofW.id), rot }, F);
  const target = { person: bytesOf(ofW.id) };
  const remove = await written({ ...linkFields('remove', start.id, [key.id], key.id), ...target }, F);
  log = { start, W: ofW, device, leave, key, remove };
});

const greeted = () => signedGreeting({ at, in: bytesOf(ID), heads: [bytesOf(ID)] }, LEDGER, keys.W.signer);
const textOf = (fields: object) => recordText(encode({ ...fields }), 'S2.');
const fieldsOf = async (): Promise<EntryFields> => (readGreeting(await greeted()) as ReadGreeting).fields;

describe('a greeting', () => {
  test('[N2] names a seat, a time and heads, and is signed for one ledger', async () => {
    const text = await greeted();
    const read = readGreeting(text) as ReadGreeting;
    expect(read.greeting).toEqual({
      seat: { key: hex(keys.W.signer.publicKey), entry: ID },
      at: 0x018bcfe56800,
      heads: [ID],
    });
    expect([isGreetingText(text), isEntryText(text)]).toEqual([true, false]);
    expect(await isSignedGreeting(read, LEDGER, isSignedBy)).toBe(true);
    expect(await isSignedGreeting(read, ledgerBytes('tenant', 'other'), isSignedBy)).toBe(false);
  });

  test.each(['at', 'by', 'in', 'heads'] as const)('[N2] signs the field %s', async (name) => {
    const fields = await fieldsOf();
    const others = {
      ...{ at: bytesOf('018bcfe56801'), by: keys.F.signer.publicKey, in: bytesOf(OTHER_ID) },
      heads: [bytesOf(OTHER_ID)],
    };
    const read = readGreeting(textOf({ ...fields, [name]: others[name] })) as ReadGreeting;
    expect(read.fields[name]).toEqual(others[name]);
    expect(await isSignedGreeting(read, LEDGER, isSignedBy)).toBe(false);
  });

  test('[N2] differs from each entry', async () => {
    for (const { text } of Object.values(log))
      expect([isGreetingText(text), readGreeting(text)]).toEqual([false, undefined]);
    const { entries, invalid } = await readLog([await greeted(), log.start.text], {
      ...{ ledger: LEDGER, hash: sha256, verify: isSignedBy },
    });
    expect([entries.length, invalid.size]).toEqual([1, 0]);
  });

  test.each(['at', 'by', 'in', 'heads', 'sig'])('[N2] is invalid without %s', async (name) => {
    const { [name]: _, ...rest } = await fieldsOf();
    expect(readGreeting(textOf(rest))).toBeUndefined();
  });

  test.each([
    ['another field', { own: bytesOf(ID) }],
    ['an unknown field', { more: Uint8Array.of(1) }],
    ['a short time', { at: new Uint8Array(5) }],
    ['an uncompressed key', { by: new Uint8Array(65) }],
    ['a short entry', { in: new Uint8Array(31) }],
    ['no heads', { heads: [] }],
    ['a head twice', { heads: [bytesOf(ID), bytesOf(ID)] }],
    ['unsorted heads', { heads: [bytesOf(OTHER_ID), bytesOf(ID)] }],
    ['65 heads', { heads: Array.from({ length: 65 }, (_, one) => new Uint8Array(32).fill(one)) }],
    ['a short signature', { sig: new Uint8Array(63) }],
    ['another kind', { t: 'hallo' }],
  ])('[N2] is invalid with %s', async (_, change) => {
    expect(readGreeting(textOf({ ...(await fieldsOf()), ...change }))).toBeUndefined();
  });

  test('[N2] is invalid with padding, another mark, or more than 8,192 characters', async () => {
    const text = await greeted();
    for (const other of [`${text}=`, `${text}A`, text.replace('S2.', 'S1.'), `${text}${'A'.repeat(8192)}`])
      expect(readGreeting(other)).toBeUndefined();
  });
});

describe('a log that is read again', () => {
  const readAgain = (texts: readonly string[], passed: readonly string[], checks: unknown[] = []) => {
    const known: KnownEntries = { isChecked: (id) => passed.includes(id), decoded: new Map() };
    const verify: typeof isSignedBy = (...given) => {
      checks.push(given[0]);
      return isSignedBy(...given);
    };
    return readLog(texts, { ledger: LEDGER, hash: sha256, verify, known });
  };

  test('[F6] checks the signatures of all entries but those that passed', async () => {
    const texts = Object.values(log).map(({ text }) => text);
    const checks: unknown[] = [];
    const first = await readAgain(texts, [], checks);
    expect([first.entries.length, first.invalid.size, checks.length]).toEqual([6, 0, 11]);
    const ids = Object.values(log).map(({ id }) => id);
    const again: unknown[] = [];
    const second = await readAgain(texts, ids, again);
    expect([second.entries, second.readOf, second.textOf]).toEqual([
      first.entries,
      first.readOf,
      first.textOf,
    ]);
    expect(again).toEqual([]);
    const one: unknown[] = [];
    await readAgain(texts, ids.slice(1), one);
    // `start` has a signature of its device, one of its code, and both consents.
    expect(one).toHaveLength(4);
  });

  test('[F6] leaves out an entry whose signature is wrong, whatever others passed', async () => {
    const forged = textOf({ ...log.leave.fields, sig: log.W.fields['sig'] });
    const { id } = decodeEntry(forged, sha256).entry;
    const ids = Object.values(log).map((one) => one.id);
    const { entries, invalid } = await readAgain([log.start.text, log.W.text, forged], ids);
    expect([entries.map((one) => one.id).includes(id), invalid.get(forged)]).toEqual([false, 'F6']);
  });

  test('[F7] waits for the person of an entry, also if the entry passed', async () => {
    const passed = [log.device.id];
    expect((await readAgain([log.start.text, log.device.text], passed)).entries).toHaveLength(1);
    expect((await readAgain([log.start.text, log.device.text, log.W.text], passed)).entries).toHaveLength(3);
  });

  test('[F4] names each entry by the hash of its bytes, checked or not', () => {
    for (const { text, id } of Object.values(log)) {
      expect(decodeEntry(text, sha256).entry.id).toBe(id);
      expect(decodeEntry(text, sha256, () => true).entry).toEqual(decodeEntry(text, sha256).entry);
    }
  });

  test('finds the entries that start a log or rotate its key without decoding others', () => {
    const leading = Object.entries(log).flatMap(([name, { text }]) => (mayLead(text) ? [name] : []));
    expect(leading).toEqual(['start', 'key', 'remove']);
    expect(['', 'S2.', 'S1.pWF0ZXN0YXJ0', 'zRaw'].filter(mayLead)).toEqual([]);
  });
});
