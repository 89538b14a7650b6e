/**
 * Simulates a slow connection to a server. The browser's own network throttling would distort the
 * result: a browser whose network is watched parses the first script twice. On a slow processor,
 * this took 126 of the 341 ms of the longest task (docs/benchmarks/console-2026-11.md).
 */
import { connect, createServer } from 'node:net';

/** Answers are forwarded in pieces of this many bytes. */
const PART_BYTES = 1460;

/**
 * Starts a proxy for the server at `url`. The proxy delays each request by `latencyMs`, and all
 * answers together are limited to `bytesPerSecond`.
 * @returns `url`, the address of the proxy, and `end`, which stops the proxy
 */
export async function slowLine(url, { latencyMs, bytesPerSecond }) {
  const { hostname, port } = new URL(url);
  const sockets = new Set();
  const hand = lineOf(bytesPerSecond);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (bytes) => setTimeout(() => far.write(bytes), latencyMs));
    far.on('data', (bytes) => hand(near, bytes));
  });
  await new Promise((resolve) => server.listen(0, hostname, resolve));
  return {
    url: `http://${hostname}:${server.address().port}`,
    end: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Forwards bytes at the limited rate. Sockets alternate, as packets do on a real connection. */
function lineOf(bytesPerSecond) {
  const waiting = new Map();
  let freeAtMs = 0;
  let timer;
  const step = () => {
    timer = undefined;
    const nowMs = performance.now();
    while (waiting.size > 0 && freeAtMs <= nowMs) {
      const [[socket, bytes]] = waiting;
      const part = bytes.subarray(0, PART_BYTES);
      waiting.delete(socket);
      if (part.length < bytes.length) waiting.set(socket, bytes.subarray(part.length));
      socket.write(part);
      freeAtMs += (1000 * part.length) / bytesPerSecond;
    }
    if (waiting.size > 0) timer = setTimeout(step, freeAtMs - nowMs);
  };
  return (socket, bytes) => {
    freeAtMs = Math.max(freeAtMs, performance.now());
    const before = waiting.get(socket);
    waiting.set(socket, before === undefined ? bytes : Buffer.concat([before, bytes]));
    if (timer === undefined) step();
  };
}
