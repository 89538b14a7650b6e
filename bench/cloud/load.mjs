/**
 * Measures the load that one gateway process can handle: small requests, idle sockets, and one
 * change that is sent to all sockets.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestMessage } from '@fixpoint/protocol/storage';
import { fixpoint, toCloud } from 'fixpoint';
import { WebSocket } from 'ws';

const now = () => performance.now();
const CONNECTIONS = 64;

/**
 * Sends small requests on open connections for some seconds. The load generator runs on the same
 * machine as the server.
 */
export async function measureRequests(server, { seconds }) {
  const { hostname, port } = new URL(server.url);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const body = JSON.stringify(requestMessage('reqGestalt', 'tid', server.token, {}));
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const once = () =>
    new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: '/fp', method: 'PUT', headers, agent }, (answer) => {
        answer.resume();
        answer.once('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode}`)),
        );
      });
      sent.once('error', reject);
      sent.end(body);
    });
  let count = 0;
  const cpuBefore = server.cpuSeconds();
  const until = now() + seconds * 1000;
  const started = now();
  const worker = async () => {
    while (now() < until) {
      await once();
      count++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const elapsed = (now() - started) / 1000;
  const cpu = server.cpuSeconds() - cpuBefore;
  agent.destroy();
  return [
    { id: 'S', what: 'small requests', value: count / elapsed, unit: '/s' },
    { id: 'S', what: 'processor time of a small request, server', value: (cpu * 1e6) / count, unit: 'µs' },
  ];
}

const tid = (text) => `z${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;

/** Opens a socket that follows the ledger. Calls `heard` for each event after the first. */
async function boundSocket({ url, tenant, ledger, token }, n, heard) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
  const waiting = new Map();
  let bound = false;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    waiting.get(message.tid)?.(message);
    waiting.delete(message.tid);
    if (message.type === 'eventGetMeta' && bound) heard();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const ask = (type, fields) =>
    new Promise((resolve) => {
      const id = tid(`${n} ${type}`);
      waiting.set(id, resolve);
      socket.send(JSON.stringify(requestMessage(type, id, token, fields)));
    });
  const { conn } = await ask('reqOpen', { conn: { reqId: tid(`conn ${n}`) } });
  const about = {
    tenant: { tenant, ledger },
    methodParam: { method: 'GET', store: 'meta' },
    urlParam: { key: 'main', store: 'meta', tenant, ledger, name: 'bench' },
  };
  await ask('bindGetMeta', { conn, ...about });
  bound = true;
  return socket;
}

/** Measures the cost of idle sockets, then the delivery of one change to all of them. */
export async function measureSockets(server, { sockets: count, idle }) {
  const before = server.rssMb();
  let arrived = [];
  const sockets = [];
  const openUpTo = async (most) => {
    while (sockets.length < most)
      sockets.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(50, most - sockets.length) }, (_, n) =>
            boundSocket(server, sockets.length + n, () => arrived.push(now())),
          ),
        )),
      );
  };
  await openUpTo(count);
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-bench-load-'));
  const { url, tenant, ledger, token } = server;
  const db = fixpoint('writer', { directory });
  const attached = await db.attach(toCloud({ base: url, tenant, ledger, token }));
  await attached.synced();
  await new Promise((resolve) => setTimeout(resolve, 500));
  arrived = [];
  const sent = now();
  await db.put({ _id: 'to-all' });
  while (arrived.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  const times = arrived.map((at) => at - sent).sort((a, b) => a - b);
  await attached.detach();
  await db.close();
  rmSync(directory, { recursive: true, force: true });
  await openUpTo(count + idle);
  const all = sockets.length;
  const rssMb = server.rssMb();
  for (const socket of sockets) socket.terminate();
  return [
    { id: 'S', what: `memory of the server with ${all} quiet sockets`, value: rssMb, unit: 'MB' },
    {
      id: 'S',
      what: 'memory of the server per quiet socket',
      value: ((rssMb - before) * 1000) / all,
      unit: 'kB',
    },
    {
      id: 'S',
      what: `one change to ${count} sockets, p99`,
      value: times[Math.floor(times.length * 0.99)],
      unit: 'ms',
    },
  ];
}
