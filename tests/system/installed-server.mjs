/**
 * Uses an installed server as an operator and an application do, and prints what happened as one
 * line of JSON. Runs without packages of this repository: the engine is that of the installation.
 *
 * `installed-server.mjs COMMAND LIBRARY FOLDER [URL BACKUPS]`: the command of the operator, the
 * folder with its packages, and a folder for data. With a URL, uses the server that runs there, and
 * a folder for its backups. Otherwise starts a server, and stops it at the end.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [command, library, folder, runningUrl, backups = join(folder, 'backups')] = process.argv.slice(2);
const { fixpoint, toCloud } = await import(
  pathToFileURL(join(library, 'node_modules/fixpoint/dist/node/index.js')).href
);
const env = { ...process.env, FIXPOINT_DATA: join(folder, 'data'), LOG_LEVEL: 'error' };

/** Runs a command of an operator, and returns its exit code and its last line. */
function operate(...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env, cwd: folder });
  return { status, last: `${stdout}${stderr}`.trim().split('\n').at(-1) };
}

async function started() {
  const child = spawn(command, ['serve', '--port', '0'], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [address] = /http:\S+/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    void ended.then((code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, ended, url };
}

/** Signs up, and returns a function that sends requests of the admin API. */
async function signUp(url) {
  const headers = { 'content-type': 'application/json', origin: url };
  const entered = await fetch(`${url}/auth/sign-up/email`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: 'ada@example.com', password: 'a long password', name: 'Ada' }),
  });
  if (!entered.ok) throw new Error(`sign-up answered ${entered.status}`);
  const cookie = entered.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const { token } = await (await fetch(`${url}/auth/token`, { headers: { cookie } })).json();
  return async (type, payload = {}) => {
    const body = JSON.stringify({ type, auth: { type: 'fixpoint', token }, ...payload });
    const answered = await fetch(`${url}/api`, { method: 'PUT', headers, body });
    const answer = await answered.json();
    if (!answered.ok) throw new Error(`${type} answered ${answered.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
}

async function newLedger(ask) {
  await ask('reqEnsureUser');
  const { tenant } = await ask('reqCreateTenant', { tenant: { name: 'acme' } });
  const { ledger } = await ask('reqCreateLedger', { ledger: { tenantId: tenant.tenantId, name: 'notes' } });
  const ids = { tenant: tenant.tenantId, ledger: ledger.ledgerId };
  const { token } = await ask('reqCloudSessionToken', { selected: ids });
  return { ...ids, token };
}

/** Opens a database of a new device, and syncs it with the ledger. */
async function withDevice(name, ledger, base, work) {
  const db = fixpoint('notes', { directory: join(folder, name) });
  const remote = await db.attach(toCloud({ base, ...ledger }));
  await remote.synced();
  const result = await work(db);
  await remote.synced();
  await remote.detach();
  await db.close();
  return result;
}

const { child, ended, url } = runningUrl === undefined ? await started() : { url: runningUrl };
const page = await fetch(`${url}/fp/databases`);
const ledger = await newLedger(await signUp(url));
await withDevice('first', ledger, url, (db) => db.put({ _id: 'note', title: 'Buy milk' }));
const { title } = await withDevice('second', ledger, url, (db) => db.get('note'));
if (runningUrl === undefined) mkdirSync(backups);
const backup = operate('backup', '--to', backups);
const check = operate('check');
child?.kill('SIGTERM');
const report = {
  page: page.status,
  isConsole: (await page.text()).includes('<div id="root"'),
  title,
  backup,
  check,
  stopped: await ended,
  verified: operate('restore', '--from', backups, '--verify'),
};
process.stdout.write(`${JSON.stringify(report)}\n`);
