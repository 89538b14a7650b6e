/** Tests recovery codes of ledgers with a membership log: rules L1, L2 and J4. */
import { isP256Point } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { isSignedBy } from '../base/signatures.ts';
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

describe('a recovery code of a ledger with a log', () => {
  test('[L1] recovers both private keys of the code from its text', async () => {
    const { recovery, record, locked } = await granted();
    const secret = decodeCode(recovery.code, 20);
    const opened = await unlockPairs(LEDGER, locked, secret);
    expect(opened?.sealing.publicKey).toEqual(record.pub);
    expect(opened?.signer.publicKey).toEqual(recovery.signer.publicKey);
    const text = utf8('entry');
    const signature = (await opened?.signer.sign(text)) as Uint8Array;
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
