/** Starts a server in a separate process, with a user, a tenant and a ledger. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createAdminClient } from '@fixpoint/protocol/admin';
import { SERVER } from '../../scripts/bundle-node.mjs';
import { root } from '../../scripts/ready.mjs';

const MAIN = join(root, SERVER);
const BARE = join(import.meta.dirname, 'bare.mjs');
const TICKS_PER_SECOND = 100;
/** Turns off rate limits, because the whole load comes from one address and one user. */
const NO_RATES = Object.fromEntries(
  ['RATE_PER_USER', 'RATE_PER_ADDRESS', 'RATE_OF_SOCKETS', 'SOCKETS_PER_USER'].map((name) => [
    name,
    '1000000',
  ]),
);

/** Starts a Node server whose only work is to answer requests. */
export const startBareServer = async () => ({ ...(await start(BARE)), token: 'none' });

export async function startServer() {
  const server = await start(MAIN);
  return { ...server, ...(await firstLedger(server.url)) };
}

/**
 * Returns a size from the status of a process: `VmRSS` is its current size, `VmHWM` its highest.
 */
export const statusMb = (pid, name) =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;

async function start(script) {
  const data = mkdtempSync(join(tmpdir(), 'fixpoint-bench-cloud-'));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, FIXPOINT_DATA: data, PORT: '0', LOG_LEVEL: 'error', ...NO_RATES },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /https?:\/\/\S+/.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    url,
    rssMb: () => statusMb(child.pid, 'VmRSS'),
    peakMb: () => statusMb(child.pid, 'VmHWM'),
    /** Returns the seconds of processor time that the server has used so far. */
    cpuSeconds: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function firstLedger(url) {
  const post = (path, body) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify(body),
    });
  const signedUp = await post('/auth/sign-up/email', {
    email: 'bench@example.com',
    password: 'a password for the benchmark',
    name: 'Bench',
  });
  const cookie = signedUp.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const { token } = await (await fetch(`${url}/auth/token`, { headers: { cookie } })).json();
  const api = createAdminClient({
    url: `${url}/api`,
    fetch: (...request) => fetch(...request),
    auth: async () => ({ type: 'fixpoint', token }),
  });
  const taken = (result) => {
    if (!result.ok) throw result.error;
    return result.value;
  };
  taken(await api.ensureUser());
  const { tenantId } = taken(await api.createTenant('bench'));
  let ledgers = 0;
  const newLedger = async () => {
    const { ledgerId } = taken(await api.createLedger({ tenantId, name: `bench ${++ledgers}` }));
    const selected = { tenant: tenantId, ledger: ledgerId };
    return { tenant: tenantId, ledger: ledgerId, token: taken(await api.cloudSessionToken({ selected })) };
  };
  return { ...(await newLedger()), newLedger };
}
