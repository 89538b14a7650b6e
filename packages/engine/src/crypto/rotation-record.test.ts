/** Rotations in a ledger with a membership log: rules D2 and D3 of membership-rules.md. */
import { createECDH } from 'node:crypto';
import { parseKeyRecord, type RotateRecord } from '@fixpoint/protocol/storage';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { concatBytes, hex, utf8 } from '../base/bytes.ts';
import { sha256 } from '../codec/sha256.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import type { LogRotationParts } from './rotation-record.ts';

const LEDGER = utf8('ledger');
const PLACE = [sha256(utf8('head'))];
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const scalarOf = (number: bigint) =>
  Uint8Array.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex'));

/** Imports private keys as platforms do that don't compare them with their public keys. */
function withLenientImports(): void {
  const importKey = crypto.subtle.importKey.bind(crypto.subtle) as (
    ...given: unknown[]
  ) => Promise<CryptoKey>;
  vi.spyOn(crypto.subtle, 'importKey').mockImplementation((async (
    form: string,
    key: JsonWebKey,
    ...rest: unknown[]
  ) => {
    if (form !== 'jwk') return importKey(form, key, ...rest);
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(Buffer.from(key.d as string, 'base64url'));
    const text = (start: number) =>
      ecdh
        .getPublicKey()
        .subarray(start, start + 32)
        .toString('base64url');
    return importKey(form, { ...key, x: text(1), y: text(33) }, ...rest);
  }) as typeof crypto.subtle.importKey);
}

/** Loads the modules again, so that they use the ciphers that the platform has now. */
async function loaded() {
  const { newPair, pairOf } = await import('../base/p256.ts');
  const { ledgerKey } = await import('./sealed-object.ts');
  const { aesGcm } = await import('./aes-gcm.ts');
  const { openKeys } = await import('./key-chain.ts');
  const { isProven } = await import('./grant.ts');
  const records = await import('./rotation-record.ts');
  const random = seededRandom(7);
  const current = ledgerKey(random.bytes(32));
  const devices = [await newPair(random.bytes(32)), await newPair(random.bytes(32))];
  const recipients = devices.map(({ publicKey }) => publicKey);
  const parts: LogRotationParts = {
    ledger: LEDGER,
    random,
    current,
    recipients,
    prev: PLACE,
    back: [current],
  };
  const made = async (changed: Partial<LogRotationParts> = {}) => {
    const rotation = await records.makeLogRotation({ ...parts, ...changed });
    return { ...rotation, record: parseKeyRecord(rotation.text) as RotateRecord };
  };
  return {
    ...records,
    newPair,
    pairOf,
    ledgerKey,
    aesGcm,
    openKeys,
    isProven,
    current,
    devices,
    recipients,
    made,
  };
}

for (const platform of ['Node', 'WebCrypto'] as const)
  describe(`rotations of a ledger with a log, in ${platform}`, () => {
    beforeEach(() => {
      vi.resetModules();
      if (platform === 'WebCrypto') vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    });
    afterEach(() => {
      vi.restoreAllMocks();
      vi.resetModules();
    });

    test('opens for each recipient, and each of them can compute all boxes again', async () => {
      const { made, devices, recipients, openRotation, isSealedForAll } = await loaded();
      const { record, next, rot, text } = await made();
      expect(record.pubs).toEqual(recipients);
      expect(hex(rot)).toBe(hex(next.id) + hex(sha256(utf8(text))));
      for (const [at, device] of devices.entries()) {
        const opened = await openRotation(LEDGER, record, record.boxes[at] as Uint8Array, device);
        expect(opened).toEqual(next);
        expect(await isSealedForAll(LEDGER, record, PLACE, opened ?? next)).toBe(true);
      }
    });

    test('leads to all keys that no key entry follows, and earlier versions can follow it', async () => {
      const { made, ledgerKey, openKeys, isProven, current } = await loaded();
      const other = ledgerKey(new Uint8Array(32).fill(9));
      const { record, next } = await made({ back: [current, other] });
      expect(await openKeys(LEDGER, next, record.back as Uint8Array)).toEqual([current, other]);
      expect([record.prev, record.key]).toEqual([current.id, next.id]);
      expect(await isProven(LEDGER, record, current)).toBe(true);
    });

    test('[T51] rejects a record with one wrong box, also on the device whose own box is right', async () => {
      const { made, devices, openRotation, isSealedForAll } = await loaded();
      const { record, next } = await made();
      const [own, theirs] = record.boxes as [Uint8Array, Uint8Array];
      const wrong = { ...record, boxes: [own, theirs.map((byte) => byte ^ 1)] };
      expect(await openRotation(LEDGER, wrong, own, devices[0] as (typeof devices)[0])).toEqual(next);
      expect(await isSealedForAll(LEDGER, wrong, PLACE, next)).toBe(false);
      expect(await isSealedForAll(LEDGER, { ...record, boxes: [theirs, own] }, PLACE, next)).toBe(false);
    });

    test('rejects a record at another place of the log, of another ledger, or with another key', async () => {
      const { made, ledgerKey, isSealedForAll } = await loaded();
      const { record, next } = await made();
      const { once: _, ...without } = record;
      const elsewhere = [sha256(utf8('other head'))];
      expect(await isSealedForAll(LEDGER, record, elsewhere, next)).toBe(false);
      expect(await isSealedForAll(LEDGER, record, [...PLACE, ...elsewhere], next)).toBe(false);
      expect(await isSealedForAll(utf8('other'), record, PLACE, next)).toBe(false);
      expect(await isSealedForAll(LEDGER, record, PLACE, ledgerKey(new Uint8Array(32)))).toBe(false);
      expect(await isSealedForAll(LEDGER, without, PLACE, next)).toBe(false);
    });

    test('rejects a private key that does not belong to the public one, even if it differs only in its sign', async () => {
      const { made, aesGcm, newPair, isSealedForAll } = await loaded();
      const { record, next } = await made();
      const { encode } = await import('../codec/dag-cbor.ts');
      const bound = encode([1, 'once', LEDGER, record.key, record.prev, record.eph, PLACE]);
      const kek = await aesGcm.derive(next.material, new Uint8Array(), 'fixpoint rotate once 1');
      const once = record.once as Uint8Array;
      const scalar = await aesGcm.decrypt(kek, once.subarray(0, 12), once.subarray(12), bound);
      const nonce = new Uint8Array(12).fill(5);
      const withScalar = async (given: Uint8Array) => ({
        ...record,
        once: concatBytes([nonce, await aesGcm.encrypt(kek, nonce, given, bound)]),
      });
      expect(await isSealedForAll(LEDGER, await withScalar(scalar), PLACE, next)).toBe(true);
      const negated = scalarOf(ORDER - BigInt(`0x${hex(scalar)}`));
      const stranger = (await newPair(seededRandom(8).bytes(32))).both.subarray(0, 32);
      for (const wrong of [negated, stranger, new Uint8Array(32), scalarOf(ORDER)])
        expect(await isSealedForAll(LEDGER, await withScalar(wrong), PLACE, next)).toBe(false);
      withLenientImports();
      expect(await isSealedForAll(LEDGER, await withScalar(scalar), PLACE, next)).toBe(true);
      for (const wrong of [negated, stranger])
        expect(await isSealedForAll(LEDGER, await withScalar(wrong), PLACE, next)).toBe(false);
    });
  });

test('fits 200 recipients and several earlier keys into one record', async () => {
  const { made, recipients, ledgerKey } = await loaded();
  const all = Array.from({ length: 200 }, (_, at) => recipients[at % 2] as Uint8Array);
  const back = Array.from({ length: 4 }, (_, at) => ledgerKey(new Uint8Array(32).fill(at)));
  const { text } = await made({ recipients: all, back });
  expect(text.length).toBeLessThan(32_768);
});
