/**
 * A sealed ledger at the real gateway. Checks the bytes in transit, in the tables and in the object
 * store.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, connect as dial, type Socket } from 'node:net';
import { join } from 'node:path';
import { fixpoint, toCloud } from 'fixpoint';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Ledger,
  newLedger,
  newMember,
  temporaryFolder,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';

const CANARY = 'canary-2207-plain';
const PATIENT = { interval: 500 };

/**
 * Forwards connections to the gateway and records all bytes. Clients mask their websocket frames,
 * so tests search for the content of the frames in the tables.
 */
async function overheard(target: string): Promise<{ url: string; heard: () => Buffer }> {
  const parts: Buffer[] = [];
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(target);
  const server = createServer((near) => {
    const far = dial(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data: Buffer) => {
        parts.push(data);
        to.write(data);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => to.end());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, heard: () => Buffer.concat(parts) };
}

async function device(url: string, { tenant, ledger, token }: Ledger, kind?: 'sealed' | 'open-key') {
  const db = fixpoint('notes', { directory: await temporaryFolder() });
  const remote = toCloud({ base: url, tenant, ledger, token, ...(kind && { kind }) });
  return { db, attached: await db.attach(remote) };
}

const filesIn = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  );

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

test('[S16] sends and stores no plain text of a sealed ledger, while its devices read everything', async () => {
  const cloud = await testCloud();
  const line = await overheard(cloud.url);
  const notes = await newLedger(cloud);
  const a = await device(line.url, notes, 'sealed');
  await a.db.put({ _id: CANARY, [CANARY]: CANARY, _files: { [CANARY]: new Blob([CANARY.repeat(50)]) } });
  await a.attached.synced();
  const b = await device(line.url, notes);
  expect(await codeOf(b.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  await a.attached.devices.approve(await b.attached.devices.code());
  await expect.poll(() => b.attached.status().state).toBe('in-sync');
  expect(await b.db.get(CANARY)).toMatchObject({ _id: CANARY, [CANARY]: CANARY });
  await b.db.put({ _id: `${CANARY}-b`, text: CANARY });
  const code = await a.attached.devices.newRecoveryCode();
  await a.attached.devices.remove([]);
  await b.attached.synced();
  await a.attached.synced();
  expect(await a.db.get(`${CANARY}-b`)).toMatchObject({ text: CANARY });

  const seen = [line.heard(), filesIn(cloud.data)];
  expect(seen[0]?.includes('reqPutMeta')).toBe(true);
  expect(seen[1]?.length).toBeGreaterThan(10_000);
  const secrets = [CANARY, Buffer.from(CANARY).toString('base64').slice(0, 20), code, 'baembei', 'bafyrei'];
  for (const bytes of seen)
    for (const secret of secrets) expect([secret, bytes.includes(secret)]).toEqual([secret, false]);

  // The ledger still has all data that this device saw, so the device reports no rollback.
  await a.attached.detach();
  const again = await a.db.attach(toCloud({ base: line.url, ...notes }));
  for (let round = 0; round < 3; round++) await again.synced();
  const { keys, ...status } = again.status();
  expect(status).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0 });

  const recovered = await device(line.url, notes);
  await recovered.attached.devices.recover(code);
  await expect.poll(() => recovered.attached.status().state).toBe('in-sync');
  expect((await recovered.db.allDocs()).rows.length).toBe(2);
  for (const { db } of [a, b, recovered]) await db.close();
});

test('[S5] lets readers create and use a recovery code until they lose their access', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const reader = await newMember(cloud, notes, 'read');
  const a = await device(cloud.url, notes, 'sealed');
  await a.db.put({ _id: 'x' });
  await a.attached.synced();
  const first = await device(cloud.url, reader);
  expect(await codeOf(first.attached.synced())).toBe('DEVICE_NOT_APPROVED');
  await a.attached.devices.approve(await first.attached.devices.code());
  const isIn = ({ attached }: typeof a) =>
    expect.poll(() => attached.status().toFetch + (attached.devices.isApproved() ? 0 : 1), PATIENT).toBe(0);
  await isIn(first);
  const code = await first.attached.devices.newRecoveryCode();
  await first.db.close();

  const second = await device(cloud.url, reader);
  await second.attached.devices.recover(code);
  await expect.poll(async () => (await second.db.allDocs()).rows.length, PATIENT).toBe(1);
  const devices = async () => (await a.attached.devices.list()).length;
  await expect.poll(devices, PATIENT).toBe(4);
  // After the key rotates, the recovered device must still receive documents.
  await a.attached.devices.remove([]);
  await a.db.put({ _id: 'y' });
  await expect.poll(async () => (await second.db.allDocs()).rows.length, PATIENT).toBe(2);

  await cloud.db.deleteFrom('TenantUsers').where('userId', '=', reader.userId).execute();
  const left = async () => {
    await a.db.put({ _id: 'z', at: performance.now() });
    await a.attached.synced();
    return devices();
  };
  await expect.poll(left, PATIENT).toBe(1);
  for (const { db } of [a, second]) await db.close();
});

test('rejects an attach with the wrong kind of ledger with LEDGER_KIND', async () => {
  const cloud = await testCloud();
  const [sealed, open] = [await newLedger(cloud), await newLedger(cloud)];
  const [a, b] = [await device(cloud.url, sealed, 'sealed'), await device(cloud.url, open)];
  for (const { db, attached } of [a, b]) {
    await db.put({ _id: 'x' });
    await attached.synced();
  }
  const [c, d] = [await device(cloud.url, sealed, 'open-key'), await device(cloud.url, open, 'sealed')];
  for (const { attached } of [c, d]) expect(await codeOf(attached.synced())).toBe('LEDGER_KIND');
  for (const { db } of [a, b, c, d]) await db.close();
});
