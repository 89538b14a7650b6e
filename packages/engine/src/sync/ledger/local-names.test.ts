/** Tests the names that users give to members and devices on their own device. */
import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../base/bytes.ts';
import { SIGNATURE_BYTES } from '../../base/signatures.ts';
import { decodeStamp, ENTRY_NAME_BYTES, encodeNamingStamp } from '../../clock/stamp.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { memoryStore } from '../../platform/memory-store.ts';
import { logWorld, type TestDevice } from '../log/ledger-devices.fixture.ts';
import { openLocalNames } from './local-names.ts';

const PREFIX = 'remote/one/';

function place() {
  const values = new Map<string, Uint8Array>();
  const store = memoryStore(values);
  const open = async () =>
    openLocalNames({
      ...{ prefix: PREFIX, rows: await store.readPrefix(PREFIX) },
      save: async (changes) => void (await store.write(changes)),
    });
  return { values, open };
}

describe('the names of a device', () => {
  test('keeps names after a restart, changes and removes them', async () => {
    const { open, values } = place();
    const names = await open();
    await names.set(['person/aa', 'person/bb'], '  Mum ');
    await names.set(['device/cc'], 'Phone');
    await names.set(['person/bb'], 'Ben');
    const again = await open();
    expect((['person/aa', 'person/bb', 'device/cc', 'device/aa'] as const).map(again.of)).toEqual([
      ...['Mum', 'Ben', 'Phone'],
      undefined,
    ]);
    await again.set(['person/aa', 'person/bb', 'device/cc'], ' ');
    expect([again.of('person/aa'), values.size, again.changes()]).toEqual([undefined, 0, 1]);
  });

  test('rejects texts that no entry may have as a name, and more than 1,000 names', async () => {
    const { open } = place();
    const names = await open();
    for (const name of ['x'.repeat(201), 'a\u202eb', 'a\u0007b'])
      await expect(names.set(['device/aa'], name)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    const many = Array.from({ length: 1001 }, (_, n) => `device/${n}` as const);
    await expect(names.set(many, 'x')).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    expect(names.of('device/0')).toBeUndefined();
  });

  test('reports a damaged row', async () => {
    const { open, values } = place();
    values.set(`${PREFIX}log-names`, encode('text'));
    await expect(open()).rejects.toMatchObject({ code: 'CORRUPT' });
  });
});

describe('members and devices with names of your own', () => {
  const membersOf = ({ keys }: TestDevice) =>
    keys.keyring().log?.members.map(({ name, yourName }) => [name, yourName]);

  test('shows names beside the signed ones, on this device only, also after a restart', async () => {
    const world = logWorld(1);
    const { F, W } = await world.team();
    const own = F.keys.devices().find(({ isThis }) => isThis)?.id as string;
    const before = F.keys.keyringMark();
    await F.keys.rename({ user: 'W' }, 'Walter');
    await F.keys.rename({ device: own }, 'Laptop');
    expect(F.keys.keyringMark()).not.toBe(before);
    const again = await world.again(F);
    await again.hear();
    for (const one of [F, again]) {
      expect(membersOf(one)).toContainEqual(['W', 'Walter']);
      expect(one.keys.devices().find(({ id }) => id === own)?.yourName).toBe('Laptop');
    }
    await W.hear();
    expect(membersOf(W)).toContainEqual(['W', undefined]);
  });

  test('says which events a named device writes', async () => {
    const world = logWorld(4);
    const { F, W } = await world.team();
    const unsigned = encodeNamingStamp(0, W.signer.publicKey, new Uint8Array(ENTRY_NAME_BYTES));
    const stamp = decodeStamp(concatBytes([unsigned, new Uint8Array(SIGNATURE_BYTES)]));
    const its = F.keys.devices().find(({ owner }) => owner === 'W');
    expect(its?.eventDevice).toBe(stamp?.device);
    expect(stamp?.device).toMatch(/^[0-9a-f]{32}$/);
  });

  test('[M1] names a person, and nobody who is admitted with the same user id later', async () => {
    const world = logWorld(2);
    const { F, W, X } = await world.team();
    await F.keys.rename({ user: 'W' }, 'Walter');
    // The server, or an admin, invents another person with this user id.
    await world.admitted(F, 'W', 'read');
    await F.hear();
    expect(membersOf(F)?.filter(([name]) => name === 'W')).toEqual(
      expect.arrayContaining([
        ['W', 'Walter'],
        ['W', undefined],
      ]),
    );
    expect(world.personOf(W)).not.toBe(world.personOf(X));
  });

  test('rejects a name for somebody who is not here', async () => {
    const world = logWorld(3);
    const { F } = await world.team();
    for (const of of [{ user: 'nobody' }, { device: '00' }])
      await expect(F.keys.rename(of, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
