/** Tests which seats left, and who confirms it (C4), on logs with names in place of keys. */
import type { EntryId, SeatName } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import {
  addDevice,
  admit,
  C0,
  code,
  D1,
  leave,
  removal,
  removalOfKey,
  resultOf,
  role,
  type TestLog,
  teamLog,
} from '../../membership/membership.fixture.ts';
import { confirmableBy, isFirstToConfirm, leftSeats } from './log-leaves.ts';

const keysOf = (seats: readonly { readonly key: string }[]) => seats.map(({ key }) => key).sort();
const left = (log: TestLog) => keysOf(leftSeats(resultOf(log)));
const confirmable = (log: TestLog, by: SeatName) => keysOf(confirmableBy(resultOf(log), by));
/** Returns which of these seats confirms first that another one left. */
const firstOf = (log: TestLog, key: string, ...by: readonly SeatName[]) => {
  const membership = resultOf(log);
  const [seat] = leftSeats(membership).filter((one) => one.key === key);
  if (seat === undefined) throw new Error('it did not leave');
  return by.filter((one) => isFirstToConfirm(membership, one, seat)).map((one) => one.key);
};

test('[C4] leaves a key alone that somebody added again', () => {
  const { log, W } = teamLog();
  log.add(W.by, leave());
  expect(confirmable(log, D1)).toEqual(['W']);
  const again = admit(log, 'W', 'write', D1);
  expect(left(log)).toEqual(['W']);
  expect(confirmable(log, D1)).toEqual([]);
  log.add(again.by, leave());
  expect(confirmable(log, D1)).toEqual(['W', 'W']);
});

describe('the set of seats that left', () => {
  test('[C4] contains those that signed it, until somebody removes them', () => {
    const { log, W, R } = teamLog();
    expect(left(log)).toEqual([]);
    log.add(W.by, leave());
    expect(left(log)).toEqual(['W']);
    log.add(R.by, leave());
    expect(left(log)).toEqual(['R', 'W']);
    log.add(D1, removalOfKey('W'));
    expect(left(log)).toEqual(['R']);
    log.add(D1, removal(R.entry));
    expect(left(log)).toEqual([]);
  });

  test('[C4] contains lower seats of the person with `all`, and no higher ones', () => {
    const { log, W } = teamLog();
    const W2 = addDevice(log, W.entry, 'second', W.by);
    addDevice(log, W.entry, 'third', W2);
    log.add(W2, leave(true));
    expect(left(log)).toEqual(['second', 'third']);
    log.add(W.by, leave(true));
    expect(left(log)).toEqual(['W', 'second', 'third']);
  });

  test('[C4] excludes a seat that never was live', () => {
    const { log, A, W } = teamLog();
    const before: EntryId[] = [W.entry];
    log.add(D1, removal(A.entry));
    // A knew of no removal, so this person isn't a member, and their leave doesn't count.
    const P = admit(log, 'P', 'write', A.by, before);
    log.add(P.by, leave(), [P.entry]);
    expect(left(log)).toEqual([]);
  });

  test('[C4] excludes a seat whose leave is void', () => {
    const { log, W } = teamLog();
    const before = [W.entry];
    log.add(D1, removal(W.entry));
    log.add(W.by, leave(), before);
    expect(left(log)).toEqual([]);
  });
});

describe('the confirmation that a seat left', () => {
  test('[C4] is up to higher devices of the person, and to admins above', () => {
    const { log, A, B, W, R } = teamLog();
    const W2 = addDevice(log, W.entry, 'second', W.by);
    log.add(W2, leave());
    for (const by of [W.by, W.code, A.by, B.by, D1, C0]) expect(confirmable(log, by)).toEqual(['second']);
    for (const by of [W2, R.by, { key: 'unknown', entry: 'e9' }]) expect(confirmable(log, by)).toEqual([]);
  });

  test('[C4] is not up to an admin who isn’t above, or no longer one', () => {
    const { log, A, B } = teamLog();
    const A2 = addDevice(log, A.entry, 'A2', A.by);
    log.add(A2, leave());
    // A was admitted before B, but both by the founder.
    expect([confirmable(log, A.by), confirmable(log, B.by)]).toEqual([['A2'], []]);
    const Q = admit(log, 'Q', 'write', A.by);
    log.add(Q.by, leave());
    expect([confirmable(log, A.by), confirmable(log, B.by)]).toEqual([['A2', 'Q'], ['Q']]);
    log.add(D1, role(B.entry, 'write'));
    expect(confirmable(log, B.by)).toEqual([]);
  });

  test('[C4] is made first by the highest device of the person, or of the person who admitted them', () => {
    const { log, A, B, W } = teamLog();
    const W2 = addDevice(log, W.entry, 'second', W.by);
    const W3 = addDevice(log, W.entry, 'third', W.by);
    const D2 = addDevice(log, log.entries[0]?.id as EntryId, 'D2', D1);
    log.add(W3, leave());
    const all = [D1, D2, C0, A.by, B.by, W.by, W.code, W2];
    expect(firstOf(log, 'third', ...all)).toEqual(['W']);
    log.add(W.by, leave(true));
    // No device of the person is left. A code isn't a device.
    expect(firstOf(log, 'third', ...all)).toEqual(['D1']);
    log.add(C0, removalOfKey('D1', ['D2']));
    expect(firstOf(log, 'third', ...all)).toEqual(['D2']);
  });

  test('[C4] passes to nobody if the person who admitted them has no device', () => {
    const { log, A } = teamLog();
    const P = admit(log, 'P', 'write', A.by);
    log.add(A.by, leave());
    log.add(P.by, leave());
    // The founder confirms it with the next rotation.
    expect(firstOf(log, 'P', D1, C0, A.by, A.code)).toEqual([]);
    expect(confirmable(log, D1)).toEqual(['A', 'P']);
  });

  test('[C4] does not count a code that was replaced', () => {
    const { log, W } = teamLog();
    log.add(W.code, code(W.entry, 'next code', W.by));
    log.add(W.by, leave());
    expect(left(log)).toEqual(['W']);
    expect(confirmable(log, W.code)).toEqual(['W']);
  });
});
