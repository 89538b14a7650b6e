/** The rules of the membership log, one by one. `evaluate-model.test.ts` tries random logs. */
import { describe, expect, test } from 'vitest';
import type { EntryId, Signer } from './entry.ts';
import { evaluate } from './evaluate.ts';
import {
  CODE,
  code,
  device,
  FOUNDER,
  person,
  removal,
  removalOfKey,
  role,
  START,
  type TestLog,
  testLog,
} from './membership.fixture.ts';

/**
 * Adds an entry of the founder that admits a person. Returns the entry, and the signers of the
 * person's device and code.
 */
function admitted(log: TestLog, name: string, as: 'read' | 'write' | 'admin', by: Signer = FOUNDER) {
  const entry = log.add(by, person(name, as));
  return { entry, by: { key: name, entry }, code: { key: `${name} code`, entry } };
}

const result = ({ entries }: TestLog) => evaluate(entries, START);
const rolesIn = (log: TestLog) =>
  Object.fromEntries(result(log).members.map(({ devices, role: has }) => [devices.join(), has]));
const whichCount = (log: TestLog, ...ids: EntryId[]) => {
  const { counts } = result(log);
  return ids.map(counts);
};

describe('the list of members', () => {
  test('begins with the founder, who admits others', () => {
    const log = testLog();
    admitted(log, 'ann', 'admin');
    admitted(log, 'bob', 'write');
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'admin', bob: 'write' });
  });

  test('contains only persons that admins admitted', () => {
    const log = testLog();
    const [ann, bob] = [admitted(log, 'ann', 'admin'), admitted(log, 'bob', 'write')];
    admitted(log, 'by ann', 'read', ann.by);
    const { entry } = admitted(log, 'by bob', 'read', bob.by);
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'admin', bob: 'write', 'by ann': 'read' });
    expect(whichCount(log, entry)).toEqual([false]);
  });

  test('removes a person who leaves with their highest key, and voids their later entries', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const before = admitted(log, 'before', 'read', ann.by);
    const second = log.add(ann.by, device(ann.entry, 'second'));
    log.add(ann.code, { kind: 'leave' });
    const late = [
      log.add(ann.by, person('late', 'read')),
      log.add({ key: 'second', entry: second }, device(ann.entry, 'third'), [second]),
    ];
    expect(rolesIn(log)).toEqual({ founder: 'admin', before: 'read' });
    expect(whichCount(log, before.entry, ...late)).toEqual([true, false, false]);
  });

  test('keeps the higher keys of a person if a thief of a lower one leaves', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const second = log.add(ann.by, device(ann.entry, 'second'));
    const leaves = [[second], [ann.entry, second]].map((prev) =>
      log.add({ key: 'second', entry: second }, { kind: 'leave' }, prev),
    );
    const later = log.add(ann.by, person('later', 'read'));
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'admin', later: 'read' });
    expect(whichCount(log, later, ...leaves)).toEqual([true, true, true]);
  });

  test('removes keys that a removed admin added to other persons, unless the removal keeps the keys', () => {
    for (const keep of [undefined, ['planted']]) {
      const log = testLog();
      const [ann, bob] = [admitted(log, 'ann', 'admin'), admitted(log, 'bob', 'write')];
      const planted = log.add(ann.by, device(bob.entry, 'planted'));
      log.add(FOUNDER, { ...removal(ann.entry), keep });
      const late = log.add({ key: 'planted', entry: planted }, device(bob.entry, 'more'));
      expect(rolesIn(log)).toEqual({ founder: 'admin', [keep ? 'bob,more,planted' : 'bob']: 'write' });
      expect(whichCount(log, planted, late)).toEqual([true, keep !== undefined]);
    }
  });

  test('voids all entries of a removed person that the removal does not follow, and keeps the others', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const known = admitted(log, 'known', 'read', ann.by);
    log.add(FOUNDER, removal(ann.entry));
    const concurrent = log.add(ann.by, person('concurrent', 'read'), [known.entry]);
    const backDated = log.add(ann.by, person('back-dated', 'read'), [ann.entry]);
    const later = log.add(ann.by, person('later', 'read'));
    expect(whichCount(log, known.entry, concurrent, backDated, later)).toEqual([true, false, false, false]);
    expect(rolesIn(log)).toEqual({ founder: 'admin', known: 'read' });
  });

  test('keeps persons whom a removed admin admitted if the removal follows their admission', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const bob = admitted(log, 'bob', 'admin', ann.by);
    log.add(FOUNDER, removal(ann.entry), [bob.entry]);
    admitted(log, 'by bob', 'write', bob.by);
    expect(rolesIn(log)).toEqual({ founder: 'admin', bob: 'admin', 'by bob': 'write' });
  });
});

describe('a conflict between two persons', () => {
  test('is won by the admin who was admitted earlier', () => {
    const log = testLog();
    const [ann, bob] = [admitted(log, 'ann', 'admin'), admitted(log, 'bob', 'admin')];
    const fromBob = log.add(bob.by, removal(ann.entry), [bob.entry]);
    const fromAnn = log.add(ann.by, removal(bob.entry), [bob.entry]);
    expect(whichCount(log, fromAnn, fromBob)).toEqual([true, false]);
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'admin' });
  });

  test('has one result even if their ranks differ only by the hash', () => {
    for (const [annId, bobId] of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const log = testLog((n) => [annId, bobId][n - 1] ?? `e${n}`);
      const ann = log.add(FOUNDER, person('ann', 'admin'), [START]);
      const bob = log.add(FOUNDER, person('bob', 'admin'), [START]);
      log.add({ key: 'ann', entry: ann }, removal(bob), [ann, bob]);
      log.add({ key: 'bob', entry: bob }, removal(ann), [ann, bob]);
      expect(rolesIn(log)).toEqual({ founder: 'admin', [annId === 'a' ? 'ann' : 'bob']: 'admin' });
    }
  });

  test('never removes the founder, or an admin whom a lower admin tries to remove', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const junior = admitted(log, 'junior', 'admin', ann.by);
    const tries = [
      log.add(ann.by, removal(START)),
      log.add(ann.by, role(START, 'read')),
      log.add(ann.by, removalOfKey(FOUNDER.key)),
      log.add(junior.by, removal(ann.entry)),
      log.add(junior.by, device(ann.entry, 'planted')),
      log.add(junior.by, code(ann.entry, 'planted code')),
    ];
    expect(whichCount(log, ...tries)).toEqual(tries.map(() => false));
  });
});

describe('a rank', () => {
  test('is higher with fewer persons between the person and the founder, even if the path in the log is longer', () => {
    const log = testLog();
    const bob = log.add(FOUNDER, person('bob', 'admin'), [START]);
    const carl = log.add({ key: 'bob', entry: bob }, person('carl', 'admin'), [bob]);
    for (const name of ['x', 'y', 'z']) admitted(log, name, 'read');
    const ann = admitted(log, 'ann', 'admin');
    const [up, down] = [
      log.add({ key: 'carl', entry: carl }, removal(ann.entry), [ann.entry]),
      log.add(ann.by, removal(carl), [ann.entry]),
    ];
    expect(whichCount(log, up, down)).toEqual([false, true]);
  });
});

describe('a role', () => {
  test('ends with a demotion, which voids all admin entries that it does not follow', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const seen = log.add(ann.by, person('seen', 'read'));
    log.add(FOUNDER, role(ann.entry, 'write'), [seen]);
    const unseen = log.add(ann.by, person('unseen', 'read'), [seen]);
    const after = log.add(ann.by, person('after', 'read'));
    expect(whichCount(log, seen, unseen, after)).toEqual([true, false, false]);
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'write', seen: 'read' });
  });

  test('returns with a later entry that gives it again', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    log.add(FOUNDER, role(ann.entry, 'read'));
    const again = log.add(FOUNDER, role(ann.entry, 'admin'));
    const before = log.add(ann.by, person('before', 'read'), [ann.entry]);
    const after = log.add(ann.by, person('after', 'read'), [again]);
    expect(whichCount(log, before, after)).toEqual([false, true]);
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'admin', after: 'read' });
  });

  test('is the lower one if one admin raises and another lowers it at the same time', () => {
    const log = testLog();
    const [ann, bob] = [admitted(log, 'ann', 'admin'), admitted(log, 'bob', 'write')];
    log.add(ann.by, role(bob.entry, 'admin'), [bob.entry]);
    log.add(FOUNDER, role(bob.entry, 'read'), [bob.entry]);
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'admin', bob: 'read' });
  });

  test('is changed only by admins of a higher rank', () => {
    const log = testLog();
    const [ann, bob] = [admitted(log, 'ann', 'write'), admitted(log, 'bob', 'admin')];
    const tries = [log.add(bob.by, role(ann.entry, 'admin')), log.add(ann.by, role(bob.entry, 'read'))];
    expect(whichCount(log, ...tries)).toEqual([false, false]);
  });
});

describe('a device or recovery code', () => {
  test('is added by its person, and removed by higher ones of the person', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'write');
    const second = log.add(ann.by, device(ann.entry, 'second'));
    const stolen = { key: 'second', entry: second };
    log.add(stolen, device(ann.entry, 'third'));
    const up = log.add(stolen, removalOfKey('ann'));
    log.add(ann.by, removalOfKey('second'), [second]);
    expect(whichCount(log, up)).toEqual([false]);
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'write' });
  });

  test('ranks below the device that added it, whatever the hashes', () => {
    const log = testLog((n) => `${9 - n}`);
    const ann = admitted(log, 'ann', 'write');
    const second = log.add(ann.by, device(ann.entry, 'second'));
    const third = log.add({ key: 'second', entry: second }, device(ann.entry, 'third'));
    const up = log.add({ key: 'third', entry: third }, removalOfKey('second'), [third]);
    const down = log.add({ key: 'second', entry: second }, removalOfKey('third'), [third]);
    expect(whichCount(log, up, down)).toEqual([false, true]);
  });

  test('can be added as a code only by a code or a higher admin, and so never by a stolen device', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const tries = [
      log.add(ann.by, code(ann.entry, 'of the thief')),
      log.add(ann.code, code(ann.entry, 'new code')),
      log.add(FOUNDER, code(ann.entry, 'of the founder')),
      log.add(FOUNDER, code(START, 'of the thief of the founder')),
      log.add(CODE, code(START, 'new code of the founder')),
    ];
    expect(whichCount(log, ...tries)).toEqual([false, true, true, false, true]);
  });

  test('is removed by a code even if it is the oldest device', () => {
    const log = testLog();
    log.add(CODE, removalOfKey(FOUNDER.key));
    const late = log.add(FOUNDER, person('late', 'read'));
    log.add(CODE, device(START, 'new device'));
    expect(whichCount(log, late)).toEqual([false]);
    expect(rolesIn(log)).toEqual({ 'new device': 'admin' });
  });

  test('ends together with its person', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const second = log.add(ann.by, device(ann.entry, 'second'));
    log.add(FOUNDER, removal(ann.entry));
    const late = log.add({ key: 'second', entry: second }, person('late', 'read'), [second]);
    expect(whichCount(log, late)).toEqual([false]);
    expect(result(log).writesOf('second')).toEqual([{ since: [ann.entry], ends: ['e3'], losses: [] }]);
  });

  test('belongs to one person, even if two persons add it', () => {
    const log = testLog();
    const [ann, bob] = [admitted(log, 'ann', 'write'), admitted(log, 'bob', 'write')];
    log.add(bob.by, device(bob.entry, 'shared'));
    log.add(ann.by, device(ann.entry, 'shared'));
    expect(rolesIn(log)).toEqual({ founder: 'admin', 'ann,shared': 'write', bob: 'write' });
  });

  test('cannot return after its removal, neither to its person nor to another', () => {
    const log = testLog();
    const [ann, bob] = [admitted(log, 'ann', 'write'), admitted(log, 'bob', 'write')];
    const stolen = log.add(ann.by, device(ann.entry, 'stolen'));
    log.add(ann.by, removalOfKey('stolen'));
    log.add(ann.by, device(ann.entry, 'stolen'));
    const again = log.add(bob.by, device(bob.entry, 'stolen'));
    const late = log.add({ key: 'stolen', entry: again }, device(bob.entry, 'more'));
    expect(rolesIn(log)).toEqual({ founder: 'admin', ann: 'write', bob: 'write' });
    expect(whichCount(log, stolen, late)).toEqual([true, false]);
  });

  test('ends when it names another code as its successor, and voids its entries that do not know the successor', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const next = log.add(ann.code, code(ann.entry, 'next'));
    const leaked = [
      log.add(ann.code, device(ann.entry, 'of the thief'), [ann.entry]),
      log.add(ann.code, removalOfKey('ann')),
    ];
    const own = log.add({ key: 'next', entry: next }, device(ann.entry, 'second'));
    expect(whichCount(log, ...leaked, own)).toEqual([false, false, true]);
    expect(result(log).members.find((one) => one.person === ann.entry)?.codes).toEqual(['next']);
  });
});

describe('the right to write', () => {
  test('belongs to the devices of writers and admins', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'write');
    admitted(log, 'bob', 'read');
    const { writesOf } = result(log);
    const right = { since: [ann.entry], ends: [], losses: [] };
    expect([writesOf('ann'), writesOf('bob'), writesOf('nobody')]).toEqual([[right], [], []]);
  });

  test('lists the entries that ended it, and those that gave it again', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'write');
    const lower = log.add(FOUNDER, role(ann.entry, 'read'));
    const again = log.add(FOUNDER, role(ann.entry, 'admin'));
    const removed = log.add(FOUNDER, removal(ann.entry));
    // The removal did not know that the person had left.
    const left = log.add(ann.by, { kind: 'leave' }, [ann.entry]);
    expect(whichCount(log, left)).toEqual([false]);
    expect(result(log).writesOf('ann')).toEqual([
      { since: [ann.entry, again], ends: [removed], losses: [{ id: lower, again: [again] }] },
    ]);
  });
});

describe('an entry', () => {
  test('is left out until everything before it has arrived', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    admitted(log, 'bob', 'read', ann.by);
    const withoutAnn = log.entries.filter(({ id }) => id !== ann.entry);
    expect(evaluate(withoutAnn, START).members).toHaveLength(1);
  });

  test('counts only in the log of its `start`', () => {
    const log = testLog();
    log.entries.push({ ...(log.entries[0] as (typeof log.entries)[0]), id: 'other start' });
    const other = log.add({ key: FOUNDER.key, entry: 'other start' }, person('ann', 'admin'), [
      'other start',
    ]);
    expect(whichCount(log, other)).toEqual([false]);
    expect(rolesIn(log)).toEqual({ founder: 'admin' });
  });

  test('counts only if the entry that introduced its signer is in its past', () => {
    const log = testLog();
    const ann = admitted(log, 'ann', 'admin');
    const early = log.add(ann.by, person('early', 'read'), [START]);
    const second = log.add(ann.by, device(ann.entry, 'second'));
    const bySecond = log.add({ key: 'second', entry: second }, device(ann.entry, 'third'), [ann.entry]);
    expect(whichCount(log, early, bySecond)).toEqual([false, false]);
  });
});
