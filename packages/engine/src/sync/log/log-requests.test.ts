/**
 * Tests recovery codes of members other than the founder: the member's device asks, and an admin
 * confirms. The gateway checks nothing.
 */
import { parseKeyRecord, type Signer, signedCodeRequest } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import { bytesOf, codeFields, keysNamed } from '../../membership/form/signed-log.fixture.ts';
import { LEDGER, logWorld, type TestDevice } from './ledger-devices.fixture.ts';

type World = ReturnType<typeof logWorld>;

const hearAll = async (...devices: readonly TestDevice[]) => {
  for (const one of devices) await one.hear();
};
const requestsOf = ({ keys }: TestDevice) => keys.keyring().log?.codeRequests ?? [];
const idOf = ({ keys }: TestDevice) => keys.devices().find(({ isThis }) => isThis)?.id as string;

/** Makes a member ask for a code. */
async function asked(world: World, by: TestDevice): Promise<string> {
  await world.time.pass(1000);
  const { code, records } = await by.keys.newRecoveryCode();
  world.put(...records);
  return code;
}

/** Makes an admin confirm the only request. */
async function confirm(world: World, by: TestDevice) {
  await by.hear();
  const [request, ...others] = requestsOf(by);
  expect(others).toEqual([]);
  world.put(...(await by.keys.grant(request?.id as string)));
  await by.hear();
}

/** Opens a new device of a user, and recovers it. */
async function recovered(world: World, user: string, code: string): Promise<TestDevice> {
  const made = await world.device(`${user} again`);
  world.saysUser(made, user);
  await made.hear();
  world.put(...(await made.keys.recover(code)));
  await made.hear();
  return made;
}

test('[J5] gives a member a code that an admin confirms, also if the key changes in between', async () => {
  const world = logWorld(1);
  const { F, W, X } = await world.team();
  const code = await asked(world, W);
  await hearAll(F, W);
  const [request] = requestsOf(F);
  expect(request).toMatchObject({ user: 'W', name: 'W', isYou: false });
  expect(requestsOf(W)).toMatchObject([{ id: request?.id, isYou: true }]);
  world.put(...(await F.keys.rotate([idOf(X)])));
  await hearAll(F, W);
  await confirm(world, F);
  await hearAll(W, F, W);
  expect([requestsOf(F), requestsOf(W)]).toEqual([[], []]);
  const again = await recovered(world, 'W', code);
  await hearAll(F, again);
  expect(again.seals()).toBe(F.seals());
  expect(again.keys.keyring().log?.members.find(({ isYou }) => isYou)?.user).toBe('W');
});

test('[J5] adds no device by a code before its confirmation', async () => {
  const world = logWorld(2);
  const { W } = await world.team();
  const code = await asked(world, W);
  await expect(recovered(world, 'W', code)).rejects.toMatchObject({ code: 'DEVICE_NOT_APPROVED' });
});

test('[J5, M2] replaces the earlier code of the member, which may be lost', async () => {
  const world = logWorld(3);
  const { F, W } = await world.team();
  const first = await asked(world, W);
  await confirm(world, F);
  await W.hear();
  const unsaved = await asked(world, W);
  const second = await asked(world, W);
  const before = F.seals();
  await confirm(world, F);
  expect(F.seals()).not.toBe(before);
  for (const code of [first, unsaved])
    await expect(recovered(world, 'W', code)).rejects.toMatchObject({ code: 'DEVICE_NOT_APPROVED' });
  expect((await recovered(world, 'W', second)).seals()).toBe(F.seals());
});

test('[J5] offers no code that somebody else made for a member', async () => {
  const world = logWorld(4);
  const { F, W, X } = await world.team();
  const evil = await keysNamed('evil');
  const { cok, csign, cseal } = await codeFields('W', evil);
  const forge = async (as: TestDevice, by: Signer) => {
    const place = { at: new Uint8Array(6), in: bytesOf(world.seatOf(as)) };
    const fields = { t: 'code', pub: cseal, sign: csign, user: utf8('W'), ok: cok } as const;
    const signer = { ...by, publicKey: as.signer.publicKey };
    return encodeRecord(await signedCodeRequest({ ...fields, ...place }, LEDGER, signer));
  };
  // The server signs with its own key, and X with theirs.
  world.put(await forge(W, evil.signer), await forge(X, X.signer), await forge(W, X.signer));
  await F.hear();
  expect(requestsOf(F)).toEqual([]);
  world.put(await forge(W, W.signer));
  await F.hear();
  expect(requestsOf(F)).toHaveLength(1);
});

test('[C9] lets only admins above a member confirm, and nobody for the founder', async () => {
  const world = logWorld(5);
  const { F, W, X } = await world.team();
  await asked(world, W);
  await X.hear();
  const [request] = requestsOf(X);
  await expect(X.keys.grant(request?.id as string)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(F.keys.newRecoveryCode()).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('[J5] stops offering a code once its device was removed', async () => {
  const world = logWorld(6);
  const { F, W } = await world.team();
  await asked(world, W);
  await F.hear();
  expect(requestsOf(F)).toHaveLength(1);
  world.put(...(await F.keys.rotate([idOf(W)])));
  await F.hear();
  expect(requestsOf(F)).toEqual([]);
  expect([...world.list].filter((text) => parseKeyRecord(text)?.t === 'code')).toHaveLength(1);
});

test('[J5] puts the same entry again if the answer to a confirmation got lost', async () => {
  const world = logWorld(7);
  const { F, W } = await world.team();
  const code = await asked(world, W);
  await F.hear();
  const [request] = requestsOf(F);
  const texts = await F.keys.grant(request?.id as string);
  expect(await F.keys.grant(request?.id as string)).toEqual(texts);
  const again = await world.again(F);
  expect(await again.keys.grant(request?.id as string).catch(({ code: why }) => why)).not.toEqual(texts);
  world.put(...texts);
  await hearAll(F, again, W);
  expect([F.keys.isIn(request?.id as string), F.keys.keyring().log?.forks]).toEqual([true, []]);
  expect((await recovered(world, 'W', code)).seals()).toBe(F.seals());
});

test('[J5] shows the newest request of each member, whatever the order of their arrival', async () => {
  const world = logWorld(8);
  const { F, W, X } = await world.team();
  const codes = [await asked(world, W), await asked(world, W)];
  await asked(world, X);
  const records = [...world.list].filter((text) => parseKeyRecord(text)?.t === 'code');
  const others = [...world.list].filter((text) => !records.includes(text));
  await F.hear([...others, ...records.toReversed()]);
  expect(
    requestsOf(F)
      .map(({ user }) => user)
      .sort(),
  ).toEqual(['W', 'X']);
  const ofW = requestsOf(F).find(({ user }) => user === 'W');
  world.put(...(await F.keys.grant(ofW?.id as string)));
  await F.hear();
  expect((await recovered(world, 'W', codes[1] as string)).seals()).toBe(F.seals());
});

test('[J5] lets only the device that asks answer for its own person', async () => {
  const world = logWorld(9);
  const { F, W } = await world.team();
  const { csign, cseal, cok } = await codeFields('F', await keysNamed('code'));
  const place = { at: new Uint8Array(6), in: bytesOf(world.seatOf(W)) };
  const fields = { t: 'code', pub: cseal, sign: csign, user: utf8('F'), ok: cok } as const;
  // W signs a request in the name of the founder.
  world.put(encodeRecord(await signedCodeRequest({ ...fields, ...place }, LEDGER, W.signer)));
  const broken = { ...fields, user: Uint8Array.of(0xff, 0xfe) };
  world.put(encodeRecord(await signedCodeRequest({ ...broken, ...place }, LEDGER, W.signer)));
  await F.hear();
  expect(requestsOf(F)).toEqual([]);
});

test('[J5] rejects a code whose own key did not consent', async () => {
  const world = logWorld(10);
  const { F, W } = await world.team();
  const [code, other] = [
    await codeFields('W', await keysNamed('code')),
    await codeFields('W', await keysNamed('other')),
  ];
  const fields = { t: 'code', pub: code.cseal, sign: code.csign, user: utf8('W'), ok: other.cok } as const;
  const place = { at: new Uint8Array(6), in: bytesOf(world.seatOf(W)) };
  world.put(encodeRecord(await signedCodeRequest({ ...fields, ...place }, LEDGER, W.signer)));
  await F.hear();
  const [request] = requestsOf(F);
  await expect(F.keys.grant(request?.id as string)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  await F.hear();
  expect(F.seals()).toBe(W.seals());
});
