/** Devices of a sealed ledger at the real gateway, of this version or of an earlier one. */
import { type Attached, type Database, fixpoint, type Remote, toCloud } from 'fixpoint';
import { expect, onTestFinished } from 'vitest';
import {
  bind,
  httpClient,
  type Ledger,
  putMetas,
  type TestCloud,
  temporaryFolder,
} from '../../packages/cloud/tests/cloud.fixture.ts';
import { attach } from '../../packages/engine/src/sync/attachment.ts';
import { tokenSource } from '../../packages/engine/src/sync/transport/token-source.ts';

export const PATIENT = { interval: 100, timeout: 20_000 };

export interface Device {
  readonly place: Ledger;
  readonly db: Database;
  readonly attached: Attached;
  readonly folder: string;
}

export interface DeviceOptions {
  readonly folder?: string;
  readonly signed?: boolean;
  /** Whether the device ignores membership logs, as those of earlier versions do. */
  readonly isEarlier?: boolean;
}

/** Opens a database, and attaches it to a ledger. */
export async function openDevice(
  cloud: TestCloud,
  place: Ledger,
  { folder, signed = false, isEarlier = false }: DeviceOptions = {},
): Promise<Device> {
  const directory = folder ?? (await temporaryFolder());
  const db = fixpoint('notes', { directory, signed });
  onTestFinished(() => db.close());
  const remote = isEarlier
    ? earlierRemote(cloud, place)
    : toCloud({ base: cloud.url, ...place, kind: 'sealed' });
  return { place, db, attached: await db.attach(remote), folder: directory };
}

/** Returns a remote without the code that follows membership logs. */
const earlierRemote = (cloud: TestCloud, { tenant, ledger, token }: Ledger): Remote => ({
  attach: (commits, platform, watch) => {
    const target = {
      gateway: new URL('/fp', cloud.url),
      ...{ tenant, ledger, name: 'toCloud', tokens: tokenSource(token, platform.time) },
    };
    const load = async () => {
      const chunk = await import('../../packages/engine/src/sync/lazy-sync-chunk.ts');
      type Parts = Parameters<typeof chunk.openSealedLedger>[0];
      const openSealedLedger = (parts: Parts) => chunk.openSealedLedger({ ...parts, followsLogs: false });
      return { ...chunk, openSealedLedger };
    };
    return attach({ commits, platform, target, kind: 'sealed', fetchAllFiles: false, load, watch });
  },
});

/** Opens the first device of a ledger, and starts the log. Returns its recovery code, too. */
export async function founded(
  cloud: TestCloud,
  place: Ledger,
  options: DeviceOptions = {},
): Promise<{ readonly founder: Device; readonly code: string }> {
  const founder = await openDevice(cloud, place, options);
  await founder.db.put({ _id: 'first' });
  await founder.attached.synced();
  const { devices } = founder.attached;
  const code = await devices.newLogCode();
  await devices.startLog({ name: 'Ada', code });
  return { founder, code };
}

/** Closes a device, and opens it again. */
export async function again(cloud: TestCloud, { db, folder, place }: Device): Promise<Device> {
  await db.close();
  return openDevice(cloud, place, { folder });
}

/** Approves a device, which then is in sync. */
export async function join(
  by: Device,
  device: Device,
  ...admission: [] | [{ readonly name: string; readonly role: 'read' | 'write' | 'admin' }]
): Promise<void> {
  expect(await codeOf(device.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  const code = await device.attached.devices.code();
  await by.attached.devices.approve(code, ...admission);
  await expect.poll(() => device.attached.status().state, PATIENT).toBe('in-sync');
}

export const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

export const idsOf = async ({ db }: Device) => (await db.allDocs()).rows.map(({ key }) => key).sort();

export const logOf = async ({ attached }: Device) => (await attached.devices.keyring())?.log;

/** Returns the id of the key that seals on a device. */
export const keyOf = async ({ attached }: Device) => (await attached.devices.keyring())?.current;

/** Writes a document, and waits until the server has it. */
export async function write({ db, attached }: Device, id: string): Promise<void> {
  await db.put({ _id: id });
  await attached.synced();
}

/** Returns the devices of a member that aren't recovery codes. */
export const devicesOf = async (by: Device, name: string) =>
  (await by.attached.devices.list())
    .filter((one) => one.name === name && !one.isRecovery)
    .map(({ id }) => id);

/** Reads and writes the key list of a ledger, as any program of a user can. */
export async function listOf(cloud: TestCloud, place: Ledger) {
  const client = await httpClient(cloud, place);
  return {
    keys: async () => (await client.request('bindGetMeta', bind(place))).meta.keys as string[],
    put: async (...texts: string[]) => {
      const { type, code } = await putMetas(client, place, [], texts);
      return type === 'resPutMeta' ? 'taken' : code;
    },
  };
}
