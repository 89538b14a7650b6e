/** Rejections of devices that ask for approval, and what their tabs conclude from lists. */
import { describe, expect, test } from 'vitest';
import { deviceIdOf } from '../../crypto/grant.ts';
import { logWorld, type TestDevice } from '../log/ledger-devices.fixture.ts';
import { asks, first, operationsOf, removesIn } from '../log/ledger-operations.fixture.ts';

describe('a rejection by the handle', () => {
  const idOf = ({ seal }: TestDevice) => Buffer.from(deviceIdOf(seal)).toString('hex');

  test.each(['with', 'without'])('never removes a device that was just approved, %s a log', async (kind) => {
    const world = logWorld(99);
    const F = kind === 'with' ? (await world.team()).F : await first(world);
    const [A, B] = [await asks(world, 'A'), await asks(world, 'B')];
    const ids = [idOf(A), idOf(B)];
    await F.hear();
    expect(F.keys.keyring().asking).toEqual(ids);
    const { devices } = operationsOf(world, F);
    await devices.approve(A.keys.code(), { name: 'Ann', role: 'write' });
    await expect(devices.reject(ids)).rejects.toMatchObject({ code: 'CONFLICT' });
    await A.hear();
    expect([A.seals(), removesIn(world)]).toEqual([F.seals(), 0]);
    expect([world.list.has(B.keys.announcement()), F.keys.keyring().asking]).toEqual([false, []]);
  });

  test('fails if the server kept the requests of others', async () => {
    const world = logWorld(99);
    const { F } = await world.team();
    const [A, B] = [await asks(world, 'A'), await asks(world, 'B')];
    const refresh = () => {
      world.put(B.keys.announcement());
      return F.hear();
    };
    const { devices } = operationsOf(world, F, [], true, { link: { refresh } });
    await expect(devices.reject([idOf(A), idOf(B)])).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(F.keys.keyring().asking).toEqual([idOf(B)]);
  });

  test('lasts for other tabs and later attachments, until the user asks again', async () => {
    const world = logWorld(99);
    const { F } = await world.team();
    const A = await asks(world, 'A');
    const tab = await world.again(A);
    await F.hear();
    await operationsOf(world, F).devices.reject([idOf(A)]);
    const isAsking = () => world.list.has(A.keys.announcement());
    for (const one of [A, tab, await world.again(A)]) {
      await one.hear();
      await one.hear();
      expect([one.keys.keyring().isRejected, isAsking()]).toEqual([true, false]);
    }
    await operationsOf(world, tab).devices.ask();
    for (const one of [A, await world.again(A)]) {
      await one.hear();
      expect([one.keys.keyring().isRejected, isAsking()]).toEqual([undefined, true]);
    }
    expect(tab.keys.keyring().isRejected).toBeUndefined();
  });

  test('reaches a device that heard no list with its request', async () => {
    const world = logWorld(99);
    const { F } = await world.team();
    const A = await world.device('A');
    // It asks after its first list, and an admin is faster than the next list.
    await A.hear();
    await F.hear();
    await operationsOf(world, F).devices.reject([idOf(A)]);
    await A.hear();
    expect([A.keys.keyring().isRejected, world.list.has(A.keys.announcement())]).toEqual([true, false]);
  });

  test('[R14] differs from a loss, after which the device asks again, in whatever tab hears of it', async () => {
    const world = logWorld(99);
    const { F } = await world.team();
    const A = await asks(world, 'A');
    const [tab, own] = [await world.again(A), A.keys.announcement()];
    const before = [...world.list].filter((text) => text !== own);
    await tab.hear();
    for (let loss = 0; loss < 3; loss++) {
      world.list.delete(own);
      await A.hear();
      // This tab hears the list late.
      await tab.hear(before);
      for (const one of [A, tab]) await one.hear();
      expect([A, tab].map(({ keys }) => keys.keyring().isRejected)).toEqual([undefined, undefined]);
      expect(world.list.has(own)).toBe(true);
    }
    await F.hear();
    await operationsOf(world, F).devices.reject([idOf(A)]);
    for (const one of [A, tab]) await one.hear();
    expect([A, tab].map(({ keys }) => keys.keyring().isRejected)).toEqual([true, true]);
    expect(world.list.has(own)).toBe(false);
  });

  test('ends with a recovery code, and the next key includes the device', async () => {
    const world = logWorld(99);
    const F = await first(world);
    const A = await asks(world, 'A');
    const { devices } = operationsOf(world, F);
    const code = await devices.newRecoveryCode();
    await devices.reject([idOf(A)]);
    await A.hear();
    await operationsOf(world, A).devices.recover(code);
    await devices.remove([]);
    await A.hear();
    expect([A.seals(), A.keys.keyring().isRejected]).toEqual([F.seals(), undefined]);
  });
});
