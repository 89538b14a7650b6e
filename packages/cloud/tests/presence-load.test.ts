/** Measures presence with many clients in one ledger: delay, and processor time of the gateway. */
import { readFileSync } from 'node:fs';
import { requestMessage } from '@fixpoint/protocol/storage';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { budget, patienceMs } from '../../engine/tests/budget.fixture.ts';
import { type Ledger, newLedger, newMember, tablesOf, temporaryFolder } from './cloud.fixture.ts';
import { build, run } from './process.fixture.ts';

beforeAll(build);

const NO_PACE = { RATE_PER_USER: '1000000', RATE_PER_ADDRESS: '1000000', RATE_OF_SOCKETS: '1000000' };
const CLIENTS_OF_USER = 20;
/** Changes of each client in a second. */
const RATE = 5;
/** Characters of a sealed state with a name and a cursor. */
const STATE_CHARS = 200;
/** Number of clients that read what they receive. The load generator can't read it for all. */
const READING = 5;
const TICKS_PER_SECOND = 100;

/** Returns the seconds of processor time that a process has used. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Opens a client. Calls `heard` with the time at which a received state was sent. */
async function client(url: string, ledger: Ledger, index: number, heard: (sentAt: number) => void) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  const id = `guest${String(index).replaceAll('0', 'z').padStart(12, 'x')}`;
  const seen = new Map<string, string>();
  let bytes = 0;
  let open: (conn: unknown) => void = () => undefined;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  socket.on('message', (data: Buffer) => {
    bytes += data.length;
    if (index >= READING && data.length > 2000) return;
    const message = JSON.parse(String(data));
    if (message.type === 'resOpen') open(message.conn);
    for (const [of, , state] of message.states ?? []) {
      seen.set(of, state);
      if (of !== id) heard(Number(state.split('-')[1]));
    }
  });
  await new Promise((done) => socket.once('open', done));
  const send = (type: 'reqOpen' | 'reqPresence', fields: object) =>
    socket.send(JSON.stringify(requestMessage(type, 'zP', ledger.token, fields)));
  send('reqOpen', { conn: { reqId: `q${index}` } });
  const conn = await opened;
  const { tenant, ledger: name } = ledger;
  const set = (state: string) =>
    send('reqPresence', { conn, tenant: { tenant, ledger: name }, presence: { id, state } });
  let n = 0;
  const change = () => {
    n += 1;
    set(`${n}-${Math.round(performance.now() * 10)}-`.padEnd(STATE_CHARS, 'x'));
  };
  return { id, change, seen, bytes: () => bytes };
}

test(
  'delivers five changes a second of each client to all others',
  async () => {
    const count = budget({ commit: 200, night: 200, release: 200 });
    const seconds = budget({ commit: 10, night: 60, release: 60 });
    const data = await temporaryFolder();
    const behind = await tablesOf(data);
    const notes = await newLedger(behind);
    const users = await Promise.all(
      Array.from({ length: Math.ceil(count / CLIENTS_OF_USER) }, () => newMember(behind, notes, 'read')),
    );
    await behind.db.destroy();
    const server = run({ PORT: '0', FIXPOINT_DATA: data, ...NO_PACE });
    const url = await server.ready;
    const late: number[] = [];
    const heard = (sentAt: number) => void late.push(performance.now() - sentAt / 10);
    const clients: Awaited<ReturnType<typeof client>>[] = [];
    for (let n = 0; n < count; n += 1)
      clients.push(await client(url, users[Math.floor(n / CLIENTS_OF_USER)] as Ledger, n, heard));
    for (const one of clients) one.change();
    const readers = clients.slice(0, READING);
    await expect.poll(() => readers.map(({ seen }) => seen.size)).toEqual(readers.map(() => count));
    late.length = 0;
    const pid = server.child.pid ?? 0;
    const [cpuBefore, bytesBefore] = [cpuSeconds(pid), clients.reduce((sum, one) => sum + one.bytes(), 0)];
    const begin = performance.now();
    // Clients take turns evenly, as people do.
    let sent = 0;
    const total = count * RATE * seconds;
    await new Promise<void>((done) => {
      const timer = setInterval(() => {
        const due = Math.min(total, Math.floor(((performance.now() - begin) / 1000) * count * RATE));
        for (; sent < due; sent += 1) clients[sent % count]?.change();
        if (sent < total) return;
        clearInterval(timer);
        done();
      }, 5);
    });
    const took = (performance.now() - begin) / 1000;
    const cpu = cpuSeconds(pid) - cpuBefore;
    const bytes = clients.reduce((sum, one) => sum + one.bytes(), 0) - bytesBefore;
    const last = String(RATE * seconds + 1);
    await expect
      .poll(() =>
        readers.every(({ seen }) => [...seen.values()].every((state) => state.split('-')[0] === last)),
      )
      .toBe(true);
    late.sort((a, b) => a - b);
    const figures = {
      clients: count,
      'changes per second': Math.round(sent / took),
      'processor share of the gateway': Math.round((cpu / took) * 100) / 100,
      'sent to all, MB/s': Math.round(bytes / took / 1e5) / 10,
      'delay p50/p99/max, ms': [0.5, 0.99, 1].map((part) =>
        Math.round(late[Math.min(late.length - 1, Math.floor(part * late.length))] ?? 0),
      ),
    };
    process.stdout.write(`[presence] ${JSON.stringify(figures)}\n`);
    server.child.kill('SIGTERM');
    await server.ended;
  },
  patienceMs(),
);
