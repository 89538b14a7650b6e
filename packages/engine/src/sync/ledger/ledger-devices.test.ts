/** The operations of a handle on the devices of a ledger with a membership log. */
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { logWorld, type TestDevice } from '../log/ledger-devices.fixture.ts';
import { type DeviceParts, ledgerDevices } from './ledger-devices.ts';

type World = ReturnType<typeof logWorld>;

/** Connects a device with a list. `refusals` are the answers to its next puts. */
function operationsOf(world: World, device: TestDevice, refusals: FixpointError[] = []) {
  const reports: unknown[] = [];
  const request = async (_type: string, _answer: string, { meta }: { meta: { keys: string[] } }) => {
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
    world.put(...meta.keys);
  };
  const parts = {
    session: {
      platform: { report: (cause: unknown) => void reports.push(cause) },
      target: { tenant: 't', ledger: 'l', tokens: { get: async () => 'token' } },
      connection: () => ({ request }),
    },
    ledger: { sealing: () => ({ kind: 'sealed' }), keys: () => device.keys },
    link: { refresh: () => device.hear() },
    downloads: { settled: async () => undefined, keysChanged: () => undefined },
  };
  const waits = { connected: async () => undefined } as unknown as Parameters<typeof ledgerDevices>[1];
  const devices = ledgerDevices(parts as unknown as DeviceParts, waits);
  return { devices, reports };
}

/** Opens a device of somebody who isn't a member yet, and who asks for approval. */
async function asks(world: World, name: string): Promise<TestDevice> {
  const made = await world.device(name);
  world.saysUser(made, name);
  world.put(made.keys.announcement());
  await made.hear();
  return made;
}

describe('an approval by the handle of a ledger with a membership log', () => {
  test('[C6] admits the person whom the user names', async () => {
    const world = logWorld(81);
    const { F, X } = await world.team();
    const asking = await asks(world, 'A');
    const { devices, reports } = operationsOf(world, F);
    await devices.approve(asking.keys.code(), { name: 'Ann', role: 'read' });
    await asking.hear();
    await X.hear();
    expect(asking.keys.log()).toEqual(F.keys.log());
    expect(X.keys.keyring().log?.members.find(({ user }) => user === 'A')).toMatchObject({
      ...{ name: 'Ann', role: 'read', admittedBy: 'F' },
    });
    expect(reports).toEqual([]);
  });

  test('[C6] names the person in the next request, too, if another device changed the list first', async () => {
    const world = logWorld(82);
    const { F } = await world.team();
    const asking = await asks(world, 'A');
    const { devices } = operationsOf(world, F, [new FixpointError('CONFLICT')]);
    await devices.approve(asking.keys.code(), { name: 'Ann', role: 'write' });
    await asking.hear();
    expect(asking.seals()).toBe(F.seals());
    expect(F.keys.keyring().log?.members.map(({ name }) => name)).toContain('Ann');
  });

  test('[C6] is not possible without a name for the device of another person', async () => {
    const world = logWorld(83);
    const { F } = await world.team();
    const asking = await asks(world, 'A');
    const { devices } = operationsOf(world, F);
    await expect(devices.approve(asking.keys.code())).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await expect(devices.approve('AAAAA', { name: 'Ann', role: 'write' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await asking.hear();
    expect([asking.keys.log(), asking.seals()]).toEqual([undefined, 'DEVICE_NOT_APPROVED']);
  });
});
