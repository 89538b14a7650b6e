/**
 * Tests that results which a device keeps until something changes follow every change: who
 * announced a device, who has the current key, and who signed twice in one place.
 */
import { describe, expect, test } from 'vitest';
import { logWorld, type TestDevice } from './ledger-devices.fixture.ts';

const pubOf = ({ seal }: TestDevice): string => Buffer.from(seal).toString('hex');
const textOf = ({ seal }: TestDevice): string => Buffer.from(seal).toString('base64url');

describe('what a device knows of the others', () => {
  test('follows each report of the server about who has access', async () => {
    const world = logWorld(1);
    const { F, W, X } = await world.team();
    const reported = (...devices: TestDevice[]) =>
      F.hear(
        [...world.list],
        devices.map((one) => ({ pub: textOf(one), user: one.user })),
      );
    const withAccess = () => [F, W, X].filter((one) => F.keys.access()?.has(pubOf(one)));
    const lost = () => F.keys.keyring().log?.withoutAccess.length;
    await reported(F, W, X);
    expect([withAccess(), lost()]).toEqual([[F, W, X], 2]);
    await reported(F, X);
    expect([withAccess(), lost()]).toEqual([[F, X], 3]);
    await reported(F, W, X);
    expect(withAccess()).toEqual([F, W, X]);
    // A report of as many devices, but of others.
    await reported(F, W);
    expect(withAccess()).toEqual([F, W]);
    await reported();
    expect(withAccess()).toEqual([]);
  });

  test('follows each record that gives somebody the current key', async () => {
    const world = logWorld(2);
    const { F, W, X } = await world.team();
    const holders = () => [F, W, X].filter((one) => F.keys.hasCurrent(pubOf(one)));
    expect(holders()).toEqual([F, W, X]);
    const late = await world.device('L');
    world.put(late.keys.announcement());
    await F.hear();
    expect(F.keys.hasCurrent(pubOf(late))).toBe(false);
    world.put(await world.grant(F, late));
    await F.hear();
    expect(F.keys.hasCurrent(pubOf(late))).toBe(true);
    const idOfX = X.keys.devices().find(({ isThis }) => isThis)?.id as string;
    world.put(...(await F.keys.rotate([idOfX])));
    await F.hear();
    expect([holders(), F.keys.hasCurrent(pubOf(late))]).toEqual([[F, W], false]);
  });

  test('[D4] gives each seat that a record misses one grant, also after many lists', async () => {
    const world = logWorld(3);
    const { F, W } = await world.team();
    const before = world.list.size;
    for (let lists = 0; lists < 3; lists++) await F.hear();
    expect([world.list.size, await F.keys.missingGrants()]).toEqual([before, []]);
    // A second device of a member, to which nobody granted the key.
    const second = await world.device('W');
    world.put(...(await world.deviceEntry(W, W, { signer: second.signer, seal: second.seal })));
    await F.hear();
    expect(F.keys.keyring().log?.forks).toEqual([]);
  });
});

describe('[F10] two copies of a device', () => {
  test('finds them at each place, and no other entries with the same previous one', async () => {
    const world = logWorld(4);
    const { F, W, X } = await world.team();
    const seen = [...world.list];
    const removal = (of: TestDevice) => ({ t: 'remove', person: Buffer.from(world.personOf(of), 'hex') });
    // The first entries of two seats have no previous one.
    world.put(...(await world.sign(W, removal(X), seen)), ...(await world.sign(X, removal(W), seen)));
    await F.hear();
    expect(F.keys.keyring().log?.forks).toEqual([]);
    // A copy of W signs another first entry.
    world.put(...(await world.sign(W, removal(F), seen)));
    await F.hear();
    expect(F.keys.keyring().log?.forks).toMatchObject([{ kind: 'copies', signer: 'W' }]);
    // And the founder signs twice after the same entry.
    const now = [...world.list];
    world.put(...(await world.sign(F, removal(W), now)), ...(await world.sign(F, removal(X), now)));
    await F.hear();
    expect(
      F.keys
        .keyring()
        .log?.forks.map(({ signer }) => signer)
        .sort(),
    ).toEqual(['F', 'W']);
  });
});
