/**
 * How devices and gateways treat a log: the cases T65 to T73 and T86 of
 * docs/internals/membership-rules.md.
 */

import {
  deletionFault,
  inOrder,
  type LogEntry,
  type LogSize,
  ledgerBytes,
  limitFault,
  type Putter,
  putFault,
  readLog,
  rotationFault,
  type StoredLog,
} from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { isSignedBy } from '../base/signatures.ts';
import { sha256 } from '../codec/sha256.ts';
import { evaluate } from './evaluate.ts';
import {
  keysNamed,
  LEDGER,
  linkFields,
  personFields,
  written,
  writtenStart,
} from './form/signed-log.fixture.ts';
import { chosenStart, conductOf, mayAttach, migratedOwners } from './log-start.ts';
import { D1, leave, START, teamLog, testLog } from './membership.fixture.ts';
import { heardAt, isFromFuture, safetyNumberOf } from './safety.ts';

describe('a device', () => {
  test('[T65, E8] attaches a database to at most one ledger with a log', () => {
    const pairs = [
      ['log 1', 'log 2'],
      ['log 1', 'log 1'],
      ['log 1', undefined],
      [undefined, 'log 2'],
    ] as const;
    expect(pairs.map(([database, ledger]) => mayAttach(database, ledger))).toEqual([false, true, true, true]);
  });

  test('[T66, L2] takes the only start of a list, and none if there are several', () => {
    expect(chosenStart(undefined, ['a', 'b'])).toBeUndefined();
    expect(chosenStart(undefined, ['a'])).toEqual({ start: 'a', isCompared: false });
    expect(chosenStart('b', ['a'])).toEqual({ start: 'b', isCompared: true });
  });

  test('[T67, L3] ignores a log that it hasn’t compared, and waits once the log has a rotation', () => {
    const conducts = [false, true].map((hasRotation) =>
      conductOf({ isCompared: false, hadDataKey: true, hasRotation }),
    );
    expect(conducts).toEqual(['as before', 'wait']);
    expect(conductOf({ isCompared: true, hadDataKey: true, hasRotation: true })).toBe('follow');
    expect(conductOf({ isCompared: false, hadDataKey: false, hasRotation: true })).toBe('follow');
  });

  test('[T68, L5] admits owners with the role that its user confirms, never with the reported one', () => {
    const reported = [
      { user: 'r', name: 'R', role: 'write' as const },
      { user: 'w', name: 'W', role: 'admin' as const },
    ];
    const confirmed = new Map([['w', { name: 'Will', role: 'write' as const, isCompared: true }]]);
    expect(migratedOwners(reported, confirmed)).toEqual([
      { user: 'r', name: 'R', role: 'read', seen: false },
      { user: 'w', name: 'Will', role: 'write', seen: true },
    ]);
  });

  test('[T72, N3] hears a person when news arrives, whatever later time it claims', () => {
    const future = { claimedMs: Date.UTC(2100, 0), receivedMs: 5_000_000 };
    const late = { claimedMs: 1_000_000, receivedMs: 9_000_000 };
    expect([heardAt([late, future]), heardAt([future, late])]).toEqual([5_000_000, 5_000_000]);
    expect(heardAt([late])).toBe(1_000_000);
    expect(heardAt([])).toBeUndefined();
    expect([future, late].map(isFromFuture)).toEqual([true, false]);
    expect(isFromFuture({ claimedMs: 600_000, receivedMs: 0 })).toBe(false);
  });

  test('[T73, N4] shows the same safety number in whatever order the entries arrived', async () => {
    const [founder, recovery, A] = await Promise.all(['D1', 'C0', 'A'].map(keysNamed));
    if (founder === undefined || recovery === undefined || A === undefined) throw new Error('no keys');
    const start = await writtenStart('F', founder, recovery);
    const link = linkFields('person', start.id, [start.id]);
    const person = await written({ ...link, ...(await personFields('a', A)) }, founder);
    const left = await written(linkFields('leave', person.id, [person.id]), A);
    const numberOf = async (...texts: string[]) => {
      const { entries } = await readLog(texts, { ledger: LEDGER, hash: sha256, verify: isSignedBy });
      return safetyNumberOf(evaluate(entries, start.id), LEDGER, start.id);
    };
    const numbers = [
      await numberOf(start.text, person.text),
      await numberOf(person.text, start.text),
      await numberOf(start.text),
      await numberOf(start.text, person.text, left.text),
    ];
    expect(numbers[0]).toMatch(/^\d{60}$/);
    expect(numbers[1]).toBe(numbers[0]);
    expect(new Set(numbers).size).toBe(3);
    const { entries } = await readLog([start.text, person.text], {
      ledger: LEDGER,
      hash: sha256,
      verify: isSignedBy,
    });
    const membership = evaluate(entries, start.id);
    const withoutMembers = safetyNumberOf({ ...membership, members: [] }, LEDGER, start.id);
    expect(withoutMembers).not.toBe(numbers[0]);
    // One of ten numbers begins with a zero.
    for (let n = 0; n < 40; n++)
      expect(safetyNumberOf(membership, ledgerBytes('tenant', `${n}`), start.id)).toMatch(/^\d{60}$/);
  });
});

describe('the gateway', () => {
  const account = { right: 'write' as const, putToday: 20, put: { count: 0, chars: 0 } };
  const one = { count: 1, chars: 500 };
  const nothing = { count: 0, chars: 0 };
  const admin = { ...account, right: 'admin' as const };
  const reader = { ...account, right: 'read' as const };
  const storedOf = ({ entries }: ReturnType<typeof testLog>): StoredLog => ({
    ids: new Set(entries.map(({ id }) => id)),
    start: START,
  });
  /** Returns a log with further entries of R, which aren't stored yet. */
  function withEntries(count: number) {
    const { log, R } = teamLog();
    const stored = storedOf(log);
    for (let n = 0; n < count; n++) log.add(R.by, leave());
    return { stored, added: log.entries.slice(stored.ids.size) };
  }

  test('[T69, G1] rejects an entry that somebody else signed', async () => {
    const [founder, recovery, R] = await Promise.all(['D1', 'C0', 'R'].map(keysNamed));
    if (founder === undefined || recovery === undefined || R === undefined) throw new Error('no keys');
    const start = await writtenStart('F', founder, recovery);
    // R signs, but names the key of the founder.
    const sign = R.signer.sign;
    const forged = { publicKey: founder.signer.publicKey, sign };
    const { text } = await written(linkFields('leave', start.id, [start.id]), { signer: forged });
    const { invalid } = await readLog([start.text, text], {
      ledger: LEDGER,
      hash: sha256,
      verify: isSignedBy,
    });
    expect(invalid.get(text)).toBe('F6');
  });

  test('[T69, G4] rejects the 201st entry of an account in a day, and more from admins', () => {
    const faultAt = (putToday: number, putter: Putter) => limitFault(one, { ...putter, putToday }, nothing);
    expect([199, 200].map((count) => faultAt(count, account))).toEqual([undefined, 'G4']);
    expect([199, 200].map((count) => faultAt(count, reader))).toEqual([undefined, 'G4']);
    expect([200, 1999, 2000].map((count) => faultAt(count, admin))).toEqual([undefined, undefined, 'G4']);
    const faults = [180, 181].map((count) => limitFault({ ...one, count }, account, nothing));
    expect(faults).toEqual([undefined, 'G4']);
  });

  test('[T86, G4] rejects the 2,001st entry of an account, and those of all but admins in a full list', () => {
    const faultsAt = (put: LogSize, stored: LogSize) =>
      [account, admin].map((putter) => limitFault(one, { ...putter, put }, stored));
    const sizes = [1999, 2000].map((count) => ({ count, chars: 0 }));
    expect(sizes.map((put) => faultsAt(put, nothing))).toEqual([
      [undefined, undefined],
      ['G4', undefined],
    ]);
    const lists = [9999, 10_000].map((count) => ({ count, chars: 0 }));
    expect(lists.map((stored) => faultsAt(nothing, stored))).toEqual([
      [undefined, undefined],
      ['G4', undefined],
    ]);
  });

  test('[G4] leaves room for those with more rights in a list that is full for others', () => {
    const faultsAt = (stored: LogSize) =>
      [reader, account, admin].map((putter) => limitFault(one, putter, stored));
    const open = [undefined, undefined, undefined];
    expect(faultsAt({ count: 7_999, chars: 2_999_500 })).toEqual(open);
    for (const stored of [
      { count: 8_000, chars: 0 },
      { count: 0, chars: 2_999_501 },
      { count: 9_999, chars: 3_999_500 },
    ])
      expect(faultsAt(stored)).toEqual(['G4', undefined, undefined]);
    expect(faultsAt({ count: 10_000, chars: 0 })).toEqual(['G4', 'G4', undefined]);
  });

  test('[T87, G4] accepts a few entries a day in a full list, so that nobody can prevent their own removal', () => {
    const full = { count: 20_000, chars: 8_000_000 };
    const faultsAt = (putter: Putter, counts: readonly number[]) =>
      counts.map((putToday) => limitFault(one, { ...putter, putToday }, full));
    expect(faultsAt(reader, [0, 1, 2])).toEqual([undefined, undefined, 'G4']);
    expect(faultsAt(account, [0, 3, 4])).toEqual([undefined, undefined, 'G4']);
    expect(faultsAt(admin, [0, 15, 16])).toEqual([undefined, undefined, 'G4']);
    // The reserve isn't beyond the limits of the account.
    const spent = { ...account, putToday: 0, put: { count: 2_000, chars: 0 } };
    expect(limitFault(one, spent, full)).toBe('G4');
  });

  test('[G4] limits the characters of an account and of a list, from admins only those of a list', () => {
    const sizeOf = (chars: number) => ({ count: 1, chars });
    const faultsAt = (put: LogSize, stored: LogSize) =>
      [account, admin].map((putter) => limitFault(one, { ...putter, put }, stored));
    expect(faultsAt(sizeOf(999_500), nothing)).toEqual([undefined, undefined]);
    expect(faultsAt(sizeOf(999_501), nothing)).toEqual(['G4', undefined]);
    expect(faultsAt(nothing, sizeOf(3_999_500))).toEqual([undefined, undefined]);
    expect(faultsAt(nothing, sizeOf(3_999_501))).toEqual(['G4', undefined]);
    expect(faultsAt(nothing, sizeOf(7_999_500))).toEqual(['G4', undefined]);
    expect(faultsAt(nothing, sizeOf(7_999_501))).toEqual(['G4', 'G4']);
    // A request without new entries adds nothing.
    expect(limitFault(nothing, { ...account, put: sizeOf(2_000_000) }, sizeOf(9_000_000))).toBeUndefined();
  });

  test('[G1] rejects an entry that names others which are neither in the list nor in the request', () => {
    const { stored, added } = withEntries(2);
    expect(putFault(added, false, stored)).toBeUndefined();
    expect(putFault(added.slice(1), false, stored)).toBe('G1');
    const join = [{ kind: 'join' as const, id: 'join', prev: [START, 'x'] }];
    expect(putFault(join, false, stored)).toBe('G1');
  });

  test('[G1] puts the entries of a request in order, each of them once', () => {
    const { log, A, W } = teamLog();
    const last = log.add(W.by, leave(), [W.entry, A.entry]);
    const ids = (entries: readonly LogEntry[]) => entries.map(({ id }) => id);
    const ordered = inOrder([...log.entries.toReversed(), ...log.entries]);
    expect(ids(ordered).toSorted()).toEqual(ids(log.entries).toSorted());
    for (const { id, prev } of ordered)
      for (const one of prev) expect(ids(ordered).indexOf(one)).toBeLessThan(ids(ordered).indexOf(id));
    // Entries that name unknown ones stay.
    expect(ids(inOrder(log.entries.filter(({ id }) => id === last)))).toEqual([last]);
  });

  test('[G2] accepts one start, from an admin, who may withdraw it while it is alone', () => {
    const { entries } = testLog();
    const empty = { ids: new Set<string>(), start: undefined };
    const stored = { ids: new Set([START]), start: START };
    expect([false, true].map((mayStart) => putFault(entries, mayStart, empty))).toEqual(['G2', undefined]);
    expect(putFault(entries, true, stored)).toBe('G2');
    expect(putFault([...entries, ...entries], true, empty)).toBe('G2');
    const withdrawals = [false, true].map((mayStart) => deletionFault(START, mayStart, stored));
    expect(withdrawals).toEqual(['G2', undefined]);
    expect(deletionFault(START, true, storedOf(teamLog().log))).toBe('G2');
  });

  test('[T70, G3] never deletes an entry', () => {
    const { log, W } = teamLog();
    const faults = [false, true].map((mayStart) => deletionFault(W.entry, mayStart, storedOf(log)));
    expect(faults).toEqual(['G3', 'G3']);
  });

  test('[T71, G5] accepts any number of rotations of one key, but only with an entry', () => {
    const log = testLog();
    for (const record of ['r1', 'r2']) log.add(D1, { kind: 'key', rotation: { key: 'k', record } });
    const stored = { ids: new Set([START]), start: START };
    const faults = ['r1', 'r2', 'r3'].map((hash) => rotationFault(hash, log.entries, stored));
    expect(faults).toEqual([undefined, undefined, 'G5']);
    expect(rotationFault('r3', [], { ids: new Set(), start: undefined })).toBeUndefined();
  });
});
