/** Tests the fault proxy in front of an echo server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type FaultProxy, faultProxy } from './fault-proxy.fixture.ts';

async function echo() {
  const heard: string[] = [];
  const server = createServer((asked, answered) => {
    let text = '';
    asked.on('data', (part) => (text += String(part)));
    asked.on('end', () => {
      heard.push(text);
      answered.end(`answer to ${text}`);
    });
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      heard.push(String(data));
      socket.send(`answer to ${data}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
  });
  const line = await faultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1);
  return { heard, line };
}

const put = async ({ url }: FaultProxy, body: string, ms = 1000) => {
  const response = await fetch(url, { method: 'PUT', body, signal: AbortSignal.timeout(ms) });
  return response.text();
};
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Error) => error.name,
  );

async function socketTo({ url }: FaultProxy) {
  const socket = new WebSocket(url.replace('http', 'ws'));
  const answers: string[] = [];
  socket.on('message', (data) => answers.push(String(data)));
  socket.on('error', () => undefined);
  const closed = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  onTestFinished(() => socket.terminate());
  return { socket, answers, closed };
}

describe('a faulty line', () => {
  test('forwards requests and frames unchanged without a fault', async () => {
    const { heard, line } = await echo();
    expect(await put(line, 'one')).toBe('answer to one');
    const { socket, answers } = await socketTo(line);
    for (const text of ['a', 'b', 'c']) socket.send(text);
    await expect.poll(() => answers).toEqual(['answer to a', 'answer to b', 'answer to c']);
    expect(heard).toEqual(['one', 'a', 'b', 'c']);
  });

  test('closes sockets at both ends when the line is cut, and cuts a request at a byte', async () => {
    const { heard, line } = await echo();
    const { closed } = await socketTo(line);
    line.cut();
    expect(await closed).toBe('closed');
    line.set({ cutAfterBytes: 250 });
    expect(await failure(put(line, 'x'.repeat(300)))).toBe('TypeError');
    expect(heard).toEqual([]);
    expect(line.done.cut).toBe(1);
  });

  test('loses data without notifying either end while the line is silent, deaf or mute', async () => {
    const { heard, line } = await echo();
    const { socket, answers } = await socketTo(line);
    line.set({ loss: 'deaf' });
    expect(await failure(put(line, 'heard', 200))).toBe('TimeoutError');
    socket.send('heard too');
    await expect.poll(() => heard).toEqual(['heard', 'heard too']);
    line.set({ loss: 'mute' });
    expect(await failure(put(line, 'not heard', 200))).toBe('TimeoutError');
    line.set({ loss: 'silent' });
    expect(await failure(put(line, 'not heard', 200))).toBe('TimeoutError');
    line.set();
    expect(await put(line, 'again')).toBe('answer to again');
    expect(heard).toEqual(['heard', 'heard too', 'again']);
    expect(answers).toEqual([]);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  test('closes connections immediately when the line refuses them', async () => {
    const { line } = await echo();
    line.set({ isRefused: true });
    expect(await failure(put(line, 'x'))).toBe('TypeError');
    expect(line.done.refused).toBeGreaterThan(0);
  });

  test('delivers data late but in order when the line is delayed', async () => {
    const { line } = await echo();
    const { socket, answers } = await socketTo(line);
    line.set({ delayMs: [60, 90] });
    const texts = Array.from({ length: 5 }, (_, n) => `${n}`);
    for (const text of texts) socket.send(text);
    expect(await failure(put(line, 'x', 50))).toBe('TimeoutError');
    await expect.poll(() => answers).toEqual(texts.map((text) => `answer to ${text}`));
  });

  test('sends requests and frames twice when doubling is on, and swaps frames when reordering is on', async () => {
    const { heard, line } = await echo();
    line.set({ doubled: 1 });
    expect(await put(line, 'one')).toBe('answer to one');
    expect(heard).toEqual(['one', 'one']);
    const { socket } = await socketTo(line);
    socket.send('a');
    await expect.poll(() => heard).toEqual(['one', 'one', 'a', 'a']);
    line.set({ reordered: 1 });
    socket.send('b');
    socket.send('c');
    await expect.poll(() => heard.slice(4)).toEqual(['c', 'b']);
  });
});
