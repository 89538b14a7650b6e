/**
 * Measures how much one core of PostgreSQL can do: puts of entries, and reads of news. Starts a
 * server of its own, pins it to one core, and counts the processor time of its processes, so that
 * other work on the machine changes the result little.
 *
 * `npm run build`, then `node bench/cloud/postgres-core.mjs`. Needs Linux, and PostgreSQL as a
 * Debian package.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openTables } from '../../packages/cloud/dist/tables/open-tables.js';
import { readMetas } from '../../packages/cloud/dist/tables/sync/meta-rows.js';
import { putMetas } from '../../packages/cloud/dist/tables/sync/put-metas.js';

const SECONDS = Number(process.argv[2] ?? 20);
const PORT = Number(process.env.PORT ?? 15_999);
const LEDGERS = 256;
/** Puts that wait for PostgreSQL at the same time: as many as a gateway has connections. */
const AT_ONCE = 10;
const TICKS_PER_SECOND = 100;

const ROOT = '/usr/lib/postgresql';
const bin = join(ROOT, readdirSync(ROOT).sort().at(-1), 'bin');
const data = mkdtempSync(join(tmpdir(), 'fixpoint-core-'));
const isRoot = process.getuid() === 0;
const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
if (isRoot) chownSync(data, idOf('-u'), idOf('-g'));

function program(name, ...args) {
  const command = [...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []), join(bin, name), ...args];
  // Children inherit the core.
  execFileSync('taskset', ['-c', '1', ...command], { cwd: tmpdir(), stdio: 'ignore' });
}

/** Processor seconds of the server's processes. Ended ones count with their parent. */
function serverSeconds() {
  const main = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  let ticks = 0;
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const file = `/proc/${name}/stat`;
    const stat = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(name) === main) ticks += fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    else if (Number(fields[1]) === main) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS_PER_SECOND;
}

/** Runs work again and again, and prints its rate and its processor time in PostgreSQL. */
async function measure(what, work) {
  const [started, before] = [performance.now(), serverSeconds()];
  let count = 0;
  const worker = async () => {
    while (performance.now() - started < SECONDS * 1000) {
      await work();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const seconds = (performance.now() - started) / 1000;
  const each = (serverSeconds() - before) / count;
  const rates = `${Math.round(count / seconds)}/s here, ${Math.round(each * 1e6)} µs each`;
  console.log(`${what}: ${rates}, so ${Math.round(1 / each)}/s for each core of PostgreSQL`);
  return count;
}

const newId = () => `z${randomBytes(12).toString('hex')}`;

async function newLedger(db) {
  const at = new Date().toISOString();
  const standing = { status: 'active', statusReason: 'bench', createdAt: at, updatedAt: at };
  const [userId, tenantId, ledgerId] = [newId(), newId(), newId()];
  const limits = { maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 5 };
  const insert = (table, row) =>
    db
      .insertInto(table)
      .values({ ...row, ...standing })
      .execute();
  await insert('Users', { userId, maxTenants: 5 });
  await insert('Tenants', { tenantId, name: 'bench', ownerUserId: userId, ...limits });
  await insert('Ledgers', { ledgerId, tenantId, ownerId: userId, name: 'notes', maxShares: 5, metaSeq: 0 });
  return { tenant: tenantId, ledger: ledgerId, cursor: 0 };
}

/** An entry with the size of that of a small commit. Those of sealed ledgers begin with `S`. */
const newEntry = () => ({
  cid: newId(),
  parents: [newId()],
  data: `z${randomBytes(300).toString('base64')}`,
});

async function measureAll(db) {
  const ledgers = [];
  while (ledgers.length < LEDGERS) ledgers.push(await newLedger(db));
  let next = 0;
  const some = () => ledgers[next++ % LEDGERS];
  const put = async (ledger, writer = newId()) => {
    const object = newId();
    const metas = [newEntry()];
    const needs = new Map([[metas[0].cid, { objects: [`car/${object}`] }]]);
    await putMetas(db, ledger, writer, { metas, keys: [], userId: 'u', needs }, Date.now());
  };
  const one = async (query) => Object.values((await query.execute(db)).rows[0])[0];
  const size = () => one(sql`select pg_database_size(current_database())`).then(Number);
  const log = () => one(sql`select pg_current_wal_lsn() - '0/0'`).then(Number);

  const [sizeBefore, logBefore] = [await size(), await log()];
  const puts = await measure('puts of one entry', () => put(some()));
  await sql`checkpoint`.execute(db);
  const perPut = (bytes) => `${Math.round(bytes / puts)} bytes`;
  console.log(`a put takes ${perPut((await size()) - sizeBefore)} of tables and indexes`);
  console.log(`a put takes ${perPut((await log()) - logBefore)} of the log of PostgreSQL`);
  // Followers read what is new: one entry, and sometimes a page.
  for (const ledger of ledgers) ledger.last = (await readMetas(db, ledger, 0, 1000)).cursor;
  const read = async (rows) => {
    const ledger = some();
    await readMetas(db, ledger, Math.max(0, ledger.last - rows), 200);
  };
  await measure('reads of 1 new entry', () => read(1));
  await measure('reads of 50 entries', () => read(50));
  const writers = new Map(ledgers.map((ledger) => [ledger, newId()]));
  await measure('puts that replace the last entry of their writer', () => {
    const ledger = some();
    return put(ledger, writers.get(ledger));
  });
}

program('initdb', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '-D', data);
const settings = `-p ${PORT} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c shared_buffers=128MB`;
program('pg_ctl', '-D', data, '-l', join(data, 'log'), '-w', '-o', settings, 'start');
try {
  const { db } = await openTables(`postgres://postgres@127.0.0.1:${PORT}/postgres`, data, () => undefined);
  await measureAll(db);
  await db.destroy();
} finally {
  program('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
  rmSync(data, { recursive: true, force: true });
}
