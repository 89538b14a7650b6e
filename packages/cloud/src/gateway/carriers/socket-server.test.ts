import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { CutReason } from '../../observe/gateway-watch.ts';
import type { LedgerAccess } from '../../rights/rights.ts';
import type { FanOut } from '../following/fan-out.ts';
import { type Gateway, Unreadable } from '../gateway.ts';
import { createSockets, goodbyeMs, type SocketParts } from './socket-server.ts';

type Times = Partial<Pick<SocketParts, 'heartbeatMs' | 'greetingMs' | 'pause'>>;

/** Sockets on a gateway that opens connections and echoes messages. */
async function arranged(times: Times = {}) {
  const cuts: CutReason[] = [];
  const failures: unknown[] = [];
  let access: LedgerAccess = 'read';
  const bodies: unknown[] = [];
  const gateway: Gateway = async (body, carrier) => {
    bodies.push(body);
    const { type, tid, userId = 'ada' } = body as { type: string; tid: string; userId?: string };
    const opener = { userId, apiToken: `of ${userId}`, selected: { tenant: 't', ledger: 'l' } };
    if (type === 'reqOpen') carrier.open(opener, 'q', undefined);
    if (type === 'slow') await slow;
    return { answer: { type, tid, text: 'x'.repeat(200_000) } };
  };
  const fanOut = {} as FanOut;
  const revoked = new Set<string>();
  const rights = {
    accessTo: async (
      _user: string,
      _tenant: string,
      _ledger: string,
      apiToken = '',
    ): Promise<LedgerAccess> => (revoked.has(apiToken) ? 'none' : access),
    forget: () => undefined,
  };
  let finishSlow: () => void = () => undefined;
  const slow = new Promise<void>((done) => {
    finishSlow = done;
  });
  const watch = {
    answered: () => undefined,
    delivered: () => undefined,
    cut: (reason: CutReason) => void cuts.push(reason),
  };
  const report = (error: unknown) => void failures.push(error);
  const rooms = { gone: () => undefined };
  const parts = { gateway, fanOut, rooms, rights, watch, report, socketsPerUser: 100 };
  const sockets = createSockets({ ...parts, ...times });
  const server = createServer();
  server.on('upgrade', (request, socket, head) =>
    sockets.upgrade(request, socket, head, { origin: 'http://x', address: 'a', requestId: 'r1' }),
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
  const setAccess = (to: LedgerAccess) => (access = to);
  return { sockets, cuts, bodies, connect, setAccess, revoked, finishSlow };
}

/**
 * Lets the test trigger each heartbeat, however long the answers to the previous heartbeat take.
 */
function heartbeats() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  // A long interval, so that polling, which advances the timers, triggers no heartbeat.
  const heartbeatMs = 1_000_000;
  return { heartbeatMs, beat: () => vi.advanceTimersByTime(heartbeatMs) };
}

describe('sockets', () => {
  test("[R13] closes a socket that doesn't answer pings, and keeps a socket that does", async () => {
    const { heartbeatMs, beat } = heartbeats();
    const { sockets, cuts, connect } = await arranged({ heartbeatMs });
    const silent = await connect('ada', { autoPong: false });
    const alive = await connect('ada');
    const pinged = [silent, alive].map(({ socket }) => new Promise((done) => socket.once('ping', done)));
    beat();
    await Promise.all(pinged);
    // The answer to a message sent after the pong shows that the pong arrived.
    const answered = new Promise((done) => alive.socket.once('message', done));
    alive.socket.send(JSON.stringify({ type: 'x', tid: 'z' }));
    await answered;
    expect(cuts).toEqual([]);
    beat();
    expect(await silent.closed).toBe(1006);
    expect(cuts).toEqual(['silent']);
    await expect.poll(() => sockets.count()).toBe(1);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('[S7] passes frames that are not JSON to the gateway, which counts them', async () => {
    const { bodies, connect } = await arranged();
    const { socket } = await connect('ada');
    const answered = new Promise((done) => socket.once('message', done));
    socket.send('{');
    await answered;
    expect(bodies.at(-1)).toBeInstanceOf(Unreadable);
  });

  test('[S7] closes a socket on which no connection is opened in time', async () => {
    const { cuts, connect } = await arranged({ greetingMs: 20 });
    const quiet = await connect();
    expect(await quiet.closed).toBe(1008);
    expect(cuts).toEqual(['never opened']);
  });

  test('[R15] keeps a socket whose request arrived in time, although the server stopped for a while', async () => {
    const greetingMs = 40;
    const { cuts, connect } = await arranged({ greetingMs });
    const { socket } = await connect();
    const answered = new Promise((done) => socket.once('message', done));
    socket.send(JSON.stringify({ type: 'reqOpen', tid: 'z' }));
    for (const start = performance.now(); performance.now() - start < 2 * greetingMs; );
    await answered;
    expect(cuts).toEqual([]);
  });

  test('[R15] waits for the answer to a request before it closes a socket', async () => {
    const greetingMs = 20;
    const { cuts, connect, finishSlow } = await arranged({ greetingMs });
    const { socket, closed } = await connect();
    socket.send(JSON.stringify({ type: 'slow', tid: 'z' }));
    await new Promise((done) => setTimeout(done, 2 * greetingMs));
    expect(cuts).toEqual([]);
    finishSlow();
    expect(await closed).toBe(1008);
  });

  test('[S7] closes a socket that opens no connection, even if its request is never answered', async () => {
    const { cuts, connect } = await arranged({ greetingMs: 20 });
    const { socket, closed } = await connect();
    socket.send(JSON.stringify({ type: 'slow', tid: 'z' }));
    expect(await closed).toBe(1008);
    expect(cuts).toEqual(['never opened']);
  });

  test('[S5] closes a socket whose user lost access to the ledger, even if the socket follows no ledger', async () => {
    const { heartbeatMs, beat } = heartbeats();
    const { cuts, connect, setAccess } = await arranged({ heartbeatMs });
    const { closed } = await connect('ada');
    setAccess('none');
    beat();
    expect(await closed).toBe(1008);
    expect(cuts).toEqual(['access lost']);
  });

  test('[S5] closes a socket when its API token is revoked, even if its user keeps access', async () => {
    const { heartbeatMs, beat } = heartbeats();
    const { sockets, cuts, connect, revoked } = await arranged({ heartbeatMs });
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    revoked.add('of ada');
    beat();
    expect(await ada.closed).toBe(1008);
    expect(cuts).toEqual(['access lost']);
    await expect.poll(() => sockets.count()).toBe(1);
    expect(bob.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('[R15] cuts a socket that leaves 1 MiB unread, and buffers at most one more message for it', async () => {
    const { cuts, connect } = await arranged();
    const { socket, closed } = await connect('ada');
    const held: number[] = [];
    const buffered = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'bufferedAmount');
    const spy = vi.spyOn(WebSocket.prototype, 'bufferedAmount', 'get');
    spy.mockImplementation(function (this: WebSocket) {
      const bytes = Number(buffered?.get?.call(this));
      // The other socket belongs to the client.
      if (this !== socket) held.push(bytes);
      return bytes;
    });
    onTestFinished(() => spy.mockRestore());
    socket.pause();
    const ask = JSON.stringify({ type: 'x', tid: 'z' });
    for (let round = 0; round < 200 && cuts.length === 0; round += 1) {
      socket.send(ask);
      await new Promise((done) => setImmediate(done));
    }
    await expect.poll(() => cuts).toEqual(['not reading']);
    const most = Math.max(...held);
    expect(most).toBeGreaterThan(1_048_576);
    expect(most).toBeLessThan(1_048_576 + 250_000);
    expect(held.filter((bytes) => bytes > 1_048_576)).toHaveLength(1);
    socket.resume();
    expect(await closed).toBe(1006);
  });

  test('[S7] closes a socket that sends faster than the gateway answers, so the server buffers little', async () => {
    const { cuts, connect, finishSlow } = await arranged();
    const { socket, closed } = await connect('ada');
    const frame = JSON.stringify({ type: 'slow', tid: 'z', text: 'x'.repeat(1_000_000) });
    for (let n = 0; n < 5; n += 1) socket.send(frame);
    expect(await closed).toBe(1008);
    expect(cuts).toEqual(['flood']);
    finishSlow();
  });

  test('notifies all sockets of a restart when the server closes', async () => {
    const { sockets, connect } = await arranged();
    const all = await Promise.all(Array.from({ length: 50 }, (_, index) => connect(`user ${index}`)));
    const codes: number[] = [];
    for (const { closed } of all) void closed.then((code) => codes.push(code));
    await sockets.close();
    expect(sockets.count()).toBe(0);
    await expect.poll(() => codes).toEqual(all.map(() => 1012));
  });

  test('notifies one socket after another when the server closes, while the others stay in use', async () => {
    const turns: { readonly ms: number; readonly come: () => void }[] = [];
    const pause = (ms: number) => new Promise<void>((come) => turns.push({ ms, come }));
    const { sockets, connect } = await arranged({ pause });
    const all = [await connect('ada'), await connect('bob'), await connect('cy')];
    const closing = sockets.close();
    expect(turns.map(({ ms }) => ms)).toEqual(all.map((_, n) => goodbyeMs(n, all.length)));
    for (const [n, { socket, closed }] of all.entries()) {
      const answered = new Promise((done) => socket.once('message', () => done('answered')));
      socket.send(JSON.stringify({ type: 'x', tid: 'z' }));
      expect(await Promise.race([answered, closed])).toBe('answered');
      turns[n]?.come();
      expect(await closed).toBe(1012);
    }
    await closing;
  });

  test('answers pending requests of a socket before closing it', async () => {
    const turns: (() => void)[] = [];
    const pause = () => new Promise<void>((come) => turns.push(come));
    const { sockets, connect, finishSlow } = await arranged({ pause });
    const { socket, closed } = await connect('ada');
    const heard: string[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data)).type));
    void closed.then((code) => heard.push(String(code)));
    socket.send(JSON.stringify({ type: 'slow', tid: 'z' }));
    await expect.poll(() => sockets.waiting()).toBe(1);
    const closing = sockets.close();
    // The server may now notify this socket of the restart.
    for (const come of turns) come();
    await new Promise((done) => setImmediate(done));
    expect(heard).toEqual([]);
    finishSlow();
    await closing;
    expect(heard).toEqual(['slow', '1012']);
  });
});

test('spreads restart notices: the sockets get them one after another, the last within four seconds', () => {
  for (const count of [1, 2, 50, 2000, 10_000]) {
    const times = Array.from({ length: count }, (_, n) => goodbyeMs(n, count));
    expect(times[0]).toBe(0);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(4000);
    const inOneMs = (at: number) => times.lastIndexOf(at) - times.indexOf(at) + 1;
    expect(inOneMs(times[Math.floor(count / 2)] ?? 0)).toBeLessThanOrEqual(Math.ceil(count / 2000) + 1);
  }
});
