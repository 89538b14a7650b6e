import type { LedgerLog, LedgerMember } from 'fixpoint';
import { expect, test } from 'vitest';
import type { Call } from '../../command.ts';
import { members, outcomeOf } from './members.ts';

const LOG: LedgerLog = {
  ...{
    id: 'a1',
    isCompared: true,
    role: 'write',
    ignored: [],
    forks: [],
    withoutAccess: [],
    withheld: [],
    waits: undefined,
  },
  safetyNumber: '12345'.repeat(12),
  members: [{ user: 'u2', name: 'Bob', role: 'write', isYou: false, admittedBy: 'Ada' }],
};
const DEVICE = {
  ...{ id: 'bbbbbbbbbbbb22220000', isThis: false, isRecovery: false, isOwn: false, since: undefined },
  owner: 'u2',
};

test('exits with 1 if the list contradicts itself, and prints both sides', () => {
  const forks = [
    { kind: 'logs', sides: ['a1', 'b2'], signer: undefined },
    { kind: 'copies', sides: ['c3', 'd4'], signer: 'Bob' },
  ] as const;
  const { lines, failed } = outcomeOf({ devices: [], log: { ...LOG, forks } });
  expect(failed).toBe(true);
  expect(lines.slice(2)).toEqual([
    'contradiction: the server shows two lists of members: a1 and b2',
    'contradiction: two copies of one device changed the list (a device of Bob): c3 and d4',
  ]);
});

test('prints ignored entries, lost access, and devices outside of the list', () => {
  const ignored = [{ id: 'e5', rule: 'C6', signer: 'Bob' }];
  const devices = [{ ...DEVICE, isUnlisted: true } as const];
  const withoutAccess = [DEVICE.id];
  const { lines, failed } = outcomeOf({ devices, log: { ...LOG, ignored, withoutAccess } });
  expect(failed).toBe(false);
  expect(lines).toEqual([
    'member  Bob  write  added by Ada  user u2',
    `safety number: ${Array(12).fill('12345').join(' ')}`,
    'lost access at the server: device bbbbbbbbbbbb2222',
    'ignored: entry e5 of Bob, by rule C6',
    'device  bbbbbbbbbbbb2222  of u2  not in the list of members',
  ]);
});

test('prints the newest changes that do not count', () => {
  const withheld = Array.from({ length: 22 }, (_, n) => ({
    ...{ event: `bafy${n}`, reason: 'no right', signer: n === 21 ? 'Bob' : undefined },
  }));
  const { lines, failed } = outcomeOf({ devices: [], log: { ...LOG, withheld } });
  expect(failed).toBe(false);
  expect(lines).toHaveLength(2 + 20 + 1);
  expect(lines.slice(2, 3)).toEqual(["doesn't count: change bafy2: no right"]);
  expect(lines.slice(-2)).toEqual(["doesn't count: change bafy21 of Bob: no right", 'and 2 earlier changes']);
});

test('says why changes wait while the device does not trust the list', () => {
  const { lines } = outcomeOf({
    devices: [],
    log: { ...LOG, isCompared: false, waits: 'LEDGER_NOT_COMPARED' },
  });
  expect(lines.slice(2)).toEqual([
    "this device doesn't trust list a1 yet: compare the safety number with a member, in the console",
    'changes of this device wait: LEDGER_NOT_COMPARED',
  ]);
});

test('[N3] says who was seen when, and since when the server shows nothing new', () => {
  const [heardAt, silentSince] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 3)];
  const members = [{ ...(LOG.members[0] as LedgerMember), heardAt }];
  const log = { ...LOG, members, silentSince, clocksAhead: ['Bob'] };
  const { lines, failed } = outcomeOf({ devices: [{ ...DEVICE, heardAt }], log });
  expect(failed).toBe(false);
  expect(lines.filter((line) => !line.startsWith('safety'))).toEqual([
    'member  Bob  write  added by Ada  user u2  last seen 2026-11-01T00:00:00.000Z',
    'silent: no news of another device since 2026-11-03T00:00:00.000Z: nobody used the database, or the server withholds what they sent',
    'wrong clock: signed times of Bob are later than their arrival',
    'device  bbbbbbbbbbbb2222  of u2  last seen 2026-11-01T00:00:00.000Z',
  ]);
});

test.each(['0', '-1', 'soon', '', 'NaN'])('rejects %j as a number of days', async (days) => {
  const texts: Readonly<Record<string, string>> = { ledger: 'l1', 'silent-after': days };
  const call = { text: (option: string) => texts[option] } as unknown as Call;
  await expect(members.run(call)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});

test('[N3] says nothing of members who were never heard, and of a server that shows news', () => {
  const { lines } = outcomeOf({
    devices: [DEVICE],
    log: { ...LOG, silentSince: undefined, clocksAhead: [] },
  });
  expect(lines).toEqual([
    'member  Bob  write  added by Ada  user u2',
    `safety number: ${Array(12).fill('12345').join(' ')}`,
    'device  bbbbbbbbbbbb2222  of u2',
  ]);
});

test('prints your names beside the signed ones', () => {
  const members = [{ ...(LOG.members[0] as LedgerMember), yourName: 'Bobby' }];
  const { lines } = outcomeOf({ devices: [{ ...DEVICE, yourName: 'Phone' }], log: { ...LOG, members } });
  expect([lines[0], lines.at(-1)]).toEqual([
    'member  Bob  write  added by Ada  user u2  your name: Bobby',
    'device  bbbbbbbbbbbb2222  of u2  your name: Phone',
  ]);
});
