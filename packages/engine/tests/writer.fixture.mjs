/**
 * A process that writes until it is killed. It prints `opening` after it has loaded the engine,
 * then `put n` or `bulk n` for each acknowledged write. The third argument selects more work:
 * `bulks` writes only long bulks; `compacts` compacts repeatedly and keeps little history;
 * `queries` queries an index after each write; `syncs` attaches to the ledger in FIXPOINT_REMOTE.
 * With FIXPOINT_SQLITE, the database is in an SQLite file of the directory, through that driver.
 */
import { join } from 'node:path';
import { fixpoint, toCloud } from 'fixpoint';
import { sqliteStore } from 'fixpoint/sqlite';
import { openSqlite } from './sqlite-driver.fixture.mjs';

const [, , directory, from, how] = process.argv;
const say = (line) => process.stdout.write(`${line}\n`);
const parts = how === 'bulks' ? Array.from({ length: 300 }, (_, at) => `${at}`) : ['a', 'b', 'c'];

const driver = process.env.FIXPOINT_SQLITE;
const store = driver && sqliteStore(await openSqlite(driver, join(directory, 'crash.db')));
say('opening');
const db = fixpoint('crash', {
  directory,
  ...(store && { store }),
  commitEachWrite: process.env.COMMIT_EACH_WRITE === 'yes',
  ...(how === 'compacts' && { history: { commits: 2 } }),
});

async function compactForEver() {
  await db.put({ _id: 'first' });
  for (;;) await db.compact();
}
if (how === 'compacts') void compactForEver();
if (how === 'syncs') void db.attach(toCloud(JSON.parse(process.env.FIXPOINT_REMOTE)));

for (let n = Number(from); ; n++) {
  if (how === 'bulks' || n % 5 === 0) {
    await db.bulk(parts.map((part) => ({ _id: `bulk-${n}-${part}`, n })));
    say(`bulk ${n}`);
  } else {
    await db.put({ _id: `put-${n}`, n });
    say(`put ${n}`);
  }
  if (how === 'queries') await db.query('n', { limit: 1 });
}
