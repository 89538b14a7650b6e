/**
 * The current version starts a server whose data an earlier version stored. To add the data of a
 * release, run this file with FIXPOINT_STORE_RELEASED set to the name of a new folder.
 */
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkServer, defaultConfig } from '@fixpoint/cloud';
import { fixpoint, toCloud } from 'fixpoint';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import { newPerson, type PersonOnline, personAgain } from '../../packages/cloud/tests/person.fixture.ts';

const golden = fileURLToPath(new URL('released-servers/', import.meta.url));
const releases = await readdir(golden).catch(() => []);
const stored = process.env['FIXPOINT_STORE_RELEASED'];

/** Starts a server on one process with SQLite and a folder. */
const started = (data: string) =>
  testCloud({ data, databaseUrl: undefined, bucket: undefined, bus: { kind: 'local' } });

/** Opens the ledger `notes` of the first tenant on a new device. */
async function openNotes(url: string, { ask }: PersonOnline) {
  const [ledger] = (await ask('reqListLedgersByUser')).ledgers;
  const selected = { tenant: ledger.tenantId, ledger: ledger.ledgerId };
  const token = async () => (await ask('reqCloudSessionToken', { selected })).token;
  const db = fixpoint('notes', { directory: await temporaryFolder() });
  const attached = await db.attach(toCloud({ base: url, ...selected, token, kind: 'open-key' }));
  onTestFinished(async () => {
    await attached.detach();
    await db.close();
  });
  return { db, attached };
}

const DOCS = [
  { _id: 'bread', title: 'Bread', bought: true },
  { _id: 'milk', title: 'Milk', bought: false },
];

test.runIf(stored !== undefined)('stores the data of a server of this version', async () => {
  const data = await temporaryFolder();
  const { url, db: tables, stop } = await started(data);
  const ada = await newPerson(url, 'ada');
  const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
  const { tenantId } = tenant;
  await ada.ask('reqCreateLedger', { ledger: { tenantId, name: 'notes', kind: 'open-key' } });
  await ada.ask('reqInviteUser', {
    ticket: { query: { byEmail: 'bob@example.com' }, invitedParams: { tenant: { id: tenantId } } },
  });
  const { db, attached } = await openNotes(url, ada);
  await db.bulk(DOCS);
  await db.put({ _id: 'photo', _files: { one: new File(['pixels'], 'one.png', { type: 'image/png' }) } });
  await attached.synced();
  await sql`pragma wal_checkpoint(truncate)`.execute(tables);
  await stop();
  const isKept = (path: string) => !/-shm$|-wal$|start\.lock$|outbox$/.test(path);
  await cp(data, join(golden, stored ?? ''), { recursive: true, filter: isKept });
});

test('[R17] has the data of a release', () => {
  expect(releases).toContain('0.1.0');
});

test.each(releases)(
  '[R17] starts with the data of a server of version %s, and keeps people, rights, documents and files',
  async (release) => {
    const data = await temporaryFolder();
    await cp(join(golden, release), data, { recursive: true });
    const { url, stop } = await started(data);
    const ada = await personAgain(url, 'ada');
    const [mine] = (await ada.ask('reqListTenantsByUser')).tenants;
    expect(mine).toMatchObject({ role: 'admin', tenant: { name: 'Acme' } });
    expect((await ada.ask('reqListInvites', { tenantIds: [mine.tenantId] })).tickets).toMatchObject([
      { query: { byEmail: 'bob@example.com' } },
    ]);
    const { db, attached } = await openNotes(url, ada);
    await attached.synced();
    expect((await db.find({ where: { title: { exists: true } } })).docs).toEqual(DOCS);
    const photo = await db.get<{ _files: { one: { file(): Promise<File> } } }>('photo');
    expect(await (await photo._files.one.file()).text()).toBe('pixels');
    await db.put({ _id: 'eggs', title: 'Eggs' });
    await attached.synced();
    await stop();
    expect(await checkServer(defaultConfig(data))).toMatchObject({ missing: [], damaged: [], tables: [] });
  },
);
