/**
 * Approvals in a sealed ledger with a membership log, and attacks on them. The gateway is modified:
 * it shows each device the texts that the test chooses, and reports the users that the test names.
 */
import { isEntryText, parseKeyRecord } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import type { LedgerAdmission } from '../../crypto/ledger-keys.ts';
import { consentText } from '../../crypto/log/consent.ts';
import { keysNamed } from '../../membership/form/signed-log.fixture.ts';
import { LEDGER, logWorld, type TestDevice } from './ledger-devices.fixture.ts';

type World = ReturnType<typeof logWorld>;

const ANN: LedgerAdmission = { name: 'Ann', role: 'write' };
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (cause: { code?: string }) => cause.code,
  );
const hearAll = async (...devices: readonly TestDevice[]) => {
  for (const one of devices) await one.hear();
};
const consentsIn = (texts: Iterable<string>) =>
  [...texts].filter((text) => parseKeyRecord(text)?.t === 'consent');

/** Opens a device of a user, which asks for approval. */
async function asks(world: World, name: string, user = name): Promise<TestDevice> {
  const made = await world.device(name);
  world.saysUser(made, user);
  world.put(made.keys.announcement());
  await made.hear();
  return made;
}

async function approve(world: World, by: TestDevice, asking: TestDevice, admission?: LedgerAdmission) {
  await by.hear();
  const texts = await by.keys.grant(asking.keys.code(), admission);
  world.put(...texts);
  await hearAll(by, asking);
  return texts;
}

describe('an approval', () => {
  test('[C6, J2] admits a person, whose device reads and writes, and who is listed by name', async () => {
    const world = logWorld(71);
    const { F, X } = await world.team();
    const asking = await asks(world, 'A');
    expect(asking.seals()).toBe('DEVICE_NOT_APPROVED');
    const code = asking.keys.code();
    await approve(world, F, asking, ANN);
    await X.hear();
    expect([asking.keys.log(), asking.seals()]).toEqual([F.keys.log(), F.seals()]);
    const members = X.keys.keyring().log?.members;
    expect(members?.find(({ user }) => user === 'A')).toMatchObject({ ...ANN, user: 'A', admittedBy: 'F' });
    expect(F.keys.isIn(code)).toBe(true);
    // The request was answered.
    expect(asking.keys.code()).not.toBe(code);
    world.put(...(await asking.keys.rotate([])));
    await hearAll(asking, F, X);
    expect([F.seals(), X.seals()]).toEqual([asking.seals(), asking.seals()]);
  });

  test('[C8] adds a device to its own person, and needs no name for it', async () => {
    const world = logWorld(72);
    const { X, F } = await world.team();
    const phone = await asks(world, 'X2', 'X');
    await approve(world, X, phone);
    await F.hear();
    expect(phone.seals()).toBe(F.seals());
    const own = phone.keys.devices().filter(({ isOwn }) => isOwn);
    expect(own.map(({ owner }) => owner)).toEqual(['X', 'X']);
    expect(F.keys.keyring().log?.members).toHaveLength(4);
  });

  test('[C6] is not for members who are not admins, nor without a name for another person', async () => {
    const world = logWorld(73);
    const { F, X } = await world.team();
    const asking = await asks(world, 'A');
    await hearAll(F, X);
    expect(await codeOf(X.keys.grant(asking.keys.code(), ANN))).toBe('FORBIDDEN');
    expect(await codeOf(F.keys.grant(asking.keys.code()))).toBe('REQUEST_INVALID');
    expect(await codeOf(F.keys.grant(asking.keys.code(), { ...ANN, name: '' }))).not.toBe('no error');
    expect(F.keys.keyring().log?.members).toHaveLength(4);
  });

  test('[J2] fails for a consent of other keys than those that the code names', async () => {
    const world = logWorld(74);
    const { F } = await world.team();
    const asking = await asks(world, 'A');
    const [right] = consentsIn(world.list);
    const { signer } = await keysNamed('Eve');
    const evil = await consentText(LEDGER, signer, { pub: asking.seal, user: 'A' });
    await F.hear([...world.list].map((text) => (text === right ? evil : text)));
    expect(await codeOf(F.keys.grant(asking.keys.code(), ANN))).toBe('NOT_FOUND');
    // With both in the list, the code chooses the right one.
    world.put(evil);
    await approve(world, F, asking, ANN);
    expect(asking.seals()).toBe(F.seals());
  });

  test('[F7] fails for a consent whose user or signature the gateway changed', async () => {
    const world = logWorld(75);
    const { F } = await world.team();
    const asking = await asks(world, 'A');
    const [right = ''] = consentsIn(world.list);
    const consent = parseKeyRecord(right);
    if (consent?.t !== 'consent') throw new Error('no consent');
    const forged = encodeRecord({ ...consent, user: new TextEncoder().encode('B') });
    await F.hear([...world.list].map((text) => (text === right ? forged : text)));
    expect(await codeOf(F.keys.grant(asking.keys.code(), ANN))).toBe('REQUEST_INVALID');
    expect(F.keys.keyring().log?.members).toHaveLength(4);
  });

  test('[M1] adds no device to the wrong person when the gateway lies about its user', async () => {
    const world = logWorld(76);
    const { F } = await world.team();
    for (const [name, user] of [
      ['A1', 'F'],
      ['A2', 'X'],
    ] as const) {
      const asking = await asks(world, name, user);
      await F.hear();
      expect(await codeOf(F.keys.grant(asking.keys.code(), ANN))).toBe('REQUEST_INVALID');
    }
    expect(F.keys.devices().filter(({ owner }) => owner === 'F')).toHaveLength(2);
  });

  test('[C8] adds a device of another member if its name and role are confirmed', async () => {
    const world = logWorld(77);
    const { F, X } = await world.team();
    const phone = await asks(world, 'X2', 'X');
    await approve(world, F, phone, { name: 'X', role: 'write' });
    await X.hear();
    expect([phone.seals(), F.keys.keyring().log?.members.length]).toEqual([X.seals(), 4]);
  });

  test('[M2, F10] is sent once more with the same entry if the answer was lost', async () => {
    const world = logWorld(78);
    const { F } = await world.team();
    const asking = await asks(world, 'A');
    await F.hear();
    const first = await F.keys.grant(asking.keys.code(), ANN);
    const again = await world.again(F);
    await again.hear();
    const second = await again.keys.grant(asking.keys.code(), ANN);
    const entries = (texts: readonly string[]) => texts.filter(isEntryText);
    expect(entries(second)).toEqual(entries(first));
    world.put(...first, ...second);
    await hearAll(again, asking);
    expect([asking.seals(), again.reports]).toEqual([again.seals(), []]);
  });

  test('[D4] gives the current key if another member rotated without knowing the new one', async () => {
    const world = logWorld(79);
    const { F, X } = await world.team();
    const [old, before] = [F.seals(), [...world.list]];
    const asking = await asks(world, 'A');
    const code = asking.keys.code();
    await F.hear();
    const texts = await F.keys.grant(code, ANN);
    // X rotates without knowing the new person.
    await X.hear(before);
    world.put(...(await X.keys.rotate([])), ...texts);
    await asking.hear();
    expect([asking.seals(), asking.keys.all().has(X.seals())]).toEqual([old, false]);
    await hearAll(F, X, asking);
    expect([F.seals(), F.keys.isIn(code), asking.seals()]).toEqual([X.seals(), true, X.seals()]);
  });

  test('[J3] lets a removed member return with the same device, as another person', async () => {
    const world = logWorld(80);
    const { F } = await world.team();
    const asking = await asks(world, 'A');
    await approve(world, F, asking, ANN);
    const id = asking.keys.devices().find(({ isThis }) => isThis)?.id as string;
    world.put(...(await F.keys.rotate([id])));
    await hearAll(F, asking);
    expect(asking.seals()).toBe('DEVICE_NOT_APPROVED');
    await asking.hear();
    await approve(world, F, asking, ANN);
    expect(asking.seals()).toBe(F.seals());
  });
});
