import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { CutReason } from '../observe/gateway-watch.ts';
import type { LedgerAccess } from '../rights/rights.ts';
import type { Gateway } from './dispatch.ts';
import type { FanOut } from './fan-out.ts';
import { createSockets } from './sockets.ts';

type Times = { readonly heartbeatMs?: number; readonly greetingMs?: number };

/** Sockets before a gateway that opens connections and repeats what it is told. */
async function arranged(times: Times = {}) {
  const cuts: CutReason[] = [];
  const failures: unknown[] = [];
  let access: LedgerAccess = 'read';
  const gateway: Gateway = async (body, carrier) => {
    const { type, tid, userId = 'ada' } = body as { type: string; tid: string; userId?: string };
    if (type === 'reqOpen') carrier.open({ userId, selected: { tenant: 't', ledger: 'l' } }, 'q', undefined);
    return { answer: { type, tid, text: 'x'.repeat(200_000) } };
  };
  const fanOut = {} as FanOut;
  const rights = { accessTo: async () => access, forget: () => undefined };
  const watch = {
    answered: () => undefined,
    delivered: () => undefined,
    cut: (reason: CutReason) => void cuts.push(reason),
  };
  const report = (error: unknown) => void failures.push(error);
  const sockets = createSockets({ gateway, fanOut, rights, watch, report, socketsPerUser: 100, ...times });
  const server = createServer();
  server.on('upgrade', (request, socket, head) =>
    sockets.upgrade(request, socket, head, { origin: 'http://x', address: 'a' }),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(async () => {
    await sockets.close();
    server.close();
    expect(failures).toEqual([]);
  });
  const connect = async (userId?: string, options = {}) => {
    const { port } = server.address() as AddressInfo;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, options);
    const closed = new Promise<number>((done) => socket.once('close', done));
    await new Promise((done) => socket.once('open', done));
    onTestFinished(() => socket.terminate());
    const answered = new Promise<{ type: string; message?: string }>((done) =>
      socket.once('message', (data) => done(JSON.parse(String(data)))),
    );
    if (userId !== undefined) {
      socket.send(JSON.stringify({ type: 'reqOpen', tid: 'z', userId }));
      await answered;
    }
    return { socket, closed };
  };
  return { sockets, cuts, connect, setAccess: (to: LedgerAccess) => (access = to) };
}

describe('sockets', () => {
  test('[R13] one that answers no ping is given up, one that does stays', async () => {
    const { sockets, cuts, connect } = await arranged({ heartbeatMs: 500 });
    const silent = await connect('ada', { autoPong: false });
    const alive = await connect('ada');
    expect(await silent.closed).toBe(1006);
    expect(cuts).toEqual(['silent']);
    await expect.poll(() => sockets.count()).toBe(1);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('[S7] one on which no connection is opened is closed', async () => {
    const { cuts, connect } = await arranged({ greetingMs: 20 });
    const quiet = await connect();
    expect(await quiet.closed).toBe(1008);
    expect(cuts).toEqual(['never opened']);
  });

  test('[S5] one whose user lost the ledger is closed, though it follows nothing', async () => {
    const { cuts, connect, setAccess } = await arranged({ heartbeatMs: 300 });
    const { closed } = await connect('ada');
    setAccess('none');
    expect(await closed).toBe(1008);
    expect(cuts).toEqual(['right ended']);
  });

  test('[R15] one that does not read is cut, and its server holds no more than a little of what it was told', async () => {
    const { cuts, connect } = await arranged();
    const { socket, closed } = await connect('ada');
    socket.pause();
    const ask = JSON.stringify({ type: 'x', tid: 'z' });
    for (let round = 0; round < 200 && cuts.length === 0; round += 1) {
      socket.send(ask);
      await new Promise((done) => setImmediate(done));
    }
    await expect.poll(() => cuts).toEqual(['not reading']);
    socket.resume();
    expect(await closed).toBe(1006);
  });

  test('at the end all are told that the server restarts, one after another', async () => {
    const { sockets, connect } = await arranged();
    const all = await Promise.all(Array.from({ length: 50 }, (_, index) => connect(`user ${index}`)));
    const codes: number[] = [];
    for (const { closed } of all) void closed.then((code) => codes.push(code));
    await sockets.close();
    expect(sockets.count()).toBe(0);
    await expect.poll(() => codes).toEqual(all.map(() => 1012));
  });
});
