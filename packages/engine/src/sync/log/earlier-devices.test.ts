/**
 * Tests how the founder adds devices from before the log without their codes (L5). The gateway
 * checks nothing, and reports the users that a test chooses.
 */
import { type ConsentRecord, parseKeyRecord } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { equalBytes, hex } from '../../base/bytes.ts';
import { deviceIdOf } from '../../crypto/grant.ts';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import { consentText } from '../../crypto/log/consent.ts';
import { keysNamed } from '../../membership/form/signed-log.fixture.ts';
import { LEDGER, logWorld, type TestDevice } from './ledger-devices.fixture.ts';

type World = ReturnType<typeof logWorld>;

const hearAll = async (...devices: readonly TestDevice[]) => {
  for (const one of devices) await one.hear();
};
const idOf = ({ seal }: TestDevice) => hex(deviceIdOf(seal));
const earlier = ({ keys }: TestDevice) => keys.keyring().log?.earlierDevices ?? [];
const members = ({ keys }: TestDevice) =>
  keys
    .keyring()
    .log?.members.map(({ user, role }) => `${user} ${role}`)
    .sort();

/** Devices of F, W and R with the current key. F then starts a log. */
async function migrating(world: World) {
  const [F, W, R] = [await world.device('F'), await world.device('W'), await world.device('R')];
  await F.hear([]);
  for (const one of [W, R]) {
    world.put(one.keys.announcement());
    await hearAll(F, one);
    world.put(...(await F.keys.grant(one.keys.code())));
    await one.hear();
  }
  await F.start();
  await hearAll(F, W, R, F);
  return { F, W, R };
}

test('[T68, L5] lists devices from before the log, and adds them without `seen` and never as admins', async () => {
  const world = logWorld(1);
  const { F, W, R } = await migrating(world);
  expect(
    earlier(F)
      .map(({ user }) => user)
      .sort(),
  ).toEqual(['R', 'W']);
  // The consents of others tell nobody but the founder anything.
  expect(earlier(W)).toEqual([]);
  const add = (one: TestDevice, role: 'read' | 'write' | 'admin') =>
    F.keys.grant(idOf(one), { name: one.user, role });
  await expect(add(R, 'admin')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(F.keys.grant(idOf(R))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  for (const [one, role] of [
    [W, 'write'],
    [R, 'read'],
  ] as const) {
    world.put(...(await add(one, role)));
    await F.hear();
  }
  expect([earlier(F), members(F)]).toEqual([[], ['F admin', 'R read', 'W write']]);
  expect(world.entriesIn(world.list).filter((one) => one.kind === 'person' && one.seen)).toEqual([]);
  // They follow the log once their user compared it, and keep the key.
  await W.hear();
  await W.keys.acceptLog(W.keys.keyring().log?.id as string);
  await W.hear();
  expect([W.seals(), members(W)]).toEqual([F.seals(), members(F)]);
});

test('[L5] offers no device whose signing key the server or another member chose', async () => {
  const world = logWorld(2);
  const { F, W, R } = await migrating(world);
  const evil = await keysNamed('evil');
  const own = [...world.list].find((text) => {
    const record = parseKeyRecord(text);
    return record?.t === 'consent' && equalBytes(record.pub, W.seal);
  }) as string;
  world.list.delete(own);
  // A member has the data keys and their own pair, but not that of W.
  const bond = { pair: R.keys.pair, founder: F.seal, random: world.random };
  const text = await consentText(LEDGER, evil.signer, { pub: W.seal, user: 'W', bond });
  const moved = parseKeyRecord(own) as ConsentRecord;
  const fresh = await world.again(F);
  const list = [...world.list, text, encodeRecord({ ...moved, sign: evil.signer.publicKey })];
  await fresh.hear(list);
  expect(earlier(fresh).map(({ user }) => user)).toEqual(['R']);
  await fresh.hear([...list, own]);
  expect(
    earlier(fresh)
      .map(({ user }) => user)
      .sort(),
  ).toEqual(['R', 'W']);
});

test('[L5] offers no device that the server calls that of the founder', async () => {
  const world = logWorld(3);
  const [F, W] = [await world.device('F'), await world.device('W')];
  world.saysUser(W, 'F');
  await F.hear([]);
  world.put(W.keys.announcement());
  await hearAll(F, W);
  world.put(...(await F.keys.grant(W.keys.code())));
  await W.hear();
  await F.start();
  await hearAll(F, W, F);
  expect(earlier(F)).toEqual([]);
});

test('[L5] adds no device that the server calls that of another admin', async () => {
  const world = logWorld(4);
  const [F, R] = [await world.device('F'), await world.device('R')];
  world.saysUser(R, 'A');
  await F.hear([]);
  world.put(R.keys.announcement());
  await hearAll(F, R);
  world.put(...(await F.keys.grant(R.keys.code())));
  await R.hear();
  await F.start();
  await hearAll(F, R);
  await world.admitted(F, 'A', 'admin');
  await F.hear();
  expect(earlier(F).map(({ user }) => user)).toEqual(['A']);
  const asAdmin = { name: 'A', role: 'admin' } as const;
  await expect(F.keys.grant(idOf(R), asAdmin)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
