/** The operations of a handle on the devices of a ledger, at a list that tests can change. */
import type { FixpointError } from '@fixpoint/protocol';
import { isEntryText } from '@fixpoint/protocol/storage';
import { createLocalRows } from '../../commit/local-rows.ts';
import { memoryStore } from '../../platform/memory-store.ts';
import { type DeviceParts, ledgerDevices } from '../ledger/ledger-devices.ts';
import type { logWorld, TestDevice } from './ledger-devices.fixture.ts';

type World = ReturnType<typeof logWorld>;

/** Connects a device with a list. `refusals` are the answers to its next puts. */
export function operationsOf(
  world: World,
  device: TestDevice,
  refusals: FixpointError[] = [],
  features = true,
  more: object = {},
) {
  const reports: unknown[] = [];
  const request = async (
    type: string,
    _answer: string,
    { meta }: { meta?: { keys: string[] } },
  ): Promise<object | undefined> => {
    if (type === 'reqGestalt') return { gestalt: { features: features ? ['membership-log'] : [] } };
    const refusal = refusals.shift();
    if (refusal?.code === 'TIMEOUT') world.put(...(meta?.keys ?? []));
    if (refusal !== undefined) throw refusal;
    if (type === 'reqDelMeta') world.withdraw(...(meta?.keys ?? []));
    else world.put(...(meta?.keys ?? []));
    return undefined;
  };
  const { random, time } = world;
  const parts = {
    session: {
      platform: { random, time, report: (cause: unknown) => void reports.push(cause) },
      target: { tenant: 'tenant', ledger: 'ledger', tokens: { get: async () => 'token' } },
      connection: () => ({ request }),
      memory: { prefix: 'remote/r/' },
      signal: new AbortController().signal,
      commits: {
        readers: {},
        archiveOf: () => undefined,
        pendingUploads: async () => [],
        snapshot: () => ({ head: [] }),
        settle: async () => undefined,
        local: createLocalRows(memoryStore(new Map())),
      },
    },
    uploads: { pending: () => () => false },
    status: { next: async () => undefined },
    ledger: { sealing: () => ({ kind: 'sealed' }), keys: () => device.keys },
    link: { refresh: () => device.hear() },
    downloads: { settled: async () => undefined, keysChanged: () => undefined },
    ...more,
  };
  const waits = { connected: async () => undefined } as unknown as Parameters<typeof ledgerDevices>[1];
  const devices = ledgerDevices(parts as unknown as DeviceParts, waits);
  return { devices, reports };
}

/** Opens the first device of a ledger without a log. */
export async function first(world: World): Promise<TestDevice> {
  const F = await world.device('F');
  await F.hear([]);
  await F.hear();
  return F;
}

/** Opens a device of somebody who isn't a member yet, and who asks for approval. */
export async function asks(world: World, name: string): Promise<TestDevice> {
  const made = await world.device(name);
  world.saysUser(made, name);
  world.put(made.keys.announcement());
  await made.hear();
  return made;
}

/** Returns the number of removals in the log. */
export const removesIn = ({ list, fieldsOf }: World) =>
  [...list].filter((text) => isEntryText(text) && fieldsOf(text)['t'] === 'remove').length;
