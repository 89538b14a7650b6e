/** The form of entries: the cases T38 to T45, T77, T83 and T85, and random bytes. */
import { createHash } from 'node:crypto';
import {
  decodeEntry,
  type EntryFields,
  encodeEntry,
  type FormRule,
  InvalidEntryError,
  ledgerBytes,
  PREV_MAX,
  type RecordField,
  readLog,
  recordText,
} from '@fixpoint/protocol/storage';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { hex, utf8 } from '../../base/bytes.ts';
import { isSignedBy } from '../../base/signatures.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { sha256 } from '../../codec/sha256.ts';
import { evaluate } from '../evaluate.ts';
import { joined } from './joins.ts';
import {
  bytesOf,
  codeFields,
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

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const hash = (n: number) => new Uint8Array(32).fill(n);
const textOfFields = (fields: EntryFields) => recordText(encode(fields), 'S2.');

/** Returns the rule that a text breaks. */
function ruleOf(text: string): FormRule | undefined {
  try {
    decodeEntry(text, sha256);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidEntryError) return error.rule;
    throw error;
  }
}

const log = {} as Record<'D1' | 'C0' | 'A' | 'codeOfA' | 'A2', TestKeys> &
  Record<'start' | 'person', Written>;
beforeAll(async () => {
  for (const name of ['D1', 'C0', 'A', 'codeOfA', 'A2'] as const) log[name] = await keysNamed(name);
  log.start = await writtenStart('F', log.D1, log.C0);
  const { id } = log.start;
  log.person = await written(
    { ...linkFields('person', id, [id]), ...(await personFields('a', log.A, log.codeOfA)) },
    { signer: log.D1.signer },
  );
});

/** Returns the fields of `person` with changes. A field without a value is left out. */
const personWith = (changes: Record<string, RecordField | undefined>): EntryFields => {
  const all = Object.entries({ ...log.person.fields, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as EntryFields;
};
const read = (texts: readonly string[], ledger = LEDGER) =>
  readLog(texts, { ledger, hash: sha256, verify: isSignedBy });
const rulesOf = async (...texts: string[]) => {
  const { invalid } = await read([log.start.text, log.person.text, ...texts]);
  return texts.map((text) => invalid.get(text));
};

describe('the text of an entry', () => {
  test('[F1] contains the entry, and nothing else', () => {
    const { entry, fields } = decodeEntry(log.person.text, sha256);
    expect(encodeEntry(fields)).toBe(log.person.text);
    expect(entry).toMatchObject({
      ...{ kind: 'person', prev: [log.start.id], role: 'admin', user: 'a', name: 'a', seen: true },
      ...{ at: 1_800_000_001_000, by: { key: hex(log.D1.signer.publicKey), entry: log.start.id } },
      device: { sign: hex(log.A.signer.publicKey), seal: hex(log.A.seal) },
      code: { sign: hex(log.codeOfA.signer.publicKey), seal: hex(log.codeOfA.seal) },
    });
  });

  test('keeps its content when other entries are decoded', () => {
    const before = decodeEntry(log.person.text, sha256);
    const { entry, fields } = structuredClone({ ...before });
    for (const { text } of [log.start, log.person]) decodeEntry(text, sha256);
    expect(before).toEqual({ entry, fields });
    expect(encodeEntry(before.fields)).toBe(log.person.text);
  });

  test('[F4] has the hash of all its bytes as its id', () => {
    const { text, id } = log.person;
    const bytes = Buffer.from(text.slice('S2.'.length), 'base64url');
    expect(id).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('[T38, F3] is invalid with hashes that are not in order, or twice the same', () => {
    const prevs = [
      [hash(2), hash(1)],
      [hash(1), hash(1)],
      [hash(1), hash(2)],
    ];
    const rules = prevs.map((prev) => ruleOf(textOfFields(personWith({ prev }))));
    expect(rules).toEqual(['F3', 'F3', undefined]);
  });

  test('[T39, F1] is invalid with padding, a longer length than needed, or an unknown field', () => {
    const { text, fields } = log.person;
    const bytes = encode(fields);
    // The first byte is the number of fields, which can also take two bytes.
    const longer = Uint8Array.of(0xb8, (bytes[0] as number) & 31, ...bytes.subarray(1));
    const unknown = personWith({ extra: hash(1) });
    const texts = [`${text}=`, recordText(longer, 'S2.'), textOfFields(unknown), `S1.${text.slice(3)}`];
    expect(texts.map(ruleOf)).toEqual(['F1', 'F1', 'F1', 'F1']);
  });

  test('[F1] is invalid with an empty field, a flag other than 1, and without a required field', () => {
    const cases = [
      personWith({ prev: [] }),
      personWith({ name: new Uint8Array() }),
      personWith({ seen: Uint8Array.of(0) }),
      personWith({ at: undefined }),
      personWith({ cok: undefined }),
      personWith({ role: 'owner' }),
      personWith({ t: 'hello' }),
      personWith({ t: 'constructor' }),
      { t: 'join', prev: [hash(1)] },
    ];
    expect(cases.map((fields) => ruleOf(textOfFields(fields)))).toEqual(cases.map(() => 'F1'));
  });

  test('[F1] is invalid with fields that exclude each other', () => {
    const link = {
      ...linkFields('remove', log.start.id, [log.start.id]),
      by: hash(2),
      sig: new Uint8Array(64),
    };
    const base = { ...link, by: log.D1.signer.publicKey };
    const cut = [Uint8Array.of(1, 0x71, 0x12, 32, ...hash(1))];
    const one = Uint8Array.of(1);
    const person = { person: hash(1) };
    const cases: [EntryFields, FormRule | undefined][] = [
      [base, 'F1'],
      [{ ...base, ...person, target: base.by }, 'F1'],
      [{ ...base, ...person, cut, keep: [base.by], rot: new Uint8Array(48) }, undefined],
      [{ ...base, ...person, cut: [hash(1)] }, 'F1'],
      [{ ...base, t: 'role', ...person, role: 'write', cut }, 'F1'],
      [{ ...base, t: 'role', ...person, role: 'read', cut }, undefined],
      [{ ...base, t: 'role', ...person, role: 'read', seen: one }, 'F1'],
      [{ ...base, t: 'leave', cut }, 'F1'],
      [{ ...base, t: 'leave', cut, all: one }, undefined],
      [{ ...base, t: 'key' }, 'F1'],
    ];
    expect(cases.map(([fields]) => ruleOf(textOfFields(fields)))).toEqual(cases.map(([, rule]) => rule));
  });

  test('[T85, F2] is invalid beyond each limit', () => {
    const hashes = (count: number) => Array.from({ length: count }, (_, n) => hash(n));
    const { D1, start } = log;
    const keys = Array.from({ length: 65 }, (_, n) => Uint8Array.of(2, ...hash(n)));
    const cids = Array.from({ length: 17 }, (_, n) => Uint8Array.of(1, 0x71, 0x12, 32, ...hash(n)));
    const by = { by: D1.signer.publicKey, sig: new Uint8Array(64), person: hash(1) };
    const removeWith = (fields: EntryFields) =>
      textOfFields({ ...linkFields('remove', start.id, [start.id]), ...by, ...fields });
    const nameWith = (name: string) => textOfFields(personWith({ name: utf8(name) }));
    const outside = [
      `S2.${'A'.repeat(8190)}`,
      textOfFields(personWith({ prev: hashes(65) })),
      ...[{ keep: keys }, { cut: cids }].map(removeWith),
      ...['a\n', 'a\u0085', 'a\u202eb', 'a\u2066b', 'a'.repeat(201)].map(nameWith),
      textOfFields(personWith({ name: Uint8Array.of(0xff) })),
    ];
    expect(outside.map(ruleOf)).toEqual(outside.map(() => 'F2'));
    const inside = [
      textOfFields(personWith({ prev: hashes(64) })),
      ...[{ keep: keys.slice(1) }, { cut: cids.slice(1) }].map(removeWith),
      ...['Zoë 山田', 'a'.repeat(200)].map(nameWith),
    ];
    expect(inside.map(ruleOf)).toEqual(inside.map(() => undefined));
  });

  test('[F5] is invalid with a key that is no key, or with one key twice', () => {
    const cases = [
      personWith({ dev: new Uint8Array(33) }),
      personWith({ seal: new Uint8Array(65).fill(4) }),
      personWith({ csign: log.A.signer.publicKey }),
    ];
    expect(cases.map((fields) => ruleOf(textOfFields(fields)))).toEqual(['F5', 'F5', 'F5']);
  });

  test('[F1] gives a typed error for random bytes, and never two texts for one entry', () => {
    const mutated = fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('set', 'insert', 'delete'));
    fc.assert(
      fc.property(fc.array(mutated, { minLength: 1, maxLength: 3 }), fc.boolean(), (changes, isStart) => {
        const bytes = [...encode((isStart ? log.start : log.person).fields)];
        for (const [place, byte, how] of changes)
          bytes.splice(place % bytes.length, how === 'insert' ? 0 : 1, ...(how === 'delete' ? [] : [byte]));
        const text = recordText(Uint8Array.from(bytes), 'S2.');
        if (ruleOf(text) === undefined) expect(encodeEntry(decodeEntry(text, sha256).fields)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the check of signatures', () => {
  test('[F6] accepts entries of all kinds', async () => {
    const { start, person, D1, A, A2, C0, codeOfA } = log;
    const next = await keysNamed('next');
    const target = bytesOf(person.id);
    const one = Uint8Array.of(1);
    const device = { ...(await deviceFields('a', A2)), person: target, name: utf8('A2'), seen: one };
    const cosigned = { ...(await codeFields('a', next)), person: target, with: target };
    const remove = { target: A2.signer.publicKey, keep: [A.signer.publicKey], rot: new Uint8Array(48) };
    const both = [start.id, person.id];
    const byCode = { signer: codeOfA.signer, cosigner: A.signer };
    const texts = await Promise.all([
      written({ ...linkFields('device', person.id, [person.id]), ...device }, { signer: A.signer }),
      written({ ...linkFields('code', person.id, [person.id]), ...cosigned }, byCode),
      written({ ...linkFields('role', start.id, [person.id], person.id), person: target, role: 'read' }, D1),
      written({ ...linkFields('remove', start.id, [person.id]), ...remove }, C0),
      written({ ...linkFields('leave', person.id, [person.id]), all: one }, A),
      written({ ...linkFields('key', start.id, [person.id]), rot: new Uint8Array(48) }, D1),
    ]);
    const join = encodeEntry({ t: 'join', prev: both.sort().map(bytesOf) });
    const { entries, invalid } = await read([
      start.text,
      person.text,
      ...texts.map(({ text }) => text),
      join,
    ]);
    expect([...invalid.values()]).toEqual([]);
    const kinds = ['start', 'person', 'device', 'code', 'role', 'remove', 'leave', 'key', 'join'];
    expect(entries.map(({ kind }) => kind)).toEqual(kinds);
    const { members, reasonOf } = evaluate(entries, start.id);
    expect(members.map(({ user }) => user).sort()).toEqual(['F', 'a']);
    // The join names an entry and its past.
    expect(reasonOf((entries.at(-1) as { id: string }).id)).toEqual({ rule: 'F3' });
  });

  test('[T40, F6] rejects the higher s, and an entry of another ledger', async () => {
    const sig = log.person.fields['sig'] as Uint8Array;
    const s = ORDER - BigInt(`0x${hex(sig.subarray(32))}`);
    const higher = bytesOf(hex(sig.subarray(0, 32)) + s.toString(16).padStart(64, '0'));
    expect(await rulesOf(textOfFields(personWith({ sig: higher })))).toEqual(['F6']);
    const { invalid } = await read([log.start.text], ledgerBytes('tenant', 'other'));
    expect([...invalid.values()]).toEqual(['F6']);
  });

  test('[F6] rejects an entry after any change of a field', async () => {
    const { start, A } = log;
    const changed = [
      personWith({ at: new Uint8Array(6) }),
      personWith({ role: 'read' }),
      personWith({ by: A.signer.publicKey }),
      personWith({ own: bytesOf(start.id) }),
    ];
    expect(await rulesOf(...changed.map(textOfFields))).toEqual(changed.map(() => 'F6'));
  });

  test('[F6, L1] rejects a start that the recovery code of the founder did not sign', async () => {
    const { start, D1, A } = log;
    const { sig: _, csig: __, ...fields }: Record<string, RecordField> = start.fields;
    const { text } = await written(fields, { signer: D1.signer, code: A.signer });
    expect(await rulesOf(text)).toEqual(['F6']);
  });

  test('[F6] includes the signature of the device that names the successor of a code', async () => {
    const { person, A, A2, codeOfA } = log;
    const next = { ...(await codeFields('a', await keysNamed('next'))), person: bytesOf(person.id) };
    const link = { ...linkFields('code', person.id, [person.id]), ...next, with: bytesOf(person.id) };
    const { fields } = await written(link, { signer: codeOfA.signer, cosigner: A2.signer });
    const { sig: _, ...claimed }: Record<string, RecordField> = { ...fields, wkey: A.signer.publicKey };
    const { text } = await written(claimed, codeOfA);
    expect(await rulesOf(text)).toEqual(['F6']);
  });

  test('[T41, F7] rejects a device that consented to be the device of another user', async () => {
    const { start, D1, A } = log;
    const fields = { ...(await personFields('b', A)), ...(await deviceFields('a', A)) };
    const { text } = await written({ ...linkFields('person', start.id, [start.id]), ...fields }, D1);
    expect(await rulesOf(text)).toEqual(['F7']);
  });

  test('[T77, F7] rejects a code to which the device of the same entry did not consent', async () => {
    const { start, D1, A, codeOfA } = log;
    const planted = await keysNamed('planted');
    for (const [code, rule] of [[planted, 'F7'] as const, [codeOfA, undefined] as const]) {
      const fields = { ...(await personFields('a', A, codeOfA)), ...(await codeFields('a', code)) };
      const { text } = await written({ ...linkFields('person', start.id, [start.id]), ...fields }, D1);
      expect(await rulesOf(text)).toEqual([rule]);
    }
  });

  test('[F7] rejects a device whose consent names another user than that of the person', async () => {
    const { person, A, A2 } = log;
    const device = { ...(await deviceFields('F', A2)), person: bytesOf(person.id), name: utf8('A2') };
    const { text } = await written({ ...linkFields('device', person.id, [person.id]), ...device }, A);
    expect(await rulesOf(text)).toEqual(['F7']);
  });

  test('[E10] fails on a platform without signatures', async () => {
    const reading = readLog([log.start.text], {
      ledger: LEDGER,
      hash: sha256,
      verify: async () => undefined,
    });
    await expect(reading).rejects.toMatchObject({ code: 'NOT_IMPLEMENTED' });
  });
});

describe('a list of texts', () => {
  test('[T83, F14] needs an update if it contains a later form', async () => {
    const { text } = log.start;
    const lists = [[text, 'S1.abc', 'zRawKey', 'Sx.abc'], [text, 'S3.abc'], ['S12.abc']];
    const found = await Promise.all(lists.map((list) => read(list)));
    expect(found.map(({ needsUpdate }) => needsUpdate)).toEqual([false, true, true]);
  });

  test('[N2] contains greetings, which are not entries', async () => {
    const { entries, invalid } = await read([textOfFields({ t: 'hello', at: new Uint8Array(6) })]);
    expect([entries.length, invalid.size]).toEqual([0, 0]);
  });

  test('[F7] leaves out an entry until the person that it names arrives', async () => {
    const { start, person, A, A2 } = log;
    const device = { ...(await deviceFields('a', A2)), person: bytesOf(person.id), name: utf8('A2') };
    const { text } = await written({ ...linkFields('device', person.id, [person.id]), ...device }, A);
    expect((await read([start.text, text])).entries).toHaveLength(1);
    expect((await read([start.text, text, person.text])).entries).toHaveLength(3);
  });
});

describe('a join', () => {
  const ids = (count: number) =>
    Array.from({ length: count }, (_, n) => hex(Uint8Array.of(n >> 8, n, ...hash(7).subarray(2))));

  test('[T45, F12] is the same on all devices that know the same heads', () => {
    const heads = ids(2);
    const [one, other] = [joined(heads, 1), joined([...heads].reverse(), 1)];
    expect(other).toEqual(one);
    expect(one.ids).toEqual([one.joins[0]?.id]);
    expect(decodeEntry(one.joins[0]?.text as string, sha256).entry).toMatchObject({
      kind: 'join',
      prev: heads,
    });
  });

  test('[F12] appears only in long lists, or instead of several names', () => {
    expect(joined(ids(PREV_MAX))).toEqual({ ids: ids(PREV_MAX), joins: [] });
    expect(joined(ids(1), 1)).toEqual({ ids: ids(1), joins: [] });
  });

  test('[F12] takes the place of the 64 lowest heads if there are more', () => {
    const heads = ids(65);
    const { joins } = joined(heads);
    expect(joins).toHaveLength(1);
    expect(decodeEntry(joins[0]?.text as string, sha256).entry.prev).toEqual(heads.slice(0, 64));
    expect(joined(heads).ids).toEqual([joins[0]?.id, heads[64] as string].sort());
    expect(joined(heads, 1).ids).toHaveLength(1);
    expect(joined(ids(200), 1).joins).toHaveLength(4);
  });
});
