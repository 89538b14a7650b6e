/** Tests what a backup contains, which backups are rejected, and what a restore refuses. */
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { long } from '../../engine/tests/budget.fixture.ts';
import {
  type BackupSecretConfig,
  type BackupSummary,
  backUp,
  type CloudConfig,
  checkServer,
  defaultConfig,
  knownUsers,
  restore,
  startCloud,
  verify,
  waitlist,
} from '../src/index.ts';
import { faultyBucket } from '../src/objects/memory-bucket.fixture.ts';
import { newBucket, S3 } from '../src/objects/s3.fixture.ts';
import { withSnapshot } from '../src/tables/backup/snapshot.ts';
import { RESTORE_MARK } from '../src/tables/migrations.ts';
import { openTables } from '../src/tables/open-tables.ts';
import { addOperator } from '../src/tables/operators/operator-rows.ts';
import { POSTGRES } from '../src/tables/postgres.fixture.ts';
import { emptyServer } from './backup.fixture.ts';
import {
  carKey,
  commit,
  httpClient,
  newLedger,
  tablesOf,
  temporaryFolder,
  testCloud,
} from './cloud.fixture.ts';
import { newPerson, personAgain } from './person.fixture.ts';

/** Returns a stopped server with a user and two writes, and a folder for its backups. */
async function arranged() {
  const data = join(await temporaryFolder(), 'data');
  const cloud = await testCloud({ data, databaseUrl: undefined, bucket: undefined });
  const notes = await newLedger(cloud);
  const client = await httpClient(cloud, notes);
  const keys = [(await commit(client, notes, 'one')).key, (await commit(client, notes, 'two')).key];
  const path = await temporaryFolder();
  return { cloud, notes, client, keys, config: defaultConfig(data), to: { kind: 'folder', path } as const };
}

const emptyConfig = async () => defaultConfig(join(await temporaryFolder(), 'data'));
const folderOf = ({ path }: { path: string }, { id }: BackupSummary) => join(path, id);
const passphrase: BackupSecretConfig = { kind: 'passphrase', text: 'correct horse battery' };

async function keyFile(text: string | Buffer): Promise<BackupSecretConfig> {
  const file = join(await temporaryFolder(), 'key');
  await writeFile(file, text);
  return { kind: 'key', file };
}

describe('a restored server', () => {
  test('signs people in with their passwords, keeps their sessions and tokens, and serves their objects', async () => {
    const { cloud, notes, config, to, keys } = await arranged();
    const ada = await newPerson(cloud.url);
    const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
    await backUp(config, to, undefined);
    await cloud.stop();
    const fresh = await emptyConfig();
    await restore(fresh, to, undefined);
    const restored = await testCloud({ data: fresh.data, databaseUrl: undefined, bucket: undefined });
    const again = await personAgain(restored.url);
    expect(again.userId).toBe(ada.userId);
    const { tenants } = await again.ask('reqListTenantsByUser');
    expect(tenants.map((each: { tenantId: string }) => each.tenantId)).toContain(tenant.tenantId);
    const session = await fetch(`${restored.url}/auth/token`, { headers: { cookie: ada.cookie } });
    expect(session.status).toBe(200);
    const client = await httpClient(restored, notes);
    const { signedUrl } = await client.request('reqGetData', {
      tenant: { tenant: notes.tenant, ledger: notes.ledger },
      methodParam: { method: 'GET', store: 'car' },
      urlParam: { key: keys[0], store: 'car', tenant: notes.tenant, ledger: notes.ledger, name: 'x' },
    });
    expect(await (await fetch(signedUrl)).text()).toBe('one');
    expect((await stat(join(fresh.data, 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(fresh.data, 'secrets.json'), 'utf8')).toBe(
      await readFile(join(config.data, 'secrets.json'), 'utf8'),
    );
  });

  test.skipIf(POSTGRES === undefined || S3 === undefined)(
    'signs people in, on PostgreSQL and a bucket (skipped without FIXPOINT_TEST_POSTGRES and FIXPOINT_TEST_S3)',
    async () => {
      const [config, fresh] = [await emptyServer('postgres'), await emptyServer('postgres')];
      const cloud = await testCloud(config);
      const ada = await newPerson(cloud.url);
      const to = { kind: 'bucket', bucket: await newBucket(), prefix: 'a/b' } as const;
      const made = await backUp(config, to, passphrase);
      await cloud.stop();
      expect(await restore(fresh, to, passphrase)).toEqual(made);
      await expect(restore(fresh, to, passphrase)).rejects.toMatchObject({ code: 'CONFLICT' });
      const elsewhere = { ...fresh, data: (await emptyConfig()).data };
      await expect(restore(elsewhere, to, passphrase)).rejects.toThrow(
        'the database at DATABASE_URL has tables of a server',
      );
      const restored = await testCloud(fresh);
      expect((await personAgain(restored.url)).userId).toBe(ada.userId);
      const session = await fetch(`${restored.url}/auth/token`, { headers: { cookie: ada.cookie } });
      expect(session.status).toBe(200);
    },
  );

  test('has the state of the moment of the backup that was named, or of the newest one', async () => {
    const { client, notes, config, to } = await arranged();
    const first = await backUp(config, to, undefined);
    await commit(client, notes, 'three');
    const second = await backUp(config, to, undefined);
    const [one, two] = [await emptyConfig(), await emptyConfig()];
    expect(await restore(one, { ...to, path: folderOf(to, first) }, undefined)).toEqual(first);
    expect(await restore(two, to, undefined)).toEqual(second);
    expect([first.objects, second.objects]).toEqual([2, 3]);
    expect((await checkServer(two)).objects).toBe(3);
  });

  test("doesn't start after a restore that was interrupted", async () => {
    const { config, to } = await arranged();
    const made = await backUp(config, to, undefined);
    const fresh = await emptyConfig();
    await restore(fresh, to, undefined);
    await writeFile(join(fresh.data, 'restore-unfinished'), made.id);
    await expect(startCloud(fresh)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('was interrupted: remove the folder, and restore again'),
    });
    for (const use of [checkServer, knownUsers, waitlist, (at: CloudConfig) => backUp(at, to, undefined)])
      await expect(use(fresh)).rejects.toThrow('was interrupted');
    await rm(join(fresh.data, 'restore-unfinished'));
    const { db } = await tablesOf(fresh.data);
    await db.insertInto('CloudMarks').values({ name: RESTORE_MARK, value: '' }).execute();
    await db.destroy();
    for (const use of [startCloud, checkServer, knownUsers, waitlist])
      await expect(use(fresh)).rejects.toThrow('a restore into this database was interrupted');
  });
});

describe('each command of a server', () => {
  test('creates nothing where there is no server', async () => {
    const { config, to, cloud } = await arranged();
    const fresh = await emptyConfig();
    await mkdir(fresh.data, { recursive: true });
    for (const use of [checkServer, (at: CloudConfig) => backUp(at, to, undefined)]) {
      await expect(use(fresh)).rejects.toThrow('has no server: secrets.json is missing');
      expect(await readdir(fresh.data)).toEqual([]);
    }
    await cloud.stop();
    await cp(join(config.data, 'secrets.json'), join(fresh.data, 'secrets.json'));
    for (const use of [checkServer, (at: CloudConfig) => backUp(at, to, undefined)]) {
      await expect(use(fresh)).rejects.toThrow('has no server: fixpoint.sqlite is missing');
      expect(await readdir(fresh.data)).toEqual(['secrets.json']);
    }
    expect(await readdir(to.path)).toEqual([]);
  });

  test('reports objects without a database that could need them', async () => {
    const { config, to, cloud } = await arranged();
    await cloud.stop();
    expect(await checkServer(config)).toMatchObject({ lacksLedgers: false, orphans: [] });
    for (const name of await readdir(config.data))
      if (name.startsWith('fixpoint.sqlite')) await rm(join(config.data, name));
    await (await tablesOf(config.data)).db.destroy();
    const { lacksLedgers, orphans } = await checkServer(config);
    expect([lacksLedgers, orphans.length]).toEqual([true, 2]);
    await expect(backUp(config, to, undefined)).rejects.toThrow('the tables have no databases');
    expect(await readdir(to.path)).toEqual([]);
  });

  test.each([
    ['newer', sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2027')`],
    ['older', sql`delete from kysely_migration where name = '0021-backup-leases'`],
  ])('refuses tables of a version that is %s, and leaves them as they are', async (version, change) => {
    const { config, to, cloud } = await arranged();
    const { db } = await tablesOf(config.data);
    await change.execute(db);
    const migrations = async () => (await sql`select * from kysely_migration`.execute(db)).rows;
    const before = await migrations();
    for (const use of [checkServer, (at: CloudConfig) => backUp(at, to, undefined)])
      await expect(use(config)).rejects.toThrow(
        `the tables are of ${version === 'newer' ? 'a' : 'an'} ${version}`,
      );
    expect(await migrations()).toEqual(before);
    await db.destroy();
    await cloud.stop();
  });

  test('knows all tables of a server', async () => {
    const { config } = await arranged();
    const tables = await openTables(undefined, config.data, () => undefined);
    const backedUp = await withSnapshot(tables, async (snapshot) => snapshot.tables);
    const names = (await tables.db.introspection.getTables()).map(({ name }) => name);
    await tables.db.destroy();
    const ofProcesses = ['BackupLeases', 'OperatorLinks', 'RunningGateways'];
    expect(names.filter((name) => !backedUp.includes(name)).toSorted()).toEqual(ofProcesses);
    expect(backedUp).toContain('passkey');
  });
});

describe('scheduled backups', () => {
  test('starts with a backup if one is due, and shows it in /metrics', async () => {
    const path = await temporaryFolder();
    const to = { kind: 'folder', path } as const;
    const backup = { to, hours: 1, keep: 2, secret: undefined };
    const cloud = await testCloud({ backup, databaseUrl: undefined, bucket: undefined });
    const metrics = async () => (await fetch(`${cloud.url}/metrics`)).text();
    await expect.poll(metrics).toContain('fixpoint_backups_total{outcome="complete"} 1');
    expect(await metrics()).toMatch(/^fixpoint_backup_bytes [1-9]\d+$/m);
    const fresh = await emptyConfig();
    const [id] = await readdir(path);
    const ada = await newPerson(cloud.url);
    await addOperator(cloud.db, ada.userId, 'now');
    const listed = { everyHours: 1, backups: [{ id, missing: 0, bytes: expect.any(Number) }] };
    expect(await ada.ask('reqListBackups')).toMatchObject(listed);
    await rename(path, `${path}-away`);
    await writeFile(path, 'not a folder');
    const problem = expect.stringContaining("The place of the backups doesn't answer.");
    expect(await ada.ask('reqListBackups')).toMatchObject({ ...listed, problem });
    await rm(path);
    await rename(`${path}-away`, path);
    expect(await restore(fresh, to, undefined)).toMatchObject({ id });
  });
});

describe('a restore', () => {
  test('refuses a data folder that contains anything, and leaves it as it is', async () => {
    const { config, to } = await arranged();
    await backUp(config, to, undefined);
    const before = (await readdir(config.data)).sort();
    await expect(restore(config, to, undefined)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await readdir(config.data)).sort()).toEqual(before);
    const fresh = await emptyConfig();
    await mkdir(fresh.data, { recursive: true });
    await writeFile(join(fresh.data, 'notes.txt'), 'mine');
    await expect(restore(fresh, to, undefined)).rejects.toThrow("isn't empty: restore into an empty one");
    expect(await readdir(fresh.data)).toEqual(['notes.txt']);
  });

  test('refuses a place without backups, and a configuration of another kind', async () => {
    const { config, to } = await arranged();
    const fresh = await emptyConfig();
    await expect(restore(fresh, to, undefined)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await backUp(config, to, undefined);
    const bucket = (await faultyBucket(() => 'pass')).config;
    await expect(restore({ ...fresh, bucket }, to, undefined)).rejects.toThrow('unset OBJECT_STORE');
    const databaseUrl = 'postgres://nobody@localhost:1/none';
    await expect(restore({ ...fresh, databaseUrl }, to, undefined)).rejects.toThrow('unset DATABASE_URL');
    await expect(backUp(fresh, to, undefined)).rejects.toThrow('has no server');
    const within = { ...to, path: join(config.data, 'backups') };
    await expect(backUp(config, within, undefined)).rejects.toThrow('outside of FIXPOINT_DATA');
  });

  test('requires the name of a backup in a place with backups of several servers', async () => {
    const [one, other] = [await arranged(), await arranged()];
    const first = await backUp(one.config, one.to, undefined);
    const second = await backUp(other.config, one.to, undefined);
    expect(first.server).not.toBe(second.server);
    const fresh = await emptyConfig();
    const refused = restore(fresh, one.to, undefined);
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' });
    for (const { id, server } of [first, second])
      await expect(refused).rejects.toThrow(`server ${server}: ${id}`);
    await expect(stat(fresh.data)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await restore(fresh, { ...one.to, path: folderOf(one.to, first) }, undefined)).toEqual(first);
  });

  test('ignores backups of a time in the future, unless one is named', async () => {
    const { config, to } = await arranged();
    const ahead = await backUp(config, to, undefined);
    const made = await backUp(config, to, undefined);
    await rewrite(folderOf(to, ahead), (manifest) => ({ ...manifest, moment: '2126-01-01T00:00:00.000Z' }));
    await rename(folderOf(to, ahead), join(to.path, AHEAD));
    await rewrite(join(to.path, AHEAD), (manifest) => ({ ...manifest, id: AHEAD }));
    expect(await restore(await emptyConfig(), to, undefined)).toEqual(made);
    const named = await verify(await emptyConfig(), { ...to, path: join(to.path, AHEAD) }, undefined);
    expect(named.id).toBe(AHEAD);
  });

  test('refuses tables that this version does not have, before it writes anything', async () => {
    const { config, to } = await arranged();
    const made = await backUp(config, to, undefined);
    await rewrite(folderOf(to, made), (manifest) => ({
      ...manifest,
      rows: { ...(manifest['rows'] as object), pg_stat_statements: 0 },
    }));
    const fresh = await emptyConfig();
    await expect(restore(fresh, to, undefined)).rejects.toThrow('the table pg_stat_statements');
    await expect(stat(fresh.data)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

const AHEAD = 'fixpoint-21260101T000000000Z-00000000';

/** Changes the manifest of a backup that isn't encrypted, and its hash. */
async function rewrite(folder: string, change: (manifest: Record<string, unknown>) => object): Promise<void> {
  const file = join(folder, 'manifest.json');
  const [json = ''] = (await readFile(file, 'utf8')).split('\n');
  const changed = JSON.stringify(change(JSON.parse(json)));
  await writeFile(file, `${changed}\n${createHash('sha256').update(changed).digest('hex')}\n`);
}

describe('a backup that is not as it was made', () => {
  interface Made {
    readonly folder: string;
    readonly other: string;
    readonly part: string;
  }
  const changeByte = async (file: string, at: number) => {
    const bytes = await readFile(file);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(file, bytes);
  };
  const inManifest = async (folder: string, from: RegExp, to: string) => {
    const file = join(folder, 'manifest.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
  };
  const FAULTS: readonly [string, string, (made: Made) => Promise<void>][] = [
    ['without a manifest', "isn't complete", ({ folder }) => rm(join(folder, 'manifest.json'))],
    ['without a part', 'lacks part-000001', ({ part }) => rm(part)],
    [
      'with a truncated part',
      'bytes in part-000001, where the manifest has',
      async ({ part }) => truncate(part, (await stat(part)).size - 1),
    ],
    ['with a changed part', 'other bytes in part-000001', ({ part }) => changeByte(part, 1000)],
    [
      'with a part of another backup',
      'in part-000001',
      ({ part, other }) => cp(join(other, 'part-000001'), part),
    ],
    [
      'with the manifest of another backup',
      'has the manifest of',
      ({ folder, other }) => cp(join(other, 'manifest.json'), join(folder, 'manifest.json')),
    ],
    [
      'with a truncated manifest',
      'truncated manifest',
      ({ folder }) => truncate(join(folder, 'manifest.json'), 300),
    ],
    [
      'with a changed manifest',
      'changed manifest',
      ({ folder }) => inManifest(folder, /"objectCount":2/, '"objectCount":1'),
    ],
    [
      'of a newer format',
      'use a newer version',
      ({ folder }) => inManifest(folder, /"format":1/, '"format":2'),
    ],
  ];

  test.each(
    FAULTS.flatMap(([name, reason, spoil]) =>
      [false, true].map((isSealed) => ({ name, reason, spoil, isSealed })),
    ),
  )(
    'is rejected before anything is written: $name (encrypted: $isSealed)',
    async ({ reason, spoil, isSealed }) => {
      const { client, notes, config, to } = await arranged();
      const secret = isSealed ? await keyFile(Buffer.alloc(32, 7)) : undefined;
      const made = await backUp(config, to, secret);
      await commit(client, notes, 'three');
      const other = folderOf(to, await backUp(config, to, secret));
      const folder = folderOf(to, made);
      await spoil({ folder, other, part: join(folder, 'part-000001') });
      const fresh = await emptyConfig();
      const from = { ...to, path: folder };
      await expect(restore(fresh, from, secret)).rejects.toThrow(reason);
      await expect(verify(fresh, from, secret)).rejects.toThrow(reason);
      await expect(stat(fresh.data)).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});

describe('an encrypted backup', () => {
  test('contains no clear text, and opens only with the key that encrypted it', async () => {
    const { config, to } = await arranged();
    const right = await keyFile(Buffer.alloc(32, 1));
    const made = await backUp(config, to, right);
    expect(made.isEncrypted).toBe(true);
    const part = await readFile(join(folderOf(to, made), 'part-000001'));
    for (const word of ['secrets', 'tenantId', '"kty"', 'one']) expect(part.includes(word), word).toBe(false);
    const fresh = await emptyConfig();
    const wrongKey = await keyFile('02'.repeat(32));
    await expect(restore(fresh, to, wrongKey)).rejects.toThrow('was encrypted with another key');
    await expect(restore(fresh, to, passphrase)).rejects.toThrow('is encrypted with a key');
    await expect(restore(fresh, to, undefined)).rejects.toMatchObject({ code: 'KEY_INVALID' });
    expect(await restore(fresh, to, await keyFile(`${'01'.repeat(32)}\n`))).toEqual(made);
  });

  test('opens with its passphrase', long, async () => {
    const { config, to } = await arranged();
    const made = await backUp(config, to, passphrase);
    const fresh = await emptyConfig();
    const wrong = { ...passphrase, text: 'correct horse batterz' } as const;
    await expect(restore(fresh, to, wrong)).rejects.toThrow('was encrypted with another passphrase');
    expect(await restore(fresh, to, passphrase)).toEqual(made);
  });

  test('is required where a key is passed, so that nobody can replace it by an unencrypted one', async () => {
    const { config, to } = await arranged();
    await backUp(config, to, undefined);
    const key = await keyFile(Buffer.alloc(32, 1));
    await expect(restore(await emptyConfig(), to, key)).rejects.toThrow("isn't encrypted");
  });

  test('is rejected if its manifest was changed without the key', async () => {
    const { config, to } = await arranged();
    const key = await keyFile(Buffer.alloc(32, 1));
    const made = await backUp(config, to, key);
    await rewrite(folderOf(to, made), (manifest) => ({ ...manifest, moment: '2026-01-01T00:00:00.000Z' }));
    const fresh = await emptyConfig();
    await expect(restore(fresh, to, key)).rejects.toThrow('has a changed manifest');
    await expect(stat(fresh.data)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each(['short', 'zz'.repeat(32), Buffer.alloc(33)])(
    'is not made with an unusable key file',
    async (text) => {
      const { config, to } = await arranged();
      await expect(backUp(config, to, await keyFile(text))).rejects.toThrow('must contain 32 random bytes');
      expect(await readdir(to.path)).toEqual([]);
    },
  );
});

describe('a backup in a bucket', () => {
  test('is restored by its place, and rejected if a part is missing', async () => {
    const { config } = await arranged();
    const { config: bucket, objects } = await faultyBucket(() => 'pass');
    const to = { kind: 'bucket', bucket, prefix: 'servers/one' } as const;
    const first = await backUp(config, to, undefined);
    const second = await backUp(config, to, undefined);
    const fresh = await emptyConfig();
    expect(await restore(fresh, to, undefined)).toEqual(second);
    const from = { ...to, prefix: `servers/one/${first.id}` };
    objects.delete(`servers/one/${first.id}/part-000001`);
    await expect(restore(await emptyConfig(), from, undefined)).rejects.toThrow('lacks part-000001');
    await expect(backUp({ ...config, bucket }, to, undefined)).rejects.toThrow('another bucket');
  });
});

describe('a check of a server', () => {
  test('reports missing and damaged objects of rows, and objects of no database', async () => {
    const { config, notes, keys, cloud } = await arranged();
    const [one = '', two = ''] = keys;
    await cloud.stop();
    const shelf = await shelfIn(config.data);
    const [first, second] = await Promise.all([fileOf(shelf, 'one'), fileOf(shelf, 'two')]);
    await rm(first);
    await writeFile(second, 'twp');
    const orphan = join(config.data, 'objects/00', '0'.repeat(64));
    await mkdir(orphan, { recursive: true });
    await writeFile(join(orphan, '0'.repeat(64)), 'lost');
    const named = { tenantId: notes.tenant, ledgerId: notes.ledger };
    expect(await checkServer(config)).toMatchObject({
      tables: [],
      missing: [{ ...named, name: `car/${one}` }],
      damaged: [{ ...named, name: `car/${two}` }],
      orphans: [`00/${'0'.repeat(64)}/${'0'.repeat(64)}`],
      objects: 2,
      unnamed: 0,
    });
    expect(carKey(new Uint8Array(Buffer.from('one')))).toBe(one);
  });

  test('reports tables that are damaged', async () => {
    const { config, cloud } = await arranged();
    await cloud.stop();
    const { db } = await tablesOf(config.data);
    const rows = Array.from({ length: 2000 }, (_, seq) => ({ ...AUDIT, seq }));
    for (let start = 0; start < rows.length; start += 500)
      await db
        .insertInto('AuditRecords')
        .values(rows.slice(start, start + 500))
        .execute();
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
    await db.destroy();
    const file = join(config.data, 'fixpoint.sqlite');
    const bytes = await readFile(file);
    bytes.fill(0xff, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 40_960);
    await writeFile(file, bytes);
    const { tables } = await checkServer(config);
    expect(tables.length).toBeGreaterThan(0);
    const again = await testCloud({ data: config.data, databaseUrl: undefined, bucket: undefined });
    expect((await fetch(`${again.url}/readyz`)).status).toBe(503);
  });
});

const AUDIT = {
  tenantId: 't',
  createdAt: '2026-11-28',
  userId: 'u',
  action: 'test',
  ledgerId: null,
  detail: JSON.stringify({ text: 'x'.repeat(300) }),
  origin: null,
};

async function shelfIn(data: string): Promise<string> {
  for (const first of await readdir(join(data, 'objects')))
    if (/^[0-9a-f]{2}$/.test(first))
      for (const shelf of await readdir(join(data, 'objects', first)))
        return join(data, 'objects', first, shelf);
  throw new Error('no objects');
}

async function fileOf(shelf: string, text: string): Promise<string> {
  for (const name of await readdir(shelf))
    if ((await readFile(join(shelf, name), 'utf8')) === text) return join(shelf, name);
  throw new Error(`no file with ${text}`);
}
