import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/cloud.fixture.ts';
import { openTables } from './open-tables.ts';
import { nameObjects } from './sync/ledger-objects.ts';
import { checkedTablesAnswer, tablesAnswer } from './tables-answer.ts';

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

/** Overwrites all pages of a file except the first ones, which contain the schema. */
async function damage(file: string): Promise<void> {
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, Math.floor(bytes.length / 2)));
}

async function withManyRows() {
  const { tables, file } = await arranged();
  const { db } = tables;
  const names = Array.from({ length: 3000 }, (_, index) => `car/${index}${'x'.repeat(100)}`);
  for (let start = 0; start < names.length; start += 500)
    await nameObjects(db, 'ledger', names.slice(start, start + 500), '2026-11-28');
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  return { tables, file, db };
}

test('reports a file that was damaged before the server started', async () => {
  const { file } = await withManyRows();
  await damage(file);
  const started = await openTables(undefined, dirname(file), () => undefined);
  onTestFinished(() => started.db.destroy());
  expect(await tablesAnswer(started)).toBe(true);
  const reasons: string[] = [];
  const answer = await checkedTablesAnswer(started, (reason) => void reasons.push(reason));
  expect(await answer()).toBe(false);
  expect(reasons).toHaveLength(1);
});

test('reports damage that a statement has found', async () => {
  const { file } = await withManyRows();
  await damage(file);
  const started = await openTables(undefined, dirname(file), () => undefined);
  onTestFinished(() => started.db.destroy());
  await expect(started.db.selectFrom('LedgerObjects').selectAll().execute()).rejects.toThrow('malformed');
  expect(await tablesAnswer(started)).toBe(false);
});
