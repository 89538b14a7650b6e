import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { newLedger, tablesOf, temporaryFolder } from '../../../tests/cloud.fixture.ts';
import { migrationNames } from '../migrations.ts';
import { openTables } from '../open-tables.ts';
import { testDatabaseKind, testDatabaseUrl } from '../postgres.fixture.ts';
import { putMetas } from '../sync/put-metas.ts';
import { withSnapshot } from './snapshot.ts';

const entry = (cid: string) => ({ cid, parents: [], data: `data of ${cid}` });

test('reads the rows of one moment, while another connection writes', async () => {
  const folder = await temporaryFolder();
  const url = await testDatabaseUrl(folder);
  const behind = await tablesOf(folder, url);
  const tables = await openTables(url, folder, () => undefined);
  onTestFinished(async () => void (await Promise.all([behind.db.destroy(), tables.db.destroy()])));
  const { tenant, ledger } = await newLedger(behind);
  const put = (...cids: string[]) =>
    putMetas(behind.db, { tenant, ledger }, 'w', { metas: cids.map(entry), keys: [] }, 0);
  const many = Array.from({ length: 450 }, (_, index) => `before ${index}`);
  await put(...many);
  await withSnapshot(tables, async (snapshot) => {
    const read = async (table: string) => {
      const found: object[] = [];
      for await (const rows of snapshot.rows(table)) {
        found.push(...rows);
        await put(`after ${table} ${found.length}`);
      }
      return found;
    };
    expect(await read('Ledgers')).toMatchObject([{ ledgerId: ledger, metaSeq: 450 }]);
    expect((await read('Metas')).map((row) => (row as { cid: string }).cid).sort()).toEqual(many.sort());
    expect(snapshot.tables.slice(0, 3)).toEqual(['Users', 'Tenants', 'Ledgers']);
    expect(snapshot.tables).not.toContain('BackupLeases');
    expect(snapshot.migration).toBe(migrationNames.at(-1));
  });
});

async function opened() {
  const folder = await temporaryFolder();
  const tables = await openTables(await testDatabaseUrl(folder), folder, () => undefined);
  onTestFinished(() => tables.db.destroy());
  return tables;
}

test('omits views, and tables of other programs', async () => {
  const tables = await opened();
  const { db } = tables;
  const before = await withSnapshot(tables, async (snapshot) => snapshot.tables);
  await db.schema.createTable('Others').addColumn('id', 'text').execute();
  await sql`create view "Views" as select * from "Users"`.execute(db);
  if (testDatabaseKind === 'postgres') {
    await sql`create schema other`.execute(db);
    await sql`create table other."Metas" (id text)`.execute(db);
    await sql`create table other."session" (id text)`.execute(db);
  }
  expect(await withSnapshot(tables, async (snapshot) => snapshot.tables)).toEqual(before);
  expect(before).toContain('Metas');
});

test('yields long rows in portions of about a megabyte', async () => {
  const tables = await opened();
  const values = Array.from({ length: 30 }, (_, index) => ({
    name: String(index),
    value: 'x'.repeat(150_000),
  }));
  await tables.db.insertInto('CloudMarks').values(values).execute();
  const portions = await withSnapshot(tables, async (snapshot) => {
    const sizes: number[] = [];
    for await (const rows of snapshot.rows('CloudMarks')) sizes.push(rows.length);
    return sizes;
  });
  expect(portions).toEqual([6, 6, 6, 6, 6]);
});
