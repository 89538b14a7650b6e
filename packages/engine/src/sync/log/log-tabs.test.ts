/** Tabs of one device to which the server shows different lists. */
import { describe, expect, test } from 'vitest';
import { deviceIdOf } from '../../crypto/grant.ts';
import { logWorld, type TestDevice } from './ledger-devices.fixture.ts';
import { first, operationsOf } from './ledger-operations.fixture.ts';

const idOf = ({ seal }: TestDevice) => Buffer.from(deviceIdOf(seal)).toString('hex');

/** Two tabs of the founder, of which only the first one knows that W was removed. */
async function tabsAfterRemoval(...more: string[]) {
  const world = logWorld(123);
  const { F, W } = await world.team();
  const tab = await world.again(F);
  await tab.hear();
  const before = [...world.list];
  const key = tab.seals();
  world.put(...more);
  await operationsOf(world, F).devices.remove([idOf(W)]);
  await F.hear();
  expect(F.seals()).not.toBe(key);
  return { world, F, tab, before };
}

describe('a tab from which the server hides a removal that another tab knows', () => {
  test('[S-5, D1] sends nothing under the earlier key', async () => {
    const { F, tab } = await tabsAfterRemoval();
    expect(await tab.sends()).toBe(F.seals());
  });

  test('[S-5, D1] sends nothing under the earlier key, whatever else the list contains', async () => {
    const { F, tab } = await tabsAfterRemoval('S2.AAAA');
    expect(await tab.sends()).toBe(F.seals());
  });

  test('[S-5, L1] knows the removal with the next list, and puts it again', async () => {
    const { world, F, tab, before } = await tabsAfterRemoval();
    const hidden = [...world.list].filter((text) => !before.includes(text));
    for (const text of hidden) world.list.delete(text);
    await tab.hear();
    expect([tab.seals(), hidden.every((text) => world.list.has(text))]).toEqual([F.seals(), true]);
    expect(tab.keys.keyring().log?.members).toEqual(F.keys.keyring().log?.members);
  });
});

describe('a tab that was open before another tab started a log', () => {
  async function tabsAfterStart() {
    const world = logWorld(124);
    const F = await first(world);
    const tab = await world.again(F);
    await tab.hear();
    const before = [...world.list];
    const { devices } = operationsOf(world, F);
    await devices.startLog({ name: 'Eve', code: await devices.newLogCode() });
    await devices.remove([]);
    return { F, tab, before };
  }

  test('[L3] follows the log, although the server hides it', async () => {
    const { F, tab, before } = await tabsAfterStart();
    await tab.hear(before);
    expect([tab.keys.log(), tab.seals()]).toEqual([F.keys.log(), F.seals()]);
    expect(tab.keys.keyring().log?.members).toEqual(F.keys.keyring().log?.members);
  });

  test('[S-5, D1] sends nothing under the first key, although the server sends no list', async () => {
    const { F, tab } = await tabsAfterStart();
    expect(await tab.sends()).toBe(F.seals());
  });
});
