import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/cloud.fixture.ts';
import { migrationNames } from '../migrations.ts';
import { openTables } from '../open-tables.ts';
import { newPostgresDatabase, testDatabaseKind } from '../postgres.fixture.ts';
import { fillTables, requireFilled, restoredAs, type TableRows } from './fill-tables.ts';
import { usedPlace } from './used-places.ts';

async function* rowsOf(...tables: readonly TableRows[]): AsyncIterable<TableRows> {
  yield* tables;
}

test('marks tables as unfinished from their creation until all rows are inserted', async () => {
  const folder = await temporaryFolder();
  const url = testDatabaseKind === 'postgres' ? await newPostgresDatabase() : undefined;
  const how = { restoreUpTo: migrationNames.at(-1) ?? '' };
  const tables = await openTables(url, folder, () => undefined, how);
  onTestFinished(() => tables.db.destroy());
  const mark = { table: 'CloudMarks', rows: [{ name: 'secrets', value: 'hash' }] };
  await expect(requireFilled(tables.db)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('was interrupted'),
  });
  const unknown = { table: 'BackupLeases', rows: [{ name: 'a', holder: 'b', expiresAt: 'c' }] };
  await expect(fillTables(tables, rowsOf(mark, unknown))).rejects.toThrow('the table BackupLeases');
  await expect(requireFilled(tables.db)).rejects.toThrow('was interrupted');
  const used = usedPlace(tables.db, '/mnt/backups');
  await used.use();
  expect(await used.isUsed()).toBe(true);
  await fillTables(tables, rowsOf(mark));
  expect(await used.isUsed()).toBe(false);
  await requireFilled(tables.db);
  const [own, ...rows] = await tables.db.selectFrom('CloudMarks').selectAll().orderBy('name').execute();
  expect(rows).toEqual(mark.rows);
  expect(own?.value).toBe(await restoredAs(tables.db));
});
