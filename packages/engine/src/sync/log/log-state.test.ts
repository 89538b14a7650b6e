/** Tests the conclusions of a device from the view of a log with real signatures. */
import { encodeEntry } from '@fixpoint/protocol/storage';
import { beforeAll, describe, expect, test } from 'vitest';
import { hex, utf8 } from '../../base/bytes.ts';
import { newPair } from '../../base/p256.ts';
import { sha256 } from '../../codec/sha256.ts';
import {
  bytesOf,
  keysNamed,
  LEDGER,
  linkFields,
  personFields,
  type TestKeys,
  type Written,
  written,
  writtenStart,
} from '../../membership/form/signed-log.fixture.ts';
import { type LogView, viewOfLog } from '../ledger/log-view.ts';
import {
  describeLog,
  forkOfLogs,
  forksIn,
  gapsIn,
  isWithdrawn,
  reasonToWait,
  seatOf,
  throwIf,
} from './log-state.ts';

let keys: Record<'F' | 'C' | 'W' | 'X', TestKeys>;
let log: Record<'start' | 'W' | 'X' | 'leave' | 'remove' | 'otherStart', Written>;

beforeAll(async () => {
  const [F, C, W, X] = [
    await keysNamed('F'),
    await keysNamed('C'),
    await keysNamed('W'),
    await keysNamed('X'),
  ];
  keys = { F, C, W, X };
  const start = await writtenStart('F', F, C);
  const otherStart = await writtenStart('Eve', W, X);
  const admit = async (user: string, device: TestKeys, prev: string, own: string) =>
    written(
      { ...linkFields('person', start.id, [prev], own), ...(await personFields(user, device)) },
      { signer: F.signer },
    );
  const ofW = await admit('W', W, start.id, start.id);
  // In the same place as the entry above, as a copy of the device signs it.
  const ofX = await admit('X', X, start.id, start.id);
  const leave = await written(linkFields('leave', ofW.id, [ofW.id]), { signer: W.signer });
  const remove = await written(
    { ...linkFields('remove', start.id, [ofW.id], ofW.id), person: bytesOf(ofW.id) },
    { signer: F.signer },
  );
  log = { start, W: ofW, X: ofX, leave, remove, otherStart };
});

async function viewOf(...names: readonly (keyof typeof log)[]): Promise<LogView> {
  const pair = await newPair(sha256(utf8('seal of F')));
  const texts = names.map((name) => log[name].text);
  return viewOfLog(texts, { ledger: LEDGER, start: log.start.id, pair, keys: new Map() });
}
const sealOf = (name: keyof typeof keys) => hex(keys[name].seal);
const current = { name: 'key' } as never;

describe('the seat of a device', () => {
  test('is that of its key, until it leaves or is removed', async () => {
    const view = await viewOf('start', 'W');
    expect(seatOf(view, sealOf('W'))).toMatchObject({ entry: log.W.id });
    expect(seatOf(view, sealOf('F'))).toMatchObject({ entry: log.start.id });
    expect(seatOf(view, sealOf('X'))).toBeUndefined();
    expect(seatOf(view, '')).toBeUndefined();
    for (const end of ['leave', 'remove'] as const)
      expect(seatOf(await viewOf('start', 'W', end), sealOf('W'))).toBeUndefined();
  });
});

describe('the reason to wait', () => {
  test('[D1] is that the key is stale, or that the device has no seat, no key or no log', async () => {
    const fresh = await viewOf('start', 'W');
    const seat = seatOf(fresh, sealOf('F'));
    expect(reasonToWait({ view: fresh, seat, current })).toBeUndefined();
    expect(reasonToWait({ view: fresh, seat: undefined, current })).toBe('DEVICE_NOT_APPROVED');
    expect(reasonToWait({ view: fresh, seat, current: undefined })).toBe('DEVICE_NOT_APPROVED');
    const stale = await viewOf('start', 'W', 'remove');
    expect(reasonToWait({ view: stale, seat, current })).toBe('KEY_INVALID');
    // Without its start, the whole log is withheld.
    expect(reasonToWait({ view: await viewOf('W'), seat, current })).toBe('LEDGER_FORKED');
  });

  test('[F14] is first that the list has a later form', async () => {
    const view = { ...(await viewOf('start', 'W', 'remove')), needsUpdate: true };
    expect(reasonToWait({ view, seat: undefined, current: undefined })).toBe('FORMAT_NEWER');
  });

  test('is thrown as an error, and nothing without one', () => {
    expect(() => throwIf('KEY_INVALID')).toThrow(expect.objectContaining({ code: 'KEY_INVALID' }));
    expect(() => throwIf(undefined)).not.toThrow();
  });
});

describe('a withdrawal', () => {
  test('[G2] is possible only while the log has one entry, and only shown by a list without it', async () => {
    const [alone, more] = [await viewOf('start'), await viewOf('start', 'W')];
    const withdrawn = (view: LogView, ...listed: string[]) =>
      isWithdrawn({ view, seat: undefined, current }, listed);
    expect(withdrawn(alone)).toBe(true);
    expect(withdrawn(alone, 'S1.record', log.otherStart.text, log.W.text)).toBe(true);
    expect(withdrawn(alone, log.otherStart.text, log.start.text)).toBe(false);
    expect(withdrawn(more)).toBe(false);
    // A log that isn't here can't be withdrawn.
    expect(withdrawn(await viewOf('W'))).toBe(false);
  });
});

describe('the list of forks', () => {
  test('[L1] has two logs, with the followed one first', async () => {
    expect(forksIn(await viewOf('start', 'W', 'remove'))).toEqual([]);
    const forks = forksIn(await viewOf('otherStart', 'start'));
    expect(forks).toEqual([forkOfLogs(log.start.id, log.otherStart.id)]);
  });

  test('[F10] has two entries of one seat in one place, with the name of their signer', async () => {
    const [fork, ...others] = forksIn(await viewOf('start', 'W', 'X'));
    expect(others).toEqual([]);
    expect(fork).toMatchObject({ kind: 'copies', signer: 'F' });
    expect(new Set(fork?.sides)).toEqual(new Set([log.W.id, log.X.id]));
    // An entry that a list has twice is one entry, and other seats have their own places.
    expect(forksIn(await viewOf('start', 'start', 'W', 'W', 'leave', 'remove'))).toEqual([]);
  });
});

describe('the list of gaps', () => {
  test('[N5] has entries that others name and that the list lacks', async () => {
    expect(gapsIn(await viewOf('start', 'W', 'leave'))).toEqual(new Map());
    expect(gapsIn(await viewOf('start', 'leave'))).toEqual(new Map([[log.W.id, log.leave.id]]));
    expect(gapsIn(await viewOf('W', 'leave'))).toEqual(new Map([[log.start.id, log.W.id]]));
    expect(gapsIn(await viewOf('start'))).toEqual(new Map());
  });

  test('[N5] has also what a join names', async () => {
    const ids = [log.W.id, log.X.id].sort();
    const pair = await newPair(sha256(utf8('seal of F')));
    const texts = [log.start.text, log.W.text, encodeEntry({ t: 'join', prev: ids.map(bytesOf) })];
    const view = await viewOfLog(texts, { ledger: LEDGER, start: log.start.id, pair, keys: new Map() });
    expect([...gapsIn(view).keys()]).toEqual([log.X.id]);
  });
});

describe('the description of a log', () => {
  const described = async (...names: readonly (keyof typeof log)[]) => {
    const state = { isCompared: true, person: log.start.id, forks: [], waits: undefined };
    return describeLog(log.start.id, await viewOf(...names), LEDGER, state);
  };

  test('[N4] has one safety number, which changes with the members', async () => {
    const [one, other] = [await described('start', 'W'), await described('W', 'start')];
    expect(one.safetyNumber).toMatch(/^\d{60}$/);
    expect([one.safetyNumber, { ...one }.safetyNumber]).toEqual([other.safetyNumber, one.safetyNumber]);
    expect((await described('start')).safetyNumber).not.toBe(one.safetyNumber);
    // Applications receive a copy, which must contain it, too.
    expect(structuredClone({ ...one }).safetyNumber).toBe(one.safetyNumber);
  });

  test('[M1] names members with their roles, and those who admitted them', async () => {
    const { members, role, ignored } = await described('start', 'W');
    expect([role, ignored]).toEqual(['admin', []]);
    expect(members.find(({ user }) => user === 'W')).toMatchObject({ isYou: false, admittedBy: 'F' });
    expect(members.find(({ user }) => user === 'F')).toMatchObject({ isYou: true, admittedBy: undefined });
  });

  test('[C11] leaves out members who were removed, and knows no role outside of the log', async () => {
    const { ignored, members } = await described('start', 'W', 'remove', 'X');
    expect(members.map(({ user }) => user).sort()).toEqual(['F', 'X']);
    expect(ignored).toEqual([]);
    const { role } = await described('start', 'W', 'leave');
    expect(role).toBe('admin');
    const outside = { isCompared: false, person: undefined, forks: [], waits: undefined } as const;
    expect(describeLog(log.start.id, await viewOf('start'), LEDGER, outside).role).toBeUndefined();
  });
});
