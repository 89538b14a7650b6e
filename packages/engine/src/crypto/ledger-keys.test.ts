import { parseKeyRecord, type RotateRecord } from '@fixpoint/protocol/storage';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { concatBytes, utf8 } from '../base/bytes.ts';
import { newPair } from '../base/p256.ts';
import { encode } from '../codec/dag-cbor.ts';
import { memoryStore } from '../platform/memory-store.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { aesGcm } from './aes-gcm.ts';
import { makeGrant } from './grant.ts';
import { encodeRecord } from './ledger-key-records.ts';
import { saidOf } from './ledger-keys.fixture.ts';
import { type LedgerKeys, openLedgerKeys } from './ledger-keys.ts';
import { type LedgerKey, ledgerKey, objectName, openObject, sealObject } from './sealed-object.ts';
import { decodeCode, encodeCode } from './secret-code.ts';

const random = seededRandom(11);
const ledger = utf8('ledger');
const code = (name: string) => expect.objectContaining({ code: name }) as Error;

/** Creates devices of a sealed ledger, and the list that the gateway keeps for them. */
function gateway() {
  const list = new Set<string>();
  return {
    list,
    put: (...records: readonly string[]) => {
      for (const record of records) list.add(record);
    },
    texts: () => [...list].sort(),
    device: async (values = new Map<string, Uint8Array>()) => {
      const store = memoryStore(values);
      const keys = await openLedgerKeys({
        followsLogs: true,
        ledger,
        random,
        prefix: 'p/',
        rows: await store.readPrefix('p/'),
        save: async (rows) => void (await store.write(rows)),
        reread: () => store.readPrefix('p/'),
      });
      return { keys, values };
    },
  };
}

async function founded() {
  const there = gateway();
  const first = await there.device();
  there.put(...(await first.keys.create()));
  await first.keys.learn(there.texts());
  return { there, first: first.keys, values: first.values };
}

async function joined({ there, first }: Awaited<ReturnType<typeof founded>>) {
  const { keys, values } = await there.device();
  there.put(keys.announcement());
  await first.learn(there.texts());
  there.put(...(await first.grant(keys.code())));
  await keys.learn(there.texts());
  await first.learn(there.texts());
  return { keys, values };
}

const sealedBy = (keys: LedgerKeys) => sealObject(ledger, 'car', utf8('text'), keys.current(), random);
const opens = async (keys: LedgerKeys, sealed: Uint8Array) =>
  openObject(ledger, 'car', objectName(sealed), sealed, keys.all()).then(
    () => true,
    (error: { code?: string }) => error.code,
  );

describe('keys of a sealed ledger', () => {
  test('lets an approved device open objects that were sealed before and after its approval', async () => {
    const world = await founded();
    const before = await sealedBy(world.first);
    const { keys } = await joined(world);
    expect(await opens(keys, before)).toBe(true);
    expect(keys.current()).toEqual(world.first.current());
    expect(
      world.first
        .devices()
        .map(({ isThis }) => isThis)
        .sort(),
    ).toEqual([false, true]);
  });

  test('reports which devices ask for approval, the number of keys, and whether there is a recovery code', async () => {
    const world = await founded();
    const asks = (await world.there.device()).keys;
    world.there.put(asks.announcement());
    await world.first.learn(world.there.texts());
    const [first] = world.first.devices();
    const name = world.first.current().name;
    expect(world.first.keyring()).toEqual({
      current: name,
      count: 1,
      hasRecoveryCode: false,
      asking: [idIn(asks)],
    });
    expect(asks.keyring()).toMatchObject({ current: undefined, count: 0 });
    world.there.put(...(await world.first.grant(asks.code())));
    world.there.put(...(await world.first.newRecoveryCode()).records);
    await world.first.learn(world.there.texts());
    expect(world.first.keyring()).toMatchObject({ count: 1, hasRecoveryCode: true, asking: [] });
    const codes = world.first.devices().filter(({ isRecovery }) => isRecovery);
    world.there.put(...(await world.first.rotate([idIn(asks), ...codes.map(({ id }) => id)])));
    await world.first.learn(world.there.texts());
    // A removed device doesn't count as asking for approval.
    expect(world.first.keyring()).toMatchObject({ count: 2, hasRecoveryCode: false, asking: [] });
    expect(world.first.devices()).toEqual([first]);
  });

  test('calls a request rejected only if the server says so, and never on a device with the key', async () => {
    const { there, first } = await founded();
    const { keys } = await there.device();
    const own = keys.announcement();
    const hear = async (said: Parameters<LedgerKeys['learn']>[1]) => {
      await keys.learn(there.texts(), { keyList: there.texts(), devices: saidOf([own]), ...said });
      return keys.keyring().isRejected;
    };
    const [other, rejected] = [saidOf([first.announcement()]), saidOf([own])].map((all) =>
      all.map(({ pub }) => pub),
    );
    // A list without the request shows nothing.
    expect(await hear({})).toBeUndefined();
    expect(await hear({ rejected: other })).toBeUndefined();
    expect(await hear({ rejected: ['%', ...(rejected ?? [])] })).toBe(true);
    // A part of the list changes nothing.
    await keys.learn([]);
    expect(keys.keyring().isRejected).toBe(true);
    there.put(own);
    expect(await hear({ rejected: [] })).toBeUndefined();
    await first.learn(there.texts(), { keyList: there.texts(), devices: saidOf([own]) });
    expect(first.requests().get(first.keyring().asking[0] ?? '')).toBe(own);
    there.put(...(await first.grant(keys.code())));
    expect([await hear({ rejected }), keys.isApproved()]).toEqual([undefined, true]);
  });

  test('gives no key to an unapproved device, whatever the list contains', async () => {
    const world = await founded();
    await joined(world);
    const { keys } = await world.there.device();
    expect(await keys.learn(world.there.texts())).toBe(false);
    expect(() => keys.current()).toThrow(code('DEVICE_NOT_APPROVED'));
    expect(await opens(keys, await sealedBy(world.first))).toBe('KEY_UNKNOWN');
    await expect(keys.grant(keys.code())).rejects.toThrow(code('NOT_FOUND'));
  });

  test('[S4] opens a grant only for the device with the code, no matter which member created the grant', async () => {
    const world = await founded();
    const victim = (await world.there.device()).keys;
    world.there.put(victim.announcement());
    // A gateway knows the victim's public key, but not the secret in its code.
    const wrong = decodeCode(victim.code(), 32).slice();
    wrong[25] = (wrong[25] ?? 0) ^ 1;
    const attacker = await founded();
    await attacker.first.learn(world.there.texts());
    world.there.put(...(await attacker.first.grant(encodeCode(wrong))));
    expect(await victim.learn(world.there.texts())).toBe(false);
  });

  test('[S5] gives the next key after a removal to all devices except the removed one', async () => {
    const world = await founded();
    const stays = (await joined(world)).keys;
    const leaves = (await joined(world)).keys;
    await stays.learn(world.there.texts());
    const leaving = world.first.devices().find(({ id }) => id === idIn(leaves));
    expect(leaving).toBeDefined();
    const before = await sealedBy(world.first);
    world.there.put(...(await world.first.rotate([idIn(leaves)])));
    for (const keys of [world.first, stays, leaves]) await keys.learn(world.there.texts());
    const after = await sealedBy(stays);
    expect([await opens(world.first, after), await opens(stays, before)]).toEqual([true, true]);
    expect([await opens(leaves, after), await opens(leaves, before)]).toEqual(['KEY_UNKNOWN', true]);
    expect(() => leaves.current()).toThrow(code('DEVICE_NOT_APPROVED'));
    expect(stays.devices().length).toBe(2);
    // After a new approval, the removed device gets the current key.
    world.there.put(...(await stays.grant(leaves.code())));
    await leaves.learn(world.there.texts());
    expect(leaves.current()).toEqual(stays.current());
  });

  test('[S5] keeps a removed device from continuing with a key that it received before its removal', async () => {
    const world = await founded();
    const { keys: leaves } = await joined(world);
    for (const removed of [[], [idIn(leaves)]]) {
      world.there.put(...(await world.first.rotate(removed)));
      await world.first.learn(world.there.texts());
    }
    await leaves.learn(world.there.texts());
    expect([leaves.isApproved(), leaves.keyring().count]).toEqual([false, 2]);
    expect(() => leaves.current()).toThrow(code('DEVICE_NOT_APPROVED'));
  });

  test('[S5] can remove a device when the maximum number is reached, and rejects one device more', {
    ...long,
    timeout: 120_000,
  }, async () => {
    const world = await founded();
    const { there, first } = world;
    const last = (await joined(world)).keys;
    // Recovery codes count like devices, and are faster to create.
    while (first.devices().length < 200) {
      there.put(...(await first.newRecoveryCode()).records);
      await first.learn(there.texts());
    }
    await expect(first.newRecoveryCode()).rejects.toThrow(code('LIMIT_REACHED'));
    const more = (await there.device()).keys;
    there.put(more.announcement());
    await first.learn(there.texts());
    await expect(first.grant(more.code())).rejects.toThrow(code('LIMIT_REACHED'));
    const [rotation = ''] = await first.rotate([idIn(last)]);
    expect(rotation.length).toBeLessThanOrEqual(32_768);
    there.put(rotation);
    for (const keys of [first, last]) await keys.learn(there.texts());
    expect(first.devices()).toHaveLength(199);
    expect(() => last.current()).toThrow(code('DEVICE_NOT_APPROVED'));
    there.put(...(await first.grant(more.code())));
    await more.learn(there.texts());
    expect(more.current()).toEqual(first.current());
  });

  test('[S5] keeps a removed member from making a key of their own the current one', async () => {
    const world = await founded();
    const stays = (await joined(world)).keys;
    const leaves = (await joined(world)).keys;
    await stays.learn(world.there.texts());
    const [forged = ''] = await leaves.rotate([]);
    const ofTheirOwn = encodeRecord(await grantOfOwnKey(stays));
    world.there.put(...(await world.first.rotate([idIn(leaves)])));
    for (const keys of [world.first, stays]) await keys.learn(world.there.texts());
    const right = stays.current();
    world.there.put(forged, ofTheirOwn);
    await stays.learn(world.there.texts());
    expect(stays.current()).toEqual(right);
  });

  test('[S5] ignores a rotation if its box contains a different key than the record states', async () => {
    const world = await founded();
    const { keys } = await joined(world);
    const prev = keys.current();
    const [said, inside] = [ledgerKey(random.bytes(32)), ledgerKey(random.bytes(32))];
    const device = parseKeyRecord(keys.announcement());
    if (device?.t !== 'device') throw new Error('no device');
    const once = await newPair(random.bytes(32));
    const salt = concatBytes([once.publicKey, device.pub]);
    const kek = await aesGcm.derive(await once.agree(device.pub), salt, 'fixpoint rotate 1');
    const rotation = async (key: LedgerKey, boxed: LedgerKey) => {
      const bound = encode([1, 'rotate', ledger, key.id, prev.id, device.pub]);
      const box = await aesGcm.encrypt(kek, new Uint8Array(12), boxed.material, bound);
      const body = {
        t: 'rotate',
        key: key.id,
        prev: prev.id,
        pubs: [device.pub],
        eph: once.publicKey,
      } as const;
      const nonce = random.bytes(12);
      const proofKey = await aesGcm.derive(prev.material, new Uint8Array(), 'fixpoint proof 1');
      const proven = encode([1, 'proof', ledger, { ...body, boxes: [box] }]);
      const tag = await aesGcm.encrypt(proofKey, nonce, new Uint8Array(), proven);
      return encodeRecord({ ...body, boxes: [box], proof: concatBytes([nonce, tag]) });
    };
    expect(await keys.learn([...world.there.texts(), await rotation(said, inside)])).toBe(false);
    expect([keys.current(), keys.all().has(inside.name)]).toEqual([prev, false]);
    await keys.learn([await rotation(inside, inside)]);
    expect(keys.current()).toEqual(inside);
  });

  test('follows several rotations, whatever their order in the list', async () => {
    const world = await founded();
    const late = await joined(world);
    const sealed: Uint8Array[] = [];
    for (let n = 0; n < 5; n++) {
      world.there.put(...(await world.first.rotate([])));
      await world.first.learn(world.there.texts());
      sealed.push(await sealedBy(world.first));
    }
    const again = (await world.there.device(late.values)).keys;
    await again.learn(world.there.texts().reverse());
    expect(again.current()).toEqual(world.first.current());
    for (const one of sealed) expect(await opens(again, one)).toBe(true);
  });

  test('[S5] continues with the newest key when an approved device is approved again, and hides that key from a removed device', async () => {
    const world = await founded();
    const { keys: away } = await joined(world);
    const { keys: removed } = await joined(world);
    for (const ids of [[idIn(removed)], []]) {
      world.there.put(...(await world.first.rotate(ids)));
      await world.first.learn(world.there.texts());
    }
    world.there.put(...(await world.first.grant(away.code())));
    await away.learn(world.there.texts());
    expect(away.current()).toEqual(world.first.current());
    expect(away.keyring().count).toBe(3);
    await removed.learn(world.there.texts());
    expect(await opens(removed, await sealedBy(away))).toBe('KEY_UNKNOWN');
  });

  test('opens all keys with a recovery code when all devices are lost, including keys of later rotations', async () => {
    const world = await founded();
    const { code: recovery, records } = await world.first.newRecoveryCode();
    world.there.put(...records);
    await world.first.learn(world.there.texts());
    const before = await sealedBy(world.first);
    world.there.put(...(await world.first.rotate([])));
    await world.first.learn(world.there.texts());
    const after = await sealedBy(world.first);
    const { keys, values } = await world.there.device();
    await keys.learn(world.there.texts());
    await expect(keys.recover(encodeCode(new Uint8Array(20)))).rejects.toThrow(code('KEY_UNKNOWN'));
    await expect(keys.recover(`${recovery}X`)).rejects.toThrow(code('REQUEST_INVALID'));
    world.there.put(...(await keys.recover(recovery.toLowerCase())));
    const again = (await world.there.device(values)).keys;
    await again.learn(world.there.texts());
    expect([await opens(again, before), await opens(again, after)]).toEqual([true, true]);
    expect(again.current()).toEqual(world.first.current());
  });

  test('[S1] remembers records of the current key across restarts, but no recovery codes of other users', async () => {
    const world = await founded();
    const { there, first, values } = world;
    const other = await joined(world);
    const [mine = ''] = (await first.newRecoveryCode()).records;
    const [theirs = ''] = (await other.keys.newRecoveryCode()).records;
    there.put(mine, theirs);
    const entryOf = (text: string, user: string) => {
      const record = parseKeyRecord(text);
      const pub = record !== undefined && 'pub' in record ? record.pub : new Uint8Array();
      return { pub: Buffer.from(pub).toString('base64url'), user, since: '' };
    };
    const own = entryOf(first.announcement(), 'first');
    const [ownCode, theirCode] = [entryOf(mine, 'first'), entryOf(theirs, 'other')];
    const asked = entryOf(other.keys.announcement(), 'other');
    await first.learn(there.texts(), { devices: [own, asked, ownCode, theirCode] });
    const kept = there.texts().filter((text) => parseKeyRecord(text)?.t !== 'device' && text !== theirs);
    expect(first.lost(new Set()).flat().sort()).toEqual(kept);
    expect(first.lost(new Set(there.texts()))).toEqual([]);

    const again = (await there.device(values)).keys;
    await again.learn([first.announcement()], { devices: [own] });
    expect(again.lost(new Set()).flat().sort()).toEqual(kept);
    expect(again.devices().length).toBe(4);
    // The device now belongs to another user.
    await again.learn([], { devices: [{ ...own, user: 'third' }] });
    expect(again.lost(new Set()).flat().sort()).toEqual(kept.filter((text) => text !== mine));
    // After a rotation, these records no longer belong to the current key.
    there.put(...(await again.rotate([])));
    await again.learn(there.texts());
    expect(
      again
        .lost(new Set())
        .flat()
        .map((text) => parseKeyRecord(text)?.t),
    ).toEqual(['rotate']);
    expect(again.lost(new Set(there.texts()))).toEqual([]);
  });

  test('restores keys after a restart', async () => {
    const world = await founded();
    const again = (await world.there.device(world.values)).keys;
    expect(again.current()).toEqual(world.first.current());
    expect(again.code()).toBe(world.first.code());
  });

  test('[R4] reports a truncated key pair of this device as CORRUPT, and creates no new pair', async () => {
    const { there, values } = await founded();
    const pair = values.get('p/pair') ?? new Uint8Array();
    values.set('p/pair', pair.subarray(1));
    await expect(there.device(values)).rejects.toThrow(code('CORRUPT'));
    values.set('p/pair', pair);
    expect((await there.device(values)).keys.isApproved()).toBe(true);
  });

  test('[R20] ignores a changed record without throwing', async () => {
    const world = await founded();
    const late = await joined(world);
    world.there.put(...(await world.first.rotate([])));
    const right = world.there.texts();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(right.length - 1),
        fc.nat(),
        fc.string({ maxLength: 3 }),
        async (which, at, text) => {
          const record = right[which] ?? '';
          const place = at % record.length;
          const changed = record.slice(0, place) + text + record.slice(place + 1);
          const { keys } = await world.there.device(new Map(late.values));
          await keys.learn([changed]);
          expect(keys.all().size).toBeLessThanOrEqual(isSameRotation(changed, record) ? 2 : 1);
        },
      ),
      { numRuns: 150 },
    );
  });
});

/**
 * Returns whether two records are the same rotation. Ignores `back`, which the proof of a rotation
 * doesn't cover.
 */
function isSameRotation(changed: string, record: string): boolean {
  const [a, b] = [parseKeyRecord(changed), parseKeyRecord(record)];
  const bare = (one: typeof a) => one && encodeRecord({ ...one, back: new Uint8Array(28) } as RotateRecord);
  return a?.t === 'rotate' && bare(a) === bare(b);
}

/**
 * Creates a record for which an attacker needs only a device's code and announcement: a grant of
 * the attacker's own key, proven with that key.
 */
async function grantOfOwnKey(keys: LedgerKeys) {
  const own = ledgerKey(random.bytes(32));
  const said = parseKeyRecord(keys.announcement());
  if (said?.t !== 'device') throw new Error('an announcement is of a device');
  const secret = decodeCode(keys.code(), 32).subarray(16);
  return makeGrant({ ledger, random, keys: [own], current: own }, said.pub, secret);
}
const idIn = (keys: LedgerKeys) => Buffer.from(decodeCode(keys.code(), 32).subarray(0, 16)).toString('hex');

describe('sealed objects', () => {
  test('[S16] seals equal plain bytes to different bytes with a different name each time', async () => {
    const { first } = await founded();
    const names = await Promise.all([1, 2, 3].map(async () => objectName(await sealedBy(first))));
    expect(new Set(names).size).toBe(3);
  });

  test('[R4] rejects changed or truncated objects, objects of another ledger or store, and objects under a wrong name', async () => {
    const { first } = await founded();
    const sealed = await sealedBy(first);
    const refused = async (bytes: Uint8Array, name = objectName(bytes), where = ledger, store = 'car') =>
      openObject(where, store, name, bytes, first.all()).then(
        () => 'opened',
        (error: { code?: string }) => error.code,
      );
    expect(await refused(sealed)).toBe('opened');
    expect(await refused(sealed, objectName(utf8('x')))).toBe('CORRUPT');
    expect(await refused(sealed, objectName(sealed), utf8('other'))).toBe('CORRUPT');
    expect(await refused(sealed, objectName(sealed), ledger, 'meta')).toBe('CORRUPT');
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await refused(changed, objectName(sealed))).toBe('CORRUPT');
      expect(await refused(changed)).toMatch(/^(CORRUPT|KEY_UNKNOWN|FORMAT_NEWER)$/);
      expect(await refused(sealed.subarray(0, at))).toMatch(/^(CORRUPT|KEY_UNKNOWN|FORMAT_NEWER)$/);
    }
  });
});

test('accepts codes as people type them, and detects a wrong letter', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.nat(), (secret, at) => {
      const text = encodeCode(secret);
      expect(decodeCode(text, 20)).toEqual(secret);
      expect(
        decodeCode(text.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l'), 20),
      ).toEqual(secret);
      const letters = [...text.replaceAll('-', '')];
      letters[at % letters.length] = letters[at % letters.length] === 'Z' ? 'Y' : 'Z';
      if (at % letters.length < letters.length - 4)
        try {
          expect(decodeCode(letters.join(''), 20)).not.toEqual(secret);
        } catch (error) {
          expect((error as { code?: string }).code).toBe('REQUEST_INVALID');
        }
    }),
  );
});
