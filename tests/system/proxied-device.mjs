/**
 * Uses a server through a proxy, as people, devices and attackers do, and prints what happened as
 * one line of JSON. Runs as a process of its own, which trusts the certificate of the proxy.
 *
 * `proxied-device.mjs '{"base": URL, "folder": FOLDER}'`
 */
import { randomBytes } from 'node:crypto';
import { request } from 'node:https';
import { join } from 'node:path';
import { fixpoint, toCloud } from 'fixpoint';
import { WebSocket } from 'ws';

const { base, folder } = JSON.parse(process.argv[2]);
const { origin, pathname } = new URL(base);
/** The engine adds the path of the gateway only to an address without a path. */
const gateway = pathname === '/' ? base : `${base}/fp`;
/** An address of this machine, which the server can tell from the address of the proxy. */
const OWN_ADDRESS = '127.0.0.2';
const FORGED = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'http',
  'x-real-ip': '203.0.113.9',
  forwarded: 'for=203.0.113.9;host=evil.example',
  'x-request-id': 'forged',
};
const OBJECT_BYTES_MAX = 64_000_000;
const FILE_BYTES = 5_000_000;

/** Sends a request with forged headers of a proxy. */
function send(method, path, { headers = {}, body = '' } = {}) {
  const options = { method, localAddress: OWN_ADDRESS, agent: false, headers: { ...FORGED, ...headers } };
  return new Promise((resolve, reject) => {
    const sent = request(`${base}${path}`, options, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode, headers: response.headers, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function signUp() {
  const json = { 'content-type': 'application/json', origin };
  const person = { email: 'ada@example.com', password: 'a long password', name: 'Ada' };
  const entered = await send('POST', '/auth/sign-up/email', { headers: json, body: JSON.stringify(person) });
  if (entered.status !== 200) throw new Error(`sign-up answered ${entered.status}: ${entered.text}`);
  const cookies = entered.headers['set-cookie'];
  const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
  const { token } = JSON.parse((await send('GET', '/auth/token', { headers: { cookie } })).text);
  const ask = async (type, payload = {}) => {
    const body = JSON.stringify({ type, auth: { type: 'fixpoint', token }, ...payload });
    const { status, text } = await send('PUT', '/api', { headers: json, body });
    if (status !== 200) throw new Error(`${type} answered ${status}: ${text}`);
    return JSON.parse(text);
  };
  return { ask, cookies };
}

async function newLedger(ask) {
  await ask('reqEnsureUser');
  const { tenant } = await ask('reqCreateTenant', { tenant: { name: 'acme' } });
  const { ledger } = await ask('reqCreateLedger', { ledger: { tenantId: tenant.tenantId, name: 'notes' } });
  const ids = { tenant: tenant.tenantId, ledger: ledger.ledgerId };
  const { token } = await ask('reqCloudSessionToken', { selected: ids });
  return { ...ids, token };
}

async function openDevice(name, ledger) {
  const db = fixpoint('notes', { directory: join(folder, name) });
  const remote = await db.attach(toCloud({ base: gateway, ...ledger, kind: 'open-key' }));
  await remote.synced();
  return { db, remote };
}

/** Syncs a document and a large file from one device to another one, which listens. */
async function syncLive(ledger) {
  const [first, second] = [await openDevice('first', ledger), await openDevice('second', ledger)];
  const arrived = new Promise((resolve) => {
    second.db.subscribe((docs) => docs.some(({ _id }) => _id === 'note') && resolve(), true);
  });
  const bytes = randomBytes(FILE_BYTES);
  await first.db.put({ _id: 'note', title: 'Buy milk', _files: { it: new File([bytes], 'it') } });
  await arrived;
  const { title, _files } = await second.db.get('note');
  const received = Buffer.from(await (await _files.it.file()).arrayBuffer());
  for (const { db, remote } of [first, second]) {
    await remote.detach();
    await db.close();
  }
  return { title, hasFile: received.equals(bytes) };
}

/** Opens a websocket, which proxies accept only if they forward upgrades. */
function openSocket(token) {
  const socket = new WebSocket(`${base.replace(/^https/, 'wss')}/ws?token=${encodeURIComponent(token)}`);
  return new Promise((resolve) => {
    socket.once('open', () => resolve('open'));
    socket.once('error', ({ message }) => resolve(message));
  }).finally(() => socket.terminate());
}

const { ask, cookies } = await signUp();
const ledger = await newLedger(ask);
const { records } = await ask('reqListAudit', { tenantId: ledger.tenant });
const page = await send('GET', '/fp/databases');
const below = pathname === '/' ? '' : pathname;
const script = new RegExp(`src="${below}(/assets/[^"]+\\.js)"`).exec(page.text)?.[1] ?? '';
const report = {
  ...(await syncLive(ledger)),
  socket: await openSocket(ledger.token),
  auditedFrom: [...new Set(records.map(({ from }) => from))],
  cookies: cookies.map((each) => each.split(';').slice(1).join(';')),
  page: page.status,
  // The proxy chose the id, and not the client.
  hasProxyId: /^[0-9a-f-]{32,36}$/.test(page.headers['x-request-id']),
  script: (await send('GET', script)).status,
  // The server refuses this address, because nobody signed it; a proxy would refuse the length.
  largest: (await send('PUT', '/obj/unsigned', { body: Buffer.alloc(OBJECT_BYTES_MAX) })).status,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
