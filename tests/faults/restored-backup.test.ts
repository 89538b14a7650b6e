/** Restores a backup of a real server. Devices that wrote after its moment must lose nothing. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backUp, checkServer, defaultConfig, restore, startCloud } from '../../packages/cloud/src/index.ts';
import {
  type Ledger,
  newLedger,
  tablesOf,
  temporaryFolder,
} from '../../packages/cloud/tests/cloud.fixture.ts';
import { type Database, fixpoint, toCloud } from '../../packages/engine/src/entries/node.ts';

const KINDS = ['open-key', 'sealed'] as const;

/** Opens a database of a device of its own. */
async function device(): Promise<Database> {
  const db = fixpoint('notes', { directory: await temporaryFolder() });
  onTestFinished(() => db.close());
  return db;
}

const idsOf = async (db: Database) => (await db.allDocs()).rows.map(({ key }) => key).sort();
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ _id: `${prefix}${index}`, text: `${prefix} ${index}` }));

async function started(data: string, port = 0) {
  const cloud = await startCloud({ ...defaultConfig(data), port });
  onTestFinished(() => cloud.stop());
  return cloud;
}

async function ledgerIn(data: string): Promise<Ledger> {
  const behind = await tablesOf(data);
  const ledger = await newLedger(behind);
  await behind.db.destroy();
  return ledger;
}

describe.each(KINDS)('after a restore, in a ledger of kind %s', (kind) => {
  test('[R14] resends what a device wrote after the moment of the backup, so that new devices get everything', async () => {
    const config = defaultConfig(join(await temporaryFolder(), 'data'));
    const cloud = await started(config.data);
    const { tenant, ledger, token } = await ledgerIn(config.data);
    const remote = toCloud({ base: cloud.url, tenant, ledger, token, kind });
    const writer = await device();
    const sync = await writer.attach(remote);
    await writer.bulk(numbered('before', 20));
    const photo = new File([new Uint8Array(50_000).fill(7)], 'photo.png', { type: 'image/png' });
    await writer.put({ _id: 'photo', _files: { photo } });
    await sync.synced();
    const to = { kind: 'folder', path: await temporaryFolder() } as const;
    const made = await backUp(config, to, undefined);
    await writer.bulk(numbered('after', 20));
    await writer.del('before0');
    const later = new File([new Uint8Array(60_000).fill(8)], 'later.png', { type: 'image/png' });
    await writer.put({ _id: 'later', _files: { later } });
    await sync.synced();
    await cloud.stop();
    const fresh = defaultConfig(join(await temporaryFolder(), 'data'));
    expect(await restore(fresh, to, undefined)).toEqual(made);
    await started(fresh.data, Number(new URL(cloud.url).port));
    await expect.poll(() => lacksNothing(fresh.data, made.rows)).toBe(true);
    await expect.poll(() => sync.status().state).toBe('in-sync');
    const reader = await device();
    const joining = await reader.attach(remote);
    if (kind === 'sealed') await sync.devices.approve(await joining.devices.code());
    await joining.synced();
    expect(await idsOf(reader)).toEqual(await idsOf(writer));
    expect((await idsOf(reader)).filter((id) => id.startsWith('after'))).toHaveLength(20);
    for (const [id, bytes] of [
      ['photo', 50_000],
      ['later', 60_000],
    ] as const) {
      const { _files } = await reader.get<{ _files: Record<string, { file(): Promise<File> }> }>(id);
      expect((await _files[id]?.file())?.size).toBe(bytes);
    }
    expect(await checkServer(fresh)).toMatchObject({ tables: [], missing: [], damaged: [], orphans: [] });
  });
});

/**
 * Returns whether the device resent rows. A restore adds one row of its own.
 */
const lacksNothing = async (data: string, rows: number): Promise<boolean> =>
  (await checkServer(defaultConfig(data))).rows > rows + 1;
