/**
 * Runs the contract of stores on SQLite without a test runner: in the folder and with the driver of
 * the arguments. Prints a line for each case.
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteStore } from 'fixpoint/sqlite';
import { byteStoreCases } from 'fixpoint/store';
import { openSqlite } from './sqlite-driver.fixture.mjs';

const [, , folder, driver] = process.argv;
const cases = byteStoreCases(async () => {
  const file = join(mkdtempSync(join(folder, 'place-')), 'db');
  // The platform is used only for its store.
  const open = async () =>
    sqliteStore(await openSqlite(driver, file))
      .platform({})
      .openStore('a', 'strict');
  return { open };
});
for (const { name, run } of cases) {
  await run();
  process.stdout.write(`kept: ${name}\n`);
}
