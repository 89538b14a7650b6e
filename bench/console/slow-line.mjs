/**
 * A slow line to a server. It is not the browser's own throttling, because a browser whose network is watched parses the first script once more
 * (docs/decisions/0117), which on a slow processor is a third of what that script takes.
 */
import { connect, createServer } from 'node:net';

/** The line hands on what it carries in so small parts. */
const PART_BYTES = 1460;

/**
 * Each request comes `latencyMs` later; all answers share `bytesPerSecond`.
 * @returns the address to use in place of the server's own, and how to end it
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

/** Hands bytes on no faster than they may come; sockets take turns, as they do on a line. */
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
