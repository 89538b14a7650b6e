import { expect, onTestFinished, test } from 'vitest';
import { newLedger, tablesOf, temporaryFolder } from '../../../tests/cloud.fixture.ts';
import { migrationNames } from '../migrations.ts';
import { openTables } from '../open-tables.ts';
import { testDatabaseUrl } from '../postgres.fixture.ts';
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
