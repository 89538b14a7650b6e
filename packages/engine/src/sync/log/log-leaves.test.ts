/**
 * Tests that members help each other: grants to seats that a rotation missed (D4), confirmations
 * that somebody left (C4), and new keys after some days. The gateway checks nothing.
 */
import { parseKeyRecord } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { equalBytes, hex } from '../../base/bytes.ts';
import { deviceIdOf, makeGrant, SEAT_SECRET } from '../../crypto/grant.ts';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import { ledgerKey } from '../../crypto/sealed-object.ts';
import { keysNamed } from '../../membership/form/signed-log.fixture.ts';
import { LEDGER, logWorld, type TestDevice } from './ledger-devices.fixture.ts';

type World = ReturnType<typeof logWorld>;

const DAY_MS = 86_400_000;
const idOf = ({ keys }: TestDevice) => keys.devices().find(({ isThis }) => isThis)?.id as string;
const hearAll = async (...devices: readonly TestDevice[]) => {
  for (const one of devices) await one.hear();
};
const kindsIn = (world: World, texts: Iterable<string>) => world.entriesIn(texts).map(({ kind }) => kind);
const removalsIn = (world: World) => kindsIn(world, world.list).filter((kind) => kind === 'remove').length;

/** Grants without a recovery code to a device. */
const grantsTo = ({ list }: World, { seal }: TestDevice) =>
  [...list].filter((text) => {
    const record = parseKeyRecord(text);
    return record?.t === 'grant' && record.locked === undefined && equalBytes(record.pub, seal);
  });

describe('a seat that a rotation missed', () => {
  /** F removes X without knowing P, whom A admits at the same time. */
  async function missed(world: World) {
    const { F, W, X, R } = await world.team();
    const A = await world.admitted(F, 'A', 'admin');
    await hearAll(F, W, A);
    const before = [...world.list];
    const removal = await F.keys.rotate([idOf(X)]);
    const P = await world.admitted(A, 'P', 'read');
    world.put(...removal);
    return { F, W, X, R, A, P, known: [...before, ...removal] };
  }

  test('[D4] gets the key from a device that has it, also if it may only read', async () => {
    const world = logWorld(1);
    const { F, W, P } = await missed(world);
    await P.hear();
    expect(P.seals()).toBe('KEY_INVALID');
    const before = grantsTo(world, P).length;
    await F.hear();
    expect(grantsTo(world, P)).toHaveLength(before + 1);
    // Nobody else repeats it.
    await hearAll(W, P, F, W);
    expect(grantsTo(world, P)).toHaveLength(before + 1);
    expect([P.seals(), W.seals()]).toEqual([F.seals(), F.seals()]);
    const again = await world.again(P);
    expect(again.seals()).toBe(F.seals());
  });

  test('[D4] gets no key from a grant of a removed device, nor one that no entry names', async () => {
    const world = logWorld(2);
    const { F, X, P, known } = await missed(world);
    await F.hear(known);
    await P.hear();
    const grantOf = async (material: Uint8Array, name: Uint8Array) => {
      const next = { ...ledgerKey(material), id: name };
      const given = { ledger: LEDGER, random: world.random, keys: [ledgerKey(material)], current: next };
      return encodeRecord(await makeGrant(given, P.seal, SEAT_SECRET));
    };
    const mine = ledgerKey(world.random.bytes(32));
    const current = F.keys.current().id;
    const held = P.keys.all().size;
    world.put(await grantOf(mine.material, mine.id), await grantOf(mine.material, current));
    await P.hear();
    expect(P.keys.all().size).toBe(held);
    // A removed device gives nobody keys, and gets none.
    const grants = grantsTo(world, P).length;
    await X.hear();
    expect([grantsTo(world, P).length, X.seals()]).toEqual([grants, 'DEVICE_NOT_APPROVED']);
  });

  test('[T48, D4] gives the key to few at once, and to the others with the next lists', async () => {
    const world = logWorld(9);
    const { F, W } = await world.team();
    await hearAll(F, W);
    const before = await F.keys.missingGrants();
    for (let one = 0; one < 40; one++)
      world.put(...(await world.deviceEntry(W, W, await keysNamed(`more ${one}`))));
    await F.keys.learn([...world.list]);
    expect([before.length, (await F.keys.missingGrants()).length]).toEqual([0, 32]);
    await F.hear();
    await F.hear([...world.list, 'S1.']);
    expect(await F.keys.missingGrants()).toEqual([]);
  });

  test('[D4] gets nothing from a device that waits, or may only read', async () => {
    const world = logWorld(10);
    const { F, W, X, R } = await world.team();
    await hearAll(F, W, X, R);
    world.put(...(await world.deviceEntry(W, W, await keysNamed('more'))));
    await hearAll(R);
    expect(await R.keys.missingGrants()).toEqual([]);
    const removal = await F.keys.rotate([idOf(X)]);
    world.put(...removal.filter((text) => parseKeyRecord(text)?.t !== 'rotate'));
    await W.keys.learn([...world.list]);
    expect([W.seals(), await W.keys.missingGrants()]).toEqual(['KEY_INVALID', []]);
  });
});

describe('a device that leaves', () => {
  test('[C4] is removed by a higher device of the person who admitted it, and by no other', async () => {
    const world = logWorld(3);
    const { F, W, X, R } = await world.team();
    const seen = [...world.list];
    world.put(...(await W.keys.rotate([idOf(W)])));
    await hearAll(W, X, R);
    expect([W.seals(), removalsIn(world)]).toEqual(['DEVICE_NOT_APPROVED', 0]);
    const before = F.seals();
    await F.hear();
    expect(removalsIn(world)).toBe(1);
    await hearAll(F, X, R, F, W);
    expect(removalsIn(world)).toBe(1);
    expect(F.seals()).not.toBe(before);
    expect([X.seals(), R.seals()]).toEqual([F.seals(), F.seals()]);
    // Afterwards, entries that claim not to know of it don't count (C1).
    world.put(...(await world.sign(W, { t: 'key', rot: new Uint8Array(48) }, seen)));
    await F.hear();
    expect(F.keys.keyring().log?.ignored.map(({ rule }) => rule)).toEqual(['C1']);
  });

  test.each([true, false])('[C4] ends the devices that it added only if it names them: %s', async (all) => {
    const world = logWorld(4);
    const { F, W } = await world.team();
    const W2 = await keysNamed('W2');
    world.put(...(await world.deviceEntry(W, W, W2)));
    await hearAll(F, W);
    const lower = hex(deviceIdOf(W2.seal));
    world.put(...(await W.keys.rotate(all ? [lower, idOf(W)] : [idOf(W)])));
    await F.hear();
    expect(removalsIn(world)).toBe(all ? 2 : 1);
    const members = F.keys.keyring().log?.members.map(({ user }) => user);
    expect(members?.includes('W')).toBe(!all);
  });
});

test('[C4] removes a device, although more devices left than one request can confirm', async () => {
  const world = logWorld(8);
  const { F, X, R } = await world.team();
  for (let n = 0; n < 70; n++) {
    const more = await keysNamed(`R${n}`);
    world.put(...(await world.deviceEntry(R, R, more)));
    world.put(...(await world.sign({ signer: more.signer } as TestDevice, { t: 'leave' })));
  }
  await F.hear();
  const texts = await F.keys.rotate([idOf(X)]);
  expect(kindsIn(world, texts).filter((kind) => kind === 'remove')).toHaveLength(17);
  world.put(...texts);
  await hearAll(F, X);
  expect([X.seals(), F.seals() === 'KEY_INVALID']).toEqual(['DEVICE_NOT_APPROVED', false]);
});

test('[C4] creates no key for a leave that no entry can confirm', async () => {
  const world = logWorld(10);
  const { F, W } = await world.team();
  for (let n = 0; n < 65; n++) world.put(...(await world.deviceEntry(W, W, await keysNamed(`W${n}`))));
  world.put(...(await world.sign(W, { t: 'leave' })));
  await F.hear();
  expect(await F.keys.confirmLeaves()).toEqual([]);
});

test('[C4, C2] removes a device, although one that left had added more than an entry can keep', async () => {
  const world = logWorld(9);
  const { F, W, X } = await world.team();
  for (let n = 0; n < 65; n++) world.put(...(await world.deviceEntry(W, W, await keysNamed(`W${n}`))));
  world.put(...(await world.sign(W, { t: 'leave' })));
  await F.hear();
  const texts = await F.keys.rotate([idOf(X)]);
  expect(kindsIn(world, texts).filter((kind) => kind === 'remove')).toHaveLength(1);
  world.put(...texts);
  await hearAll(F, X);
  expect([X.seals(), F.seals() === 'KEY_INVALID']).toEqual(['DEVICE_NOT_APPROVED', false]);
});

describe('a key that becomes old', () => {
  test('is replaced before the next changes are sent, by a member who may write', async () => {
    const world = logWorld(7, { newKeyAfter: 30 });
    const { F, W, R } = await world.team();
    await hearAll(F, W, R);
    const first = W.seals();
    await world.time.pass(29 * DAY_MS);
    await hearAll(F, W, R);
    expect(await W.sends()).toBe(first);
    await world.time.pass(2 * DAY_MS);
    expect(await R.sends()).toBe(first);
    const next = await W.sends();
    expect(next).not.toBe(first);
    await hearAll(F, R);
    expect([F.seals(), R.seals(), await F.sends()]).toEqual([next, next, next]);
  });
});
