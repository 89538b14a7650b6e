/** Entries that are ignored, and what new entries follow: T42 to T44, T78, T82 and T84. */

import type { LogEntry } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';
import { entriesToFollow } from './form/new-entry.ts';
import {
  addDevice,
  admit,
  C0,
  code,
  D1,
  device,
  leave,
  person,
  removal,
  resultOf,
  rolesIn,
  START,
  teamLog,
  testLog,
  whichCount,
} from './membership.fixture.ts';

describe('an entry', () => {
  test('[T42, F8] is invalid unless its past introduced the signer', () => {
    const { log, A, W } = teamLog();
    const W2 = addDevice(log, W.entry, 'W2', W.by);
    const ids = [
      log.add(A.by, leave(), [START]),
      log.add({ key: 'A', entry: W.entry }, leave(), [W.entry]),
      log.add(W2, leave(), [W.entry]),
    ];
    const { reasonOf } = resultOf(log);
    expect(ids.map(reasonOf)).toEqual(ids.map(() => ({ rule: 'F8' })));
  });

  test('[F8] is invalid unless its past introduced the device that names the successor of a code', () => {
    const { log, A } = teamLog();
    const D2 = addDevice(log, START, 'D2', D1);
    const isKnown = (cosigner: typeof D1, prev: readonly string[]) => {
      const id = log.add(C0, code(START, 'C1', cosigner), prev);
      return resultOf(log).reasonOf(id)?.rule !== 'F8';
    };
    expect(isKnown(D2, [START])).toBe(false);
    expect(isKnown(A.code, [A.entry])).toBe(false);
    expect(isKnown(D2, [D2.entry])).toBe(true);
  });

  test('[F9] is invalid unless its past admitted the person that it names', () => {
    const { log, A, W } = teamLog();
    const W2 = addDevice(log, W.entry, 'W2', W.by);
    const ids = [log.add(D1, removal(W.entry), [A.entry]), log.add(D1, device(W2.entry, 'K'), [W2.entry])];
    const { reasonOf } = resultOf(log);
    expect(ids.map(reasonOf)).toEqual(ids.map(() => ({ rule: 'F9' })));
  });

  test('[F10] is invalid unless `own` is an earlier entry of the same seat', () => {
    const { log, A, B } = teamLog();
    const own = admit(log, 'P', 'read', A.by).entry;
    const signed = (by: typeof D1, prev?: readonly string[]) =>
      log.add(by, { ...person('Q', 'read'), own }, prev);
    const ids = [signed(B.by, [own]), signed(A.by, [A.entry]), signed(A.by, [own])];
    const rules = ids.map((id) => resultOf(log).reasonOf(id)?.rule);
    expect(rules).toEqual(['F10', 'F10', undefined]);
  });

  test('[F3] is invalid if it lists an entry and a part of its past', () => {
    const { log, A, B } = teamLog();
    const id = log.add(D1, leave());
    const entries = log.entries.map((one) => (one.id === id ? { ...one, prev: [A.entry, B.entry] } : one));
    expect(evaluate(entries, START).reasonOf(id)).toEqual({ rule: 'F3' });
    const twice = log.entries.map((one) => (one.id === id ? { ...one, prev: [B.entry, B.entry] } : one));
    expect(evaluate(twice, START).reasonOf(id)).toEqual({ rule: 'F3' });
  });

  test('[F3] is ignored together with everything that follows it if it is invalid', () => {
    const { log, A } = teamLog();
    const invalid = log.add(A.by, leave(), [START]);
    const after = log.add(D1, person('P', 'read'), [invalid]);
    expect(resultOf(log).reasonOf(after)).toEqual({ rule: 'present' });
  });

  test('[T43] is ignored until its whole past arrives, and then evaluated', () => {
    const { log, A } = teamLog();
    const P = admit(log, 'P', 'read', A.by);
    const part = log.entries.filter(({ id }) => id !== A.entry);
    const found = evaluate(part, START);
    expect(found.members.map(({ name }) => name)).toEqual(['F']);
    expect(found.reasonOf(P.entry)).toEqual({ rule: 'present' });
    expect(rolesIn(log)).toHaveProperty('P', 'read');
  });

  test('[L1] is ignored in the log of another start', () => {
    const log = testLog();
    const by = { ...D1, entry: 'other' };
    log.entries.push({ ...(log.entries[0] as (typeof log.entries)[0]), ...{ id: 'other', by } } as LogEntry);
    const ids = [
      log.add(by, person('P', 'read'), ['other']),
      log.add(D1, person('Q', 'read'), [START, 'other']),
    ];
    expect(whichCount(log, ...ids)).toEqual([false, false]);
    expect(resultOf(log).members).toHaveLength(1);
    expect(evaluate([], START).members).toEqual([]);
  });
});

describe('a new entry', () => {
  test('[T44, F13] follows the newest entries that count, whatever follows them', () => {
    const { log, R } = teamLog();
    const voided = log.add(R.by, person('P', 'read'));
    expect(whichCount(log, voided)).toEqual([false]);
    expect(entriesToFollow(resultOf(log))).toEqual([R.entry]);
  });

  test('[F13] follows all heads, and no join', () => {
    const { log, A, B } = teamLog();
    const two = [log.add(A.by, leave(), [A.entry]), log.add(B.by, leave(), [B.entry])];
    const join = log.join([...two, 'e4']);
    const { heads, reasonOf } = resultOf(log);
    expect(heads).toEqual(['e4', ...two].sort());
    expect(reasonOf(join)).toBeUndefined();
  });

  test('[T82, F10, F13] follows the last entry of its signer, even if that one doesn’t count', () => {
    const { log, W, R } = teamLog();
    const own = log.add(W.by, person('P', 'read'), [W.entry]);
    expect(entriesToFollow(resultOf(log), own)).toEqual([R.entry, own]);
    const next = log.add(W.by, { ...device(W.entry, 'W2'), own }, entriesToFollow(resultOf(log), own));
    expect(whichCount(log, own, next)).toEqual([false, true]);
    expect(entriesToFollow(resultOf(log), next)).toEqual([next]);
  });

  test('[F13] follows no head that is in the past of its signer’s last entry', () => {
    const { log, W } = teamLog();
    const own = log.add(W.by, person('P', 'read'));
    expect(entriesToFollow(resultOf(log), own)).toEqual([own]);
  });
});

describe('the list of members', () => {
  test('[T84, M1] keeps persons with one user id apart, each with the admin who admitted it', () => {
    const { log, A } = teamLog();
    const P = log.add(A.by, { ...person('P', 'write'), user: 'F' });
    const { members } = resultOf(log);
    const ofFounder = members.filter(({ user }) => user === 'F');
    expect(ofFounder).toMatchObject([
      { person: P, admittedBy: A.entry, devices: ['P'] },
      { person: START, admittedBy: undefined, devices: ['D1'] },
    ]);
  });

  test('[T74, M1] loses a user whom two admins admitted only after a removal of both persons', () => {
    const { log, A, R } = teamLog();
    const ids = [D1, A.by].map((by) => log.add(by, { ...person('P', 'read'), user: 'P' }, [R.entry]));
    const usersIn = () => resultOf(log).members.filter(({ user }) => user === 'P').length;
    expect(usersIn()).toBe(2);
    for (const [left, id] of ids.entries()) {
      log.add(D1, removal(id));
      expect(usersIn()).toBe(1 - left);
    }
  });
});
