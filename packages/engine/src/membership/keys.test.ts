/** Data keys: the cases T46 to T54, T78 and T80 of docs/internals/membership-rules.md. */

import type { EntryId, LogEntry } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';
import { keyStateOf, type RecipientChecks, type RotationRecord, recipientsIn } from './keys.ts';
import {
  addDevice,
  admit,
  C0,
  code,
  D1,
  device,
  keys,
  leave,
  removal,
  removalOfKey,
  resultOf,
  role,
  rotation,
  START,
  type TestLog,
  teamLog,
  testLog,
  whichCount,
} from './membership.fixture.ts';

const SEALS_OF_TEAM = ['C0', 'D1', 'code of A', 'A', 'code of B', 'B', 'code of W', 'W', 'code of R', 'R'];
const sealsOf = (names: readonly string[]) => names.map((name) => keys(name).seal);

/** Returns the recipients of the rotation in an entry. */
const recipientsOf = ({ entries }: TestLog, id: EntryId) => {
  const { past } = evaluate(entries, START);
  return recipientsIn(evaluate(past.upTo(id), START));
};

/** Returns the key state if all records have the right recipients, except for changes. */
function stateOf(
  log: TestLog,
  {
    changes = {},
    entries = log.entries,
    checks,
  }: {
    changes?: Record<string, Partial<RotationRecord> | undefined>;
    entries?: readonly LogEntry[];
    checks?: RecipientChecks;
  } = {},
) {
  const membership = evaluate(entries, START);
  const recordOf = (hash: string): RotationRecord | undefined => {
    const entry = membership.past.entries.find(
      (one) => 'rotation' in one && one.rotation?.record === hash,
    ) as LogEntry;
    const key = hash.replace('record of ', '');
    if (key in changes && changes[key] === undefined) return undefined;
    return { key, recipients: recipientsOf(log, entry.id), isUsable: true, ...changes[key] };
  };
  return keyStateOf(membership, START, recordOf, checks);
}

/** Returns checks that know only notes of this test, and the list of these notes. */
function notedChecks() {
  const noted: string[] = [];
  const checks: RecipientChecks = {
    isRight: (entry, hash) => noted.includes(`${entry} ${hash}`),
    noteRight: (entry, hash) => void noted.push(`${entry} ${hash}`),
  };
  return { noted, checks };
}

const withRotation = (key: string) => ({ rotation: { key, record: `record of ${key}` } });

describe('the list of recipients of a new data key', () => {
  test('[T46] contains all current seats, without the ones that the entry itself removes', () => {
    const { log, W } = teamLog();
    addDevice(log, W.entry, 'W2', W.by);
    const end = log.add(W.by, { ...removalOfKey('W2'), ...withRotation('k1') });
    expect(recipientsOf(log, end)).toEqual(sealsOf(SEALS_OF_TEAM));
    expect(stateOf(log)).toEqual({ key: 'k1', entry: end, back: ['k1'], isStale: false });
  });

  test('[T46] depends on the past of the entry only', () => {
    const { log, W, R } = teamLog();
    const id = log.add(D1, rotation('k1'), [W.entry]);
    log.add(D1, removal(W.entry), [R.entry]);
    expect(recipientsOf(log, id)).toEqual(sealsOf(SEALS_OF_TEAM.slice(0, 8)));
    expect(stateOf(log)).toMatchObject({ key: 'k1', isStale: true });
  });

  test('[T47] contains the 16 highest seats of each person', () => {
    const log = testLog();
    for (let n = 2; n <= 17; n++) addDevice(log, START, `D${n}`, D1);
    const W = admit(log, 'W', 'write');
    const expected = ['C0', ...Array.from({ length: 15 }, (_, n) => `D${n + 1}`), 'code of W', 'W'];
    expect(recipientsOf(log, W.entry)).toEqual(sealsOf(expected));
  });

  test('[T48] contains the 200 highest seats', () => {
    const log = testLog();
    for (let n = 1; n <= 104; n++) admit(log, `P${n}`, 'read');
    const found = recipientsOf(log, log.entries.at(-1)?.id as string);
    expect(found).toHaveLength(200);
    expect(found.slice(-2)).toEqual(sealsOf(['code of P99', 'P99']));
  });

  test('[T80] contains a sealing key once if two current seats have it', () => {
    const { log, W, R } = teamLog();
    const id = log.add(R.by, { ...device(R.entry, 'R2'), device: { sign: 'R2', seal: keys('W').seal } });
    expect(recipientsOf(log, id)).toEqual(sealsOf(SEALS_OF_TEAM));
    expect(W.by.key).toBe('W');
  });
});

describe('the current data key', () => {
  test('[D1] is that of the start, until a seat ends', () => {
    const { log, W } = teamLog();
    expect(stateOf(log)).toEqual({ key: 'key 0', entry: START, back: ['key 0'], isStale: false });
    log.add(W.by, leave());
    expect(stateOf(log)).toMatchObject({ key: 'key 0', isStale: true });
  });

  test('[T49, D1, C7] is renewed by a writer if nobody else is online', () => {
    const { log, W, R } = teamLog();
    addDevice(log, R.entry, 'R2', R.by);
    log.add(R.by, removalOfKey('R2'));
    expect(stateOf(log)?.isStale).toBe(true);
    const id = log.add(W.by, rotation('k1'));
    expect(stateOf(log)).toEqual({ key: 'k1', entry: id, back: ['k1'], isStale: false });
  });

  test('[T50, C7] is never renewed by a reader', () => {
    const { log, R } = teamLog();
    const id = log.add(R.by, rotation('k1'));
    expect(resultOf(log).reasonOf(id)).toEqual({ rule: 'C7' });
    expect(stateOf(log)?.key).toBe('key 0');
  });

  test('[T51] skips one whose record this device can’t use, until the next one', () => {
    const { log, A, W } = teamLog();
    log.add(A.by, rotation('k1'));
    const changes = { k1: { isUsable: false } };
    expect(stateOf(log)?.key).toBe('k1');
    expect(stateOf(log, { changes })?.key).toBe('key 0');
    log.add(W.by, rotation('k2'));
    expect(stateOf(log, { changes })?.key).toBe('k2');
    expect(stateOf(log)?.key).toBe('k2');
  });

  test.each([
    ['is missing', undefined],
    ['has another key', { key: 'k9' }],
    ['has other recipients', { recipients: sealsOf(['D1']) }],
    ['has recipients in another order', { recipients: sealsOf([...SEALS_OF_TEAM].reverse()) }],
  ])('[T51] skips one whose record %s', (_, change) => {
    const { log, W } = teamLog();
    log.add(W.by, rotation('k1'));
    expect(stateOf(log, { changes: { k1: change } })?.key).toBe('key 0');
  });

  test('checks the recipients of a record once, and notes only right ones', () => {
    const { log, A, W } = teamLog();
    const [first, wrong] = [log.add(W.by, rotation('k1')), log.add(A.by, rotation('k2'))];
    const { noted, checks } = notedChecks();
    const changes = { k2: { recipients: sealsOf(['D1']) } };
    for (let times = 0; times < 2; times++) {
      expect(stateOf(log, { changes, checks })?.entry).toBe(first);
      expect(noted).toEqual([`${first} record of k1`]);
    }
    // A note for one entry counts for no other one, and for no other record.
    noted.push(`${wrong} record of k1`, `${first} record of k2`);
    expect(stateOf(log, { changes, checks })?.entry).toBe(first);
    // Without its key, a right record is still of no use.
    expect(stateOf(log, { changes: { ...changes, k1: { isUsable: false } }, checks })?.entry).toBe(START);
  });

  test('[T51] skips one that was used before', () => {
    const { log, W } = teamLog();
    log.add(W.by, { kind: 'key', rotation: { key: 'key 0', record: 'record of key 0' } });
    expect(stateOf(log)?.entry).toBe(START);
    const first = log.add(W.by, rotation('k1'));
    log.add(W.by, { kind: 'key', rotation: { key: 'k1', record: 'another record' } });
    expect(stateOf(log, { changes: { 'another record': { key: 'k1' } } })?.entry).toBe(first);
  });

  test('[T52] is that of a removed admin only until the removal arrives', () => {
    const { log, A, R } = teamLog();
    const before = log.entries.length;
    const end = log.add(D1, { ...removal(A.entry), ...withRotation('k1') });
    const late = log.add(A.by, rotation('k2'), [R.entry]);
    const part = log.entries.filter(({ id }, at) => at < before || id === late);
    expect(stateOf(log, { entries: part })?.key).toBe('k2');
    expect(stateOf(log)).toEqual({ key: 'k1', entry: end, back: ['k1'], isStale: false });
  });

  test('[T53, M4] goes on to a person whose removal stopped counting', () => {
    const { log, A, W } = teamLog();
    const end = log.add(D1, removal(A.entry), [W.entry]);
    const stopped = log.add(A.by, removal(W.entry), [W.entry]);
    expect(whichCount(log, end, stopped)).toEqual([true, false]);
    const id = log.add(D1, rotation('k1'));
    expect(recipientsOf(log, id)).toContain(keys('W').seal);
    expect(recipientsOf(log, id)).not.toContain(keys('A').seal);
  });

  test('[T54, D6] is never that of a rotation without an entry', () => {
    const { log } = teamLog();
    const membership = resultOf(log);
    const asked: string[] = [];
    keyStateOf(membership, START, (hash) => {
      asked.push(hash);
      return { key: 'k1', recipients: recipientsIn(membership), isUsable: true };
    });
    expect(asked).toEqual([]);
    expect(keyStateOf(evaluate([], START), START, () => undefined)).toBeUndefined();
  });

  test('[T78, D1] stops being stale after an entry that follows the successors of a contested code', () => {
    const { log } = teamLog();
    log.add(C0, code(START, 'C1', D1));
    log.add(C0, code(START, 'C2', D1), [START]);
    expect(stateOf(log)?.isStale).toBe(true);
    const id = log.add(D1, rotation('k1'), resultOf(log).heads);
    expect(recipientsOf(log, id)).not.toContain(keys('C0').seal);
    expect(stateOf(log)).toMatchObject({ key: 'k1', isStale: false });
  });

  test('[T79, C7] ignores the rotation of a removal whose signer may not write', () => {
    const { log, W } = teamLog();
    addDevice(log, W.entry, 'W2', W.by);
    log.add(D1, role(W.entry, 'read'));
    const end = log.add(W.by, { ...removalOfKey('W2'), ...withRotation('k1') });
    expect(whichCount(log, end)).toEqual([true]);
    expect(stateOf(log)).toMatchObject({ key: 'key 0', isStale: true });
  });

  test('[D2] has the longest path, then the lowest hash, and the next record contains the other ones', () => {
    const { log, A, W, R } = teamLog();
    const [first, second] = [A.by, W.by].map((by, n) => log.add(by, rotation(`k${n + 1}`), [R.entry]));
    expect([first, second]).toEqual(['e5', 'e6']);
    expect(stateOf(log)).toMatchObject({ key: 'k1', back: ['k1', 'k2'] });
    log.add(W.by, rotation('k3'), [second as string]);
    expect(stateOf(log)).toMatchObject({ key: 'k3', back: ['k3', 'k1'] });
  });
});
