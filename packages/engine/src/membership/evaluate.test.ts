/** Which entries count: the cases T1 to T37 of docs/internals/membership-rules.md. */

import type { SeatName } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import {
  addDevice,
  admit,
  C0,
  code,
  currentIn,
  D1,
  device,
  leave,
  person,
  removal,
  removalOfKey,
  resultOf,
  role,
  rolesIn,
  rotation,
  START,
  teamLog,
  testLog,
  whichCount,
} from './membership.fixture.ts';

const TEAM = { F: 'admin', A: 'admin', B: 'admin', W: 'write', R: 'read' };
const without = (...names: (keyof typeof TEAM)[]) =>
  Object.fromEntries(Object.entries(TEAM).filter(([name]) => !(names as string[]).includes(name)));

describe('persons', () => {
  test('[T1, C11, F9] lets the founder remove a person whom an admin admitted', () => {
    const { log, A } = teamLog();
    const P = admit(log, 'P', 'write', A.by);
    log.add(D1, removal(P.entry));
    expect(rolesIn(log)).toEqual(TEAM);
  });

  test('[T2, C10, F9] lets the founder lower the role of a person whom an admin admitted', () => {
    const { log, A } = teamLog();
    const P = admit(log, 'P', 'write', A.by);
    log.add(D1, role(P.entry, 'read'));
    expect(rolesIn(log)).toEqual({ ...TEAM, P: 'read' });
  });

  test('[T3, C6] ignores a person whom a writer admits', () => {
    const { log, W } = teamLog();
    const P = admit(log, 'P', 'read', W.by);
    expect(rolesIn(log)).toEqual(TEAM);
    expect(resultOf(log).reasonOf(P.entry)).toEqual({ rule: 'C6' });
  });

  test('[T4, C1] keeps persons whom the removal of their admin had seen, and no others', () => {
    const { log, A } = teamLog();
    admit(log, 'P', 'read', A.by);
    const end = log.add(D1, removal(A.entry));
    const Q = admit(log, 'Q', 'read', A.by, [A.entry]);
    expect(rolesIn(log)).toEqual({ ...without('A'), P: 'read' });
    expect(resultOf(log).reasonOf(Q.entry)).toEqual({ rule: 'C1', entry: end });
  });

  test('[T5, C1] voids a device that a removed person adds', () => {
    const { log, A } = teamLog();
    log.add(D1, removal(A.entry));
    const late = log.add(A.by, device(A.entry, 'A2'), [A.entry]);
    expect(whichCount(log, late)).toEqual([false]);
    expect(rolesIn(log)).toEqual(without('A'));
  });

  test('[T6, C1, H1] removes only the lower one of two admins who remove each other', () => {
    const { log, A, B } = teamLog();
    const prev = [A.entry, B.entry];
    const ids = [log.add(A.by, removal(B.entry), prev), log.add(B.by, removal(A.entry), prev)];
    expect(whichCount(log, ...ids)).toEqual([true, false]);
    expect(rolesIn(log)).toEqual(without('B'));
  });

  test('[T7, C11] ignores entries against persons of a higher rank', () => {
    const { log, A, B } = teamLog();
    const ids = [
      log.add(A.by, removal(START)),
      log.add(B.by, removal(A.entry)),
      log.add(A.by, role(START, 'read')),
    ];
    expect(whichCount(log, ...ids)).toEqual([false, false, false]);
    expect(rolesIn(log)).toEqual(TEAM);
  });

  test('[T8, C8] ignores a device that an admin adds to a person of a higher rank', () => {
    const { log, A, B } = teamLog();
    const planted = log.add(B.by, device(A.entry, 'planted'));
    expect(resultOf(log).reasonOf(planted)).toEqual({ rule: 'C8' });
  });
});

describe('seats of one key', () => {
  test('[T9, C3] keeps the work of a removed admin if somebody else adds the same key', () => {
    const log = testLog();
    const R = admit(log, 'R', 'read');
    const A = admit(log, 'A', 'admin');
    admit(log, 'P', 'write', A.by);
    log.add(D1, removal(A.entry));
    log.add(R.by, device(R.entry, 'A'));
    expect(rolesIn(log)).toEqual({ F: 'admin', R: 'read', P: 'write' });
  });

  test('[T10, C3] lets a removed person return with the same device', () => {
    const { log, W } = teamLog();
    log.add(D1, removal(W.entry));
    const again = admit(log, 'W', 'write');
    const { members } = resultOf(log);
    expect(members.find(({ name }) => name === 'W')).toMatchObject({ person: again.entry, devices: ['W'] });
  });

  test('[T11, C3, C12] keeps a removed key removed if its person adds it again', () => {
    const { log } = teamLog();
    log.add(D1, device(START, 'K'));
    log.add(D1, removalOfKey('K'));
    const again = log.add(D1, device(START, 'K'));
    expect(whichCount(log, again)).toEqual([true]);
    expect(currentIn(log)).not.toContain('K');
  });

  test('[T12, C3, C12] gives a key that its person removed only the rights of the next person', () => {
    const { log, W, R } = teamLog();
    log.add(W.by, device(W.entry, 'K'));
    log.add(W.by, removalOfKey('K'));
    log.add(R.by, device(R.entry, 'K'));
    const { members } = resultOf(log);
    expect(members.filter(({ devices }) => devices.includes('K'))).toMatchObject([
      { person: R.entry, role: 'read' },
    ]);
  });
});

describe('descendants of a removed seat', () => {
  test.each([
    ['[T13, C2] ends the devices that a removed device added', [], ['W']],
    ['[T14, C2] keeps a device that the removal keeps', ['W3'], ['W', 'W3', 'W4']],
  ])('%s', (_, keep, expected) => {
    const { log, W } = teamLog();
    const W2 = addDevice(log, W.entry, 'W2', W.by);
    const W3 = addDevice(log, W.entry, 'W3', W2);
    log.add(W.by, removalOfKey('W2', keep));
    const late = log.add(W3, device(W.entry, 'W4'), [W3.entry]);
    expect(currentIn(log).filter((key) => key.startsWith('W'))).toEqual(expected);
    expect(whichCount(log, late)).toEqual([keep.length > 0]);
  });

  test.each([
    ['[T15, C2] ends the devices that a removed admin added to somebody else, at any distance', [], false],
    ['[T16, C2] keeps such a device and those that it added if the removal keeps it', ['k1'], true],
  ])('%s', (_, keep, isKept) => {
    const { log, A } = teamLog();
    const B2 = admit(log, 'B2', 'admin', A.by);
    const k1 = addDevice(log, B2.entry, 'k1', A.by);
    const k2 = addDevice(log, B2.entry, 'k2', k1);
    log.add(D1, removal(A.entry, keep));
    admit(log, 'P', 'read', k2);
    expect(currentIn(log).filter((key) => key.startsWith('k'))).toEqual(isKept ? ['k1', 'k2'] : []);
    expect(rolesIn(log)).toEqual({ ...without('A'), B2: 'admin', ...(isKept && { P: 'read' }) });
  });

  test('[T17, C2] ends the own device of a removed person, even if the removal keeps it', () => {
    const { log, A } = teamLog();
    log.add(D1, removal(A.entry, ['A']));
    expect(rolesIn(log)).toEqual(without('A'));
  });

  test('[T18, C2] keeps the persons whom a removed admin admitted', () => {
    const { log, A } = teamLog();
    const P = admit(log, 'P', 'admin', A.by);
    admit(log, 'Q', 'read', P.by);
    log.add(D1, removal(A.entry));
    expect(rolesIn(log)).toEqual({ ...without('A'), P: 'admin', Q: 'read' });
  });
});

describe('a person who leaves', () => {
  test('[T19, C4] keeps the earlier work, whatever the person signs later', () => {
    const { log, A, W } = teamLog();
    const end = log.add(A.by, removal(W.entry));
    log.add(A.by, leave());
    log.add(A.by, leave(), [A.entry]);
    expect(whichCount(log, end)).toEqual([true]);
    expect(rolesIn(log)).not.toHaveProperty('W');
  });

  test('[T20, C4] admits nobody afterwards', () => {
    const { log, A } = teamLog();
    const left = log.add(A.by, leave());
    const P = admit(log, 'P', 'read', A.by);
    expect(rolesIn(log)).toMatchObject({ A: 'admin', F: 'admin' });
    expect(currentIn(log)).not.toContain('A');
    expect(resultOf(log).reasonOf(P.entry)).toEqual({ rule: 'C4', entry: left });
  });

  test('[T21, C4] admits nobody with an older past, once a removal confirmed the leave', () => {
    const { log, A } = teamLog();
    log.add(A.by, leave());
    log.add(D1, removal(A.entry));
    admit(log, 'P', 'read', A.by, [A.entry]);
    expect(rolesIn(log)).toEqual(without('A'));
  });

  test('[T22, C4] can continue with a device that the recovery code adds', () => {
    const { log } = teamLog();
    log.add(D1, leave(true));
    const D9 = addDevice(log, START, 'D9', C0);
    admit(log, 'P', 'read', D9);
    expect(rolesIn(log)).toEqual({ ...TEAM, P: 'read' });
    expect(currentIn(log)).toContain('D9');
    expect(currentIn(log)).not.toContain('D1');
  });

  test.each([
    ['[T23, C4] keeps the lower devices unless it leaves with all', 'A', false, ['D2']],
    ['[T24, C4] keeps the higher devices', 'D2', true, ['A']],
    ['[C4] ends the lower devices if it leaves with all', 'A', true, []],
  ])('%s', (_, by, all, expected) => {
    const { log, A } = teamLog();
    const D2 = addDevice(log, A.entry, 'D2', A.by);
    const ended = log.add(by === 'A' ? A.by : D2, leave(all));
    const late = log.add(D2, device(A.entry, 'D3'), [D2.entry]);
    expect(currentIn(log).filter((key) => ['A', 'D2'].includes(key))).toEqual(expected);
    const isVoid = expected.length === 0;
    expect(resultOf(log).reasonOf(late)).toEqual(isVoid ? { rule: 'C4', entry: ended } : undefined);
  });
});

describe('a recovery code', () => {
  const codesOf = (log: Parameters<typeof currentIn>[0]) =>
    currentIn(log).filter((key) => /^(C\d|D8|D9)$/.test(key));

  test('[T25, C5] ends when it names its successor, with everything that it signs with an older past', () => {
    const { log } = teamLog();
    log.add(C0, code(START, 'C1', D1));
    log.add(C0, device(START, 'D8'), [START]);
    expect(codesOf(log)).toEqual(['C1']);
  });

  test('[T26, C5] cannot name a successor alone', () => {
    const { log } = teamLog();
    const C1 = log.add(C0, code(START, 'C1'));
    expect(resultOf(log).reasonOf(C1)).toEqual({ rule: 'C9' });
    expect(codesOf(log)).toEqual(['C0']);
  });

  test('[T27, C5] cannot replace its successor with the help of a device that it added itself', () => {
    const { log } = teamLog();
    log.add(C0, code(START, 'C1', D1));
    const D8 = addDevice(log, START, 'D8', C0, [START]);
    log.add(C0, code(START, 'C2', D8), [D8.entry]);
    expect(codesOf(log)).toEqual(['C1']);
  });

  test('[T28, C5] is spent if it names two successors at the same time, and none of them counts', () => {
    const { log } = teamLog();
    const C1 = log.add(C0, code(START, 'C1', D1));
    const C2 = log.add(C0, code(START, 'C2', D1), [START]);
    expect(codesOf(log)).toEqual([]);
    expect(resultOf(log).reasonOf(C1)).toEqual({ rule: 'C5', entry: C2 });
  });

  test('[T29, C5] keeps its first successor if it names another one afterwards', () => {
    const { log } = teamLog();
    log.add(C0, code(START, 'C1', D1));
    log.add(C0, code(START, 'C2', D1));
    expect(codesOf(log)).toEqual(['C1']);
  });

  test('[T30, C5] cannot name a successor with a device that it added', () => {
    const { log } = teamLog();
    const D9 = addDevice(log, START, 'D9', C0);
    const D8 = addDevice(log, START, 'D8', D9);
    const tries = [D9, D8].map((by) => log.add(C0, code(START, 'C1', by)));
    expect(whichCount(log, ...tries)).toEqual([false, false]);
    expect(codesOf(log)).toEqual(['C0', 'D8', 'D9']);
  });

  test('[C5] cannot name a successor with a device of somebody else', () => {
    const { log, A } = teamLog();
    expect(whichCount(log, log.add(C0, code(START, 'C1', A.by)))).toEqual([false]);
  });

  test('[T31, C9] is never named by a device of the person, or by a lower admin', () => {
    const { log, A, B } = teamLog();
    const tries = [log.add(D1, code(START, 'C1')), log.add(B.by, code(A.entry, 'C2'))];
    expect(whichCount(log, ...tries)).toEqual([false, false]);
  });

  test('[T32, C9, M2] removes the code that an admin names, unless the admin removes it first', () => {
    const { log, W } = teamLog();
    const ids = [log.add(D1, code(W.entry, 'C9')), log.add(W.code, removalOfKey('C9'))];
    expect(whichCount(log, ...ids)).toEqual([true, true]);
    expect(codesOf(log)).toEqual(['C0']);

    const right = teamLog();
    right.log.add(D1, removalOfKey(right.W.code.key));
    right.log.add(D1, code(right.W.entry, 'C9'));
    right.log.add(right.W.code, removalOfKey('C9'), [right.W.entry]);
    expect(codesOf(right.log)).toEqual(['C0', 'C9']);
  });

  test('[T81, C4, C5] can name its successor after it left', () => {
    const { log } = teamLog();
    log.add(C0, leave());
    log.add(C0, code(START, 'C1', D1));
    expect(codesOf(log)).toEqual(['C1']);
  });
});

describe('a role', () => {
  test('[T33] is the lower one if two admins change it at the same time', () => {
    const { log, A, W } = teamLog();
    log.add(D1, role(W.entry, 'admin'), [W.entry]);
    log.add(A.by, role(W.entry, 'read'), [W.entry]);
    expect(rolesIn(log)).toEqual({ ...TEAM, W: 'read' });
  });

  test('[T34] ends with an entry that lowers it, which voids the entries that it had not seen', () => {
    const { log, A } = teamLog();
    const seen = admit(log, 'seen', 'read', A.by);
    log.add(D1, role(A.entry, 'write'));
    const P = admit(log, 'P', 'read', A.by, [A.entry]);
    const Q = admit(log, 'Q', 'read', A.by);
    expect(whichCount(log, seen.entry, P.entry, Q.entry)).toEqual([true, false, false]);
    expect(rolesIn(log)).toEqual({ ...TEAM, A: 'write', seen: 'read' });
  });

  test('[T35] returns with a later entry, for what follows this entry', () => {
    const { log, A } = teamLog();
    log.add(D1, role(A.entry, 'read'));
    log.add(D1, role(A.entry, 'admin'));
    const early = admit(log, 'early', 'read', A.by, [A.entry]);
    admit(log, 'P', 'read', A.by);
    expect(rolesIn(log)).toEqual({ ...TEAM, P: 'read' });
    expect(whichCount(log, early.entry)).toEqual([false]);
  });

  test('[T36, C14] comes from no entry about a person whose admission is void', () => {
    const { log, A } = teamLog();
    log.add(D1, removal(A.entry), [A.entry]);
    const P = admit(log, 'P', 'read', A.by, [A.entry]);
    const PD = addDevice(log, P.entry, 'PD', D1);
    const late = log.add(PD, leave());
    expect(whichCount(log, PD.entry)).toEqual([true]);
    expect(resultOf(log).reasonOf(late)).toEqual({ rule: 'C14' });
    expect(rolesIn(log)).toEqual(without('A'));
  });

  test('[T37, C6, C10] is `admin` only if somebody compared a code of the person', () => {
    const { log } = teamLog();
    const ids = [log.add(D1, person('Q', 'admin', false)), log.add(D1, person('P', 'read', false))];
    const [, P] = ids as [string, string];
    expect(whichCount(log, ...ids)).toEqual([false, true]);
    const blind = log.add(D1, role(P, 'admin', false));
    expect(rolesIn(log)).toMatchObject({ P: 'read' });
    const compared = log.add(D1, role(P, 'admin'));
    expect(whichCount(log, blind, compared)).toEqual([false, true]);
    expect(rolesIn(log)).toMatchObject({ P: 'admin' });
  });

  test('[C10] is `admin` without a second comparison if the admission had one', () => {
    const { log, W } = teamLog();
    log.add(D1, role(W.entry, 'admin', false));
    expect(rolesIn(log)).toMatchObject({ W: 'admin' });
  });

  test('[T79, C7] matters only for the rotation of a removal, not for the removal', () => {
    const { log, W } = teamLog();
    const W2 = addDevice(log, W.entry, 'W2', W.by);
    log.add(D1, role(W.entry, 'read'));
    const end = log.add(W.by, { ...removalOfKey('W2'), ...{ rotation: { key: 'k', record: 'r' } } }, [
      W2.entry,
    ]);
    expect(whichCount(log, end, log.add(W.by, rotation('key 1')))).toEqual([true, false]);
    expect(currentIn(log)).not.toContain('W2');
  });
});

describe('a rank', () => {
  const removeEachOther = (first: SeatName, second: SeatName, log: ReturnType<typeof testLog>) => {
    const prev = [first.entry, second.entry];
    return whichCount(
      log,
      log.add(first, removal(second.entry), prev),
      log.add(second, removal(first.entry), prev),
    );
  };

  test('[H1] depends on the persons up to the founder before it depends on the path', () => {
    const log = testLog();
    const P = admit(log, 'P', 'admin', D1, [START]);
    const Q = admit(log, 'Q', 'admin', P.by, [P.entry]);
    for (const name of ['x', 'y', 'z']) admit(log, name, 'read');
    const late = admit(log, 'late', 'admin');
    expect(removeEachOther(Q.by, late.by, log)).toEqual([false, true]);
  });

  test.each([['a'], ['c']])('[H1] depends on the hash if all else is equal: %s', (id) => {
    const log = testLog((n) => [id, 'b'][n - 1] ?? `e${n}`);
    const P = admit(log, 'P', 'admin', D1, [START]);
    const Q = admit(log, 'Q', 'admin', D1, [START]);
    expect(removeEachOther(P.by, Q.by, log)).toEqual([id === 'a', id !== 'a']);
  });

  test('[H2] is higher for a code than for the oldest device, and for a device than for those that it added', () => {
    const log = testLog((n) => `${9 - n}`);
    const D2 = addDevice(log, START, 'D2', D1);
    const D3 = addDevice(log, START, 'D3', D2);
    const tries = [log.add(D3, removalOfKey('D2')), log.add(D1, removalOfKey('C0'))];
    expect(whichCount(log, ...tries)).toEqual([false, false]);
    const ids = [log.add(D2, removalOfKey('D3')), log.add(C0, removalOfKey('D1'))];
    expect(whichCount(log, ...ids)).toEqual([true, true]);
    // The code ends the line of D1, too.
    expect(currentIn(log)).toEqual(['C0']);
  });
});
