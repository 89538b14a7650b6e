import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/cloud.fixture.ts';
import { openTables } from './open-tables.ts';
import { tablesAnswer } from './tables-answer.ts';

async function arranged() {
  const folder = await temporaryFolder();
  const tables = await openTables(undefined, folder, () => undefined);
  onTestFinished(() => tables.db.destroy());
  expect(await tablesAnswer(tables)).toBe(true);
  return { tables, file: join(folder, 'fixpoint.sqlite') };
}

test('reports that the database file is gone', async () => {
  const { tables, file } = await arranged();
  await rm(file);
  expect(await tablesAnswer(tables)).toBe(false);
});

test('reports that the database file was overwritten', async () => {
  const { tables, file } = await arranged();
  await writeFile(file, 'no database');
  expect(await tablesAnswer(tables)).toBe(false);
});

test("reports that a table can't be read", async () => {
  const { tables } = await arranged();
  await tables.db.schema.alterTable('LedgerKeys').renameTo('Elsewhere').execute();
  expect(await tablesAnswer(tables)).toBe(false);
});
