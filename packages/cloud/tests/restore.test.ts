/** Tests interrupted restores, and servers beside the one that they were restored from. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { backUp, checkServer, defaultConfig, restore, startCloud } from '../src/index.ts';
import { faultyBucket } from '../src/objects/memory-bucket.fixture.ts';
import { S3 } from '../src/objects/s3.fixture.ts';
import { onServer, POSTGRES } from '../src/tables/postgres.fixture.ts';
import { emptyServer } from './backup.fixture.ts';
import { commit, httpClient, newLedger, temporaryFolder, testCloud } from './cloud.fixture.ts';

const dataFolder = async () => join(await temporaryFolder(), 'data');

/** Starts a server with one write, and returns a folder for its backups. */
async function written(config = {}) {
  const data = await dataFolder();
  const cloud = await testCloud({ data, databaseUrl: undefined, bucket: undefined, ...config });
  const notes = await newLedger(cloud);
  await commit(await httpClient(cloud, notes), notes, 'one');
  return { cloud, config: { ...defaultConfig(data), ...config }, path: await temporaryFolder() };
}

/** Returns a bucket whose keys another program takes while a restore fills it. */
async function contestedBucket() {
  const state = { isContested: true };
  const store = await faultyBucket((method, path) => {
    const key = path.replace(/^\/bucket\//, '').split('?')[0] ?? '';
    if (state.isContested && method === 'PUT')
      store.objects.set(key, { bytes: Buffer.from('other'), hash: undefined });
    return 'pass';
  });
  return { ...store, state };
}

describe('a restore that fails half-way', () => {
  test('leaves stores that no server starts with, even if the data folder is replaced', async () => {
    const source = await faultyBucket(() => 'pass');
    const { config, cloud, path } = await written({ bucket: source.config });
    const from = { kind: 'folder', path } as const;
    await backUp(config, from, undefined);
    await cloud.stop();
    const target = await contestedBucket();
    const fresh = { ...defaultConfig(await dataFolder()), bucket: target.config };
    await expect(restore(fresh, from, undefined)).rejects.toThrow('already exists in the bucket');
    await expect(startCloud(fresh)).rejects.toThrow('was interrupted: remove the folder');
    await rm(join(fresh.data, 'restore-unfinished'));
    await expect(startCloud(fresh)).rejects.toThrow('a restore into this database was interrupted');
    await rm(fresh.data, { recursive: true });
    target.objects.clear();
    target.state.isContested = false;
    const restored = await restore(fresh, from, undefined);
    expect((await checkServer(fresh)).objects).toBe(restored.objects);
    expect(restored.objects).toBe(1);
  });
});

describe('a server that runs beside the one it was restored from', () => {
  test('has backups of its own, so that neither removes those of the other', async () => {
    const { config, path } = await written();
    const to = { kind: 'folder', path } as const;
    const made = await backUp(config, to, undefined);
    const [one, two] = [defaultConfig(await dataFolder()), defaultConfig(await dataFolder())];
    await restore(one, to, undefined);
    await restore(two, to, undefined);
    const others = [await backUp(one, to, undefined), await backUp(two, to, undefined)];
    expect(new Set([made, ...others].map(({ server }) => server)).size).toBe(3);
    expect((await backUp(config, to, undefined)).server).toBe(made.server);
    expect((await backUp(one, to, undefined)).server).toBe(others[0]?.server);
    const id = others[0]?.id ?? '';
    const third = defaultConfig(await dataFolder());
    await restore(third, { ...to, path: join(path, id) }, undefined);
    const last = await backUp(third, { ...to, path: await temporaryFolder() }, undefined);
    expect([made, ...others].map(({ server }) => server)).not.toContain(last.server);
    const fourth = defaultConfig(await dataFolder());
    await expect(restore(fourth, to, undefined)).rejects.toThrow('backups of 3 servers');
    await expect(stat(fourth.data)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

/** Adds what extensions and other programs have in the same database. */
const addOthers = (url = '') =>
  onServer(
    url,
    `create table spatial_ref_sys (id text); create view others as select * from spatial_ref_sys;
     create schema other; create table other."Metas" (id text); create table other.session (id text);
     insert into other.session values ('theirs')`,
  );

describe.skipIf(POSTGRES === undefined || S3 === undefined)(
  'on PostgreSQL and a bucket (skipped without FIXPOINT_TEST_POSTGRES and FIXPOINT_TEST_S3)',
  () => {
    test('backs up and restores beside tables of other programs', async () => {
      const [source, fresh] = [await emptyServer('postgres'), await emptyServer('postgres')];
      const cloud = await testCloud(source);
      const notes = await newLedger(cloud);
      await commit(await httpClient(cloud, notes), notes, 'one');
      const to = { kind: 'folder', path: await temporaryFolder() } as const;
      await addOthers(source.databaseUrl);
      const made = await backUp(source, to, undefined);
      await cloud.stop();
      await addOthers(fresh.databaseUrl);
      expect(await restore(fresh, to, undefined)).toEqual(made);
      expect(await checkServer(fresh)).toMatchObject({ tables: [], missing: [], damaged: [], objects: 1 });
    });
  },
);
