/** Tests recovery codes of ledgers with a membership log: rules L1, L2 and J4. */
import { decodeEntry, isP256Point } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { isSignedBy, signerOf } from '../base/signatures.ts';
import { sha256 } from '../codec/sha256.ts';
import { keysNamed } from '../membership/form/signed-log.fixture.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import {
  grantToRecovery,
  lockPair,
  logInGrant,
  makeGrant,
  newLogRecovery,
  openGrant,
  unlockPair,
  unlockPairs,
} from './grant.ts';
import { keyWorld } from './ledger-keys.fixture.ts';
import type { LedgerKeys } from './ledger-keys.ts';
import { newStart } from './log/start-entry.ts';
import { ledgerKey } from './sealed-object.ts';
import { decodeCode } from './secret-code.ts';

type World = ReturnType<typeof keyWorld>;

const LEDGER = utf8('ledger');
const LOG = new Uint8Array(32).fill(7);
const random = seededRandom(1);
const current = ledgerKey(random.bytes(32));
const parts = { ledger: LEDGER, random, keys: [current], current };

async function granted() {
  const recovery = await newLogRecovery(random);
  const record = await grantToRecovery({ ...parts, log: LOG }, recovery);
  return { recovery, record, locked: record.locked as Uint8Array };
}

/** Makes a device start a log, and puts its start into the list. Returns the id of the log. */
async function startsLog(world: World, keys: LedgerKeys, name = 'F'): Promise<Uint8Array> {
  const place = { ledger: LEDGER, user: name, name, key: keys.current(), timeMs: 1, random: world.random };
  const start = await newStart({
    ...place,
    device: await keysNamed(name),
    code: await keysNamed(`C${name}`),
  });
  const log = Uint8Array.from(Buffer.from(decodeEntry(start, sha256).entry.id, 'hex'));
  world.put(start);
  await keys.planLog({ log, start, records: [] });
  await keys.takePlannedLog();
  return log;
}

describe('the id of a log', () => {
  test('[L2] reaches a new device in the grant that approves it, and stays after a restart', async () => {
    const world = keyWorld(11);
    const first = await world.founded();
    const before = await world.joined(first.keys);
    expect(before.keys.log()).toBeUndefined();
    const log = await startsLog(world, first.keys);
    const later = await world.joined(first.keys);
    expect(later.keys.log()).toEqual(log);
    for (const { values } of [first, later]) expect((await world.device(values)).keys.log()).toEqual(log);
    // A later device learns it from this one.
    expect((await world.joined(later.keys)).keys.log()).toEqual(log);
  });

  test('[L2, L3] reaches a device that has the key already when a device with the id approves it again', async () => {
    const world = keyWorld(15);
    const first = await world.founded();
    const before = await world.joined(first.keys);
    const log = await startsLog(world, first.keys);
    const code = before.keys.code();
    world.put(...(await first.keys.grant(code)));
    expect(await before.keys.learn([...world.list])).toBe(true);
    expect(before.keys.log()).toEqual(log);
    expect((await world.device(before.values)).keys.log()).toEqual(log);
    // The code was used, so nobody who knows it can answer another request.
    expect(before.keys.code()).not.toBe(code);
  });

  test('[L2, S-5] is never that of a removed member who knows a code that this device showed', async () => {
    const world = keyWorld(16);
    const first = await world.founded();
    const [victim, thief] = [await world.joined(first.keys), await world.joined(first.keys)];
    // The thief knows the data key and a code of the victim, and is then removed.
    const code = victim.keys.code();
    await startsLog(world, thief.keys, 'T');
    const stolen = await thief.keys.grant(code);
    const left = await world.device(thief.values);
    await left.keys.learn([...world.list]);
    const thiefId = left.keys.devices().find(({ isThis }) => isThis)?.id as string;
    world.put(...(await first.keys.rotate([thiefId])));
    await world.hear(first.keys, victim.keys);
    world.put(...stolen);
    await world.hear(victim.keys);
    expect(victim.keys.isApproved()).toBe(true);
    expect(victim.keys.log()).toBeUndefined();
    // A grant of the current key by a device that wasn't removed counts.
    const log = await startsLog(world, first.keys);
    world.put(...(await first.keys.grant(code)));
    await world.hear(victim.keys);
    expect(victim.keys.log()).toEqual(log);
  });

  test('[L1] is never replaced by that of a later grant, nor by another start', async () => {
    const world = keyWorld(12);
    const first = await world.founded();
    await startsLog(world, first.keys);
    const own = new Uint8Array(32).fill(8);
    const made = await world.device(new Map([['p/log', own]]));
    world.put(made.keys.announcement());
    await world.hear(first.keys);
    world.put(...(await first.keys.grant(made.keys.code())));
    await world.hear(made.keys);
    expect(made.keys.isApproved()).toBe(true);
    expect(made.keys.log()).toEqual(own);
    await expect(startsLog(world, made.keys, 'O')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await world.device(made.values)).keys.log()).toEqual(own);
  });

  test('[L1] is known to a device that stopped before the server answered, once the list has its start', async () => {
    const world = keyWorld(14);
    const first = await world.founded();
    const plan = { log: LOG, start: 'S2.start', records: ['S1.a', 'S1.b'] };
    await first.keys.planLog(plan);
    const again = await world.device(first.values);
    expect(again.keys.plannedLog()).toEqual(plan);
    await again.keys.learn([...world.list, 'S2.other']);
    expect(again.keys.log()).toBeUndefined();
    await again.keys.learn([...world.list, 'S2.start']);
    const { keys } = await world.device(first.values);
    expect([again, { keys }].map((one) => [one.keys.log(), one.keys.plannedLog()])).toEqual([
      [LOG, undefined],
      [LOG, undefined],
    ]);
  });

  test('[L2] reaches a device that uses a recovery code of the log, also if it has the key', async () => {
    const world = keyWorld(13);
    const first = await world.founded();
    const recovery = await newLogRecovery(world.random);
    const approved = await world.joined(first.keys);
    const log = await startsLog(world, first.keys);
    world.put(await first.keys.grantToRecovery(recovery, log));
    const made = await world.device();
    for (const { keys } of [made, approved]) {
      await world.hear(keys);
      expect(keys.log()).toBeUndefined();
      world.put(...(await keys.recover(recovery.code)));
      await world.hear(keys);
      expect([keys.isApproved(), keys.log()]).toEqual([true, log]);
    }
  });
});

describe('a recovery code of a ledger with a log', () => {
  test('[L1] recovers both private keys of the code from its text', async () => {
    const { recovery, record, locked } = await granted();
    const secret = decodeCode(recovery.code, 20);
    const opened = await unlockPairs(LEDGER, locked, secret);
    expect(opened?.sealing.publicKey).toEqual(record.pub);
    const text = utf8('entry');
    const signer = await signerOf(opened?.signing.both as Uint8Array);
    const signature = await signer.sign(text);
    expect(await isSignedBy(recovery.signer.publicKey, text, signature)).toBe(true);
    expect(isP256Point(record.pub)).toBe(true);
    expect(recovery.signing.publicKey).not.toEqual(recovery.sealing.publicKey);
  });

  test('[L2] contains the data key and the id of the log', async () => {
    const { recovery, record } = await granted();
    const { sealing, secret } = recovery;
    expect(await openGrant(LEDGER, record, sealing, secret)).toMatchObject([{ name: current.name }]);
    expect(await logInGrant(LEDGER, record, sealing, secret)).toEqual(LOG);
    expect(await logInGrant(LEDGER, record, sealing, random.bytes(20))).toBeUndefined();
  });

  test('finds no log in a grant of a ledger without one', async () => {
    const { sealing, secret } = await newLogRecovery(random);
    const record = await makeGrant(parts, sealing.publicKey, secret);
    expect(await openGrant(LEDGER, record, sealing, secret)).toHaveLength(1);
    expect(await logInGrant(LEDGER, record, sealing, secret)).toBeUndefined();
  });

  test('opens nothing with another secret, for another ledger, or after a change', async () => {
    const { recovery, locked } = await granted();
    const changed = locked.slice();
    changed[5] = (changed[5] as number) ^ 1;
    expect(await unlockPairs(LEDGER, locked, random.bytes(20))).toBeUndefined();
    expect(await unlockPairs(utf8('other'), locked, recovery.secret)).toBeUndefined();
    expect(await unlockPairs(LEDGER, changed, recovery.secret)).toBeUndefined();
  });

  test('is never opened as a code of a ledger without a log, nor the other way round', async () => {
    const { recovery, locked } = await granted();
    expect(await unlockPair(LEDGER, locked, recovery.secret)).toBeUndefined();
    const single = await lockPair(LEDGER, recovery.sealing, recovery.secret);
    expect(await unlockPair(LEDGER, single, recovery.secret)).toBeDefined();
    expect(await unlockPairs(LEDGER, single, recovery.secret)).toBeUndefined();
  });
});
