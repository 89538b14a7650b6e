/** Tests recovery codes of ledgers with a membership log: rules L1, L2 and J4. */
import { isP256Point } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { isSignedBy, signerOf } from '../base/signatures.ts';
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
import { ledgerKey } from './sealed-object.ts';
import { decodeCode } from './secret-code.ts';

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

describe('the id of a log', () => {
  test('[L2] reaches a new device in the grant that approves it, and stays after a restart', async () => {
    const world = keyWorld(11);
    const first = await world.founded();
    const before = await world.joined(first.keys);
    expect(before.keys.log()).toBeUndefined();
    await first.keys.learnLog(LOG);
    const later = await world.joined(first.keys);
    expect(later.keys.log()).toEqual(LOG);
    for (const { values } of [first, later]) expect((await world.device(values)).keys.log()).toEqual(LOG);
    // A later device learns it from this one.
    expect((await world.joined(later.keys)).keys.log()).toEqual(LOG);
  });

  test('[L1] is never replaced by that of a later grant', async () => {
    const world = keyWorld(12);
    const first = await world.founded();
    await first.keys.learnLog(LOG);
    const own = new Uint8Array(32).fill(8);
    const made = await world.device(new Map([['p/log', own]]));
    world.put(made.keys.announcement());
    await world.hear(first.keys);
    world.put(await first.keys.grant(made.keys.code()));
    await world.hear(made.keys);
    expect(made.keys.isApproved()).toBe(true);
    expect(made.keys.log()).toEqual(own);
    expect((await world.device(made.values)).keys.log()).toEqual(own);
  });

  test('[L2] reaches a device that uses a recovery code of the log', async () => {
    const world = keyWorld(13);
    const first = await world.founded();
    const recovery = await newLogRecovery(world.random);
    world.put(await first.keys.grantToRecovery(recovery, LOG));
    const made = await world.device();
    await world.hear(made.keys);
    world.put(await made.keys.recover(recovery.code));
    await world.hear(made.keys);
    expect([made.keys.isApproved(), made.keys.log()]).toEqual([true, LOG]);
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
