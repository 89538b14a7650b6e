/**
 * Tests which devices have which keys after many rotations, hostile records and requests:
 * `docs/internals/sealed-ledgers.md`.
 */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newPair } from '../base/p256.ts';
import { encode } from '../codec/dag-cbor.ts';
import { makeGrant } from './grant.ts';
import { encodeRecord } from './ledger-key-records.ts';
import { keyWorld, ledger, saidOf } from './ledger-keys.fixture.ts';
import { makeRotation } from './rotation-record.ts';
import { decodeCode } from './secret-code.ts';

const recordOf = (map: object) => `S1.${Buffer.from(encode({ ...map })).toString('base64url')}`;

describe('the chain of keys', () => {
  test('opens everything for a new device and a recovery code after 200 rotations, even with superseded records removed', async () => {
    const world = keyWorld(21);
    const { keys: first } = await world.founded();
    const sealed = [await world.seal(first, 'under key 1')];
    const offline = await world.joined(first);
    const away = await world.joined(first);
    const { code, records } = await first.newRecoveryCode();
    world.put(...records);
    await world.hear(first);
    for (let n = 2; n <= 201; n++) {
      await world.rotate(first);
      if (n % 50 === 0) sealed.push(await world.seal(first, `under key ${n}`));
    }
    world.put(...(await first.rotate([idIn(away.keys)])));
    await world.hear(first);
    const check = async () => {
      const { keys: fresh } = await world.joined(first);
      const saved = (await world.device()).keys;
      await world.hear(saved);
      world.put(...(await saved.recover(code)));
      const late = (await world.device(new Map(offline.values))).keys;
      const out = (await world.device(new Map(away.values))).keys;
      await world.hear(saved, late, out, first);
      for (const keys of [fresh, saved, late]) {
        expect(keys.current().name).toBe(first.current().name);
        for (const one of sealed) expect(await world.opens(keys, one)).toBe(true);
      }
      expect(out.isApproved()).toBe(false);
      expect(out.all().has(first.current().name)).toBe(false);
    };
    await check();
    const before = world.list.size;
    for (let round = 0; round < 2; round++) {
      const found = await first.supersededRecords();
      expect(found?.superseded.length).toBeGreaterThan(30);
      world.put(...(found?.first ?? []));
      for (const text of found?.superseded ?? []) world.list.delete(text);
      await world.hear(first);
      expect(world.list.size).toBeLessThan(before - 180);
      await check();
      expect(await first.supersededRecords()).toBeUndefined();
      for (let n = 0; n < 40; n++) await world.rotate(first);
    }
    await check();
  }, 120_000);

  test('is repaired by any device that has an earlier key that the list no longer leads to', async () => {
    const world = keyWorld(22);
    const { keys: first } = await world.founded();
    const sealed = await world.seal(first, 'under key 1');
    for (let n = 0; n < 3; n++) await world.rotate(first);
    expect(await first.links()).toEqual([]);
    const again = (await world.device((await world.joined(first)).values)).keys;
    for (const text of [...world.list]) if (text.includes('ZnJvdGF0')) world.list.delete(text);
    await again.learn([...world.list]);
    const links = await again.links();
    expect(links).toHaveLength(1);
    world.put(...links);
    await world.hear(again);
    expect(await again.links()).toEqual([]);
    expect(await world.opens(again, sealed)).toBe(true);
  });
});

const idIn = (keys: { code(): string }) =>
  Buffer.from(decodeCode(keys.code(), 32).subarray(0, 16)).toString('hex');

describe('choosing the recipients of the next key', () => {
  test('[S5] excludes a key pair that no device announced, even if a member created a grant for it', async () => {
    const world = keyWorld(23);
    const { keys: first } = await world.founded();
    const { keys: member } = await world.joined(first);
    const hidden = await newPair(world.random.bytes(32));
    const current = member.current();
    const grant = await makeGrant(
      { ledger, random: world.random, keys: [current], current },
      hidden.publicKey,
      randomBytes(16),
    );
    world.put(encodeRecord(grant));
    await world.hear(first);
    expect(first.devices()).toHaveLength(3);
    const rotation = await first.rotateAway();
    world.put(...rotation);
    await world.hear(first, member);
    expect(first.devices()).toHaveLength(2);
    expect(member.isApproved()).toBe(true);
    expect(await first.rotateAway()).toEqual([]);
  });

  test('[S5] excludes devices that nobody with access announced, but never this device', async () => {
    const world = keyWorld(24);
    const { keys: first } = await world.founded();
    const { keys: stays } = await world.joined(first);
    const { keys: leaves } = await world.joined(first);
    const since = '2026-01-02T03:04:05.000Z';
    await first.learn([], { devices: saidOf([stays.announcement()], { user: 'ada', since }) });
    expect(first.isAnnounced()).toBe(false);
    expect(first.devices().find(({ id }) => id === idIn(stays))).toMatchObject({
      owner: 'ada',
      isOwn: false,
      since: Date.parse(since),
    });
    await expect(first.grant(leaves.code())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    world.put(...(await first.rotateAway()));
    await world.hear(first, stays, leaves);
    expect([first, stays, leaves].map((keys) => keys.isApproved())).toEqual([true, true, false]);
  });

  test('[S5][R20] includes all approved devices, whatever the list contains', async () => {
    const point = (await newPair(keyWorld(25).random.bytes(32))).publicKey;
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    const pub = fc.oneof(bytes(65), fc.constant(point));
    const key = bytes(16);
    const garbage = fc.oneof(
      fc.record({ t: fc.constant('device'), pub }),
      fc.record({ t: fc.constant('grant'), key, pub, eph: pub, box: bytes(60), proof: bytes(28) }),
      fc.record({
        t: fc.constant('chain'),
        key,
        box: bytes(40),
        proofs: fc.array(bytes(44), { maxLength: 3 }),
      }),
      fc.record({
        ...{ t: fc.constant('rotate'), key, prev: key, eph: pub, proof: bytes(28), back: bytes(63) },
        ...{ pubs: fc.tuple(pub), boxes: fc.tuple(bytes(48)) },
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(garbage, { minLength: 1, maxLength: 8 }), async (all) => {
        const world = keyWorld(26);
        const { keys: first } = await world.founded();
        const { keys: second } = await world.joined(first);
        const ofThis = all.map((one) => ('key' in one ? { ...one, key: first.current().id } : one));
        world.put(...[...all, ...ofThis].map(recordOf));
        await world.hear(first, second);
        const before = first.current().name;
        world.put(...(await first.rotate([])));
        await world.hear(first, second);
        expect(first.current().name).not.toBe(before);
        expect(second.current().name).toBe(first.current().name);
        expect(world.reports).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('[S5] skips and reports a public key that allows no shared secret', async () => {
    const world = keyWorld(27);
    const { keys: first } = await world.founded();
    const [good, bad] = [(await newPair(world.random.bytes(32))).publicKey, new Uint8Array(65).fill(4)];
    const skipped: Uint8Array[] = [];
    const rotation = await makeRotation(
      { ledger, random: world.random, current: first.current() },
      [bad, good],
      (pub) => void skipped.push(pub),
    );
    expect([rotation.pubs, rotation.boxes.length, skipped]).toEqual([[good], 1, [bad]]);
  });
});

describe('a request for approval', () => {
  test('[S4] has an identity and a secret of 128 bits each, and gets a new secret after the answer', async () => {
    const world = keyWorld(28);
    const { keys: first } = await world.founded();
    const { keys, values } = await world.device();
    const asked = keys.code();
    expect(decodeCode(asked, 32)).toHaveLength(32);
    expect((await world.device(values)).keys.code()).toBe(asked);
    world.put(keys.announcement());
    await world.hear(first);
    world.put(...(await first.grant(asked)));
    await world.hear(keys, first);
    expect(keys.isApproved()).toBe(true);
    expect(keys.code()).not.toBe(asked);
    // After the removal of the device, somebody who noted its first code can't use that code to
    // give their own keys to the device.
    world.put(...(await first.rotate([idIn(keys)])));
    await world.hear(first, keys);
    world.put(...(await first.grant(asked)));
    const again = (await world.device(values)).keys;
    await world.hear(again);
    expect([again.code(), again.isApproved()]).toEqual([keys.code(), false]);
    world.put(...(await first.grant(again.code())));
    await world.hear(again);
    expect(again.isApproved()).toBe(true);
  });

  test('accepts the answer in any tab, even if another tab created the request', async () => {
    const world = keyWorld(29);
    const { keys: first } = await world.founded();
    const values = (await world.joined(first)).values;
    const tab = (await world.device(values)).keys;
    await world.hear(tab);
    values.set('p/request', new Uint8Array(16).fill(7));
    const other = (await world.device(values)).keys;
    world.put(...(await first.rotate([idIn(tab)])));
    await world.hear(first, tab);
    world.put(...(await first.grant(other.code())));
    await world.hear(tab);
    expect(tab.isApproved()).toBe(true);
  });
});
