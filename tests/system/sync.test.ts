import { join } from 'node:path';
import { type Cloud, defaultConfig, startCloud } from '@fixpoint/cloud';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Attached, type Database, fixpoint, toCloud } from '../../packages/engine/src/entries/node.ts';
import { type LedgerAccess, newLedger } from './ledger.fixture.ts';
import { freePort, removeFolder, temporaryFolder } from './product.fixture.ts';

const folder = temporaryFolder();
let port: number;
let cloud: Cloud;
let access: LedgerAccess;
let clients = 0;

const start = () => startCloud({ ...defaultConfig(join(folder, 'cloud')), port });

beforeAll(async () => {
  port = await freePort();
  cloud = await start();
  access = await newLedger(cloud.url);
});

afterAll(async () => {
  await cloud?.stop();
  removeFolder(folder);
});

interface Client {
  readonly db: Database;
  readonly sync: Attached;
}

async function client(): Promise<Client> {
  clients += 1;
  const db = fixpoint('notes', { directory: join(folder, `client-${clients}`) });
  const sync = await db.attach(toCloud({ base: cloud.url, ...access }));
  return { db, sync };
}

const idsOf = async ({ db }: Client) => (await db.allDocs()).rows.map(({ key }) => key);

describe('two clients and the cloud', () => {
  test('shows changes live in both directions, even after a restart of the server', async () => {
    const [a, b] = [await client(), await client()];
    await a.db.put({ _id: 'one', from: 'a' });
    await a.sync.synced();
    await b.sync.synced();
    expect(await b.db.get('one')).toEqual({ _id: 'one', from: 'a' });

    await b.db.put({ _id: 'two', from: 'b' });
    await expect.poll(() => idsOf(a)).toEqual(['one', 'two']);

    await cloud.stop();
    await expect.poll(() => a.sync.status().state).toMatch(/offline|connecting/);
    await a.db.put({ _id: 'three', from: 'a, offline' });
    await b.db.put({ _id: 'four', from: 'b, offline' });
    cloud = await start();
    await expect.poll(() => idsOf(a)).toHaveLength(4);
    await expect.poll(() => idsOf(b)).toHaveLength(4);
    const heads = async (...clients: Client[]) =>
      new Set(await Promise.all(clients.map(async ({ db }) => (await db.head()).join()))).size;
    await expect.poll(() => heads(a, b)).toBe(1);
    for (const { sync } of [a, b])
      await expect.poll(() => sync.status()).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0 });

    const late = await client();
    await late.sync.synced();
    expect(await idsOf(late)).toEqual(['four', 'one', 'three', 'two']);
    await expect.poll(() => heads(a, b, late)).toBe(1);
    await Promise.all([a, b, late].map(({ db }) => db.close()));
  });
});
