/**
 * A proxy between clients and a server, which causes faults in two layers:
 *
 * - connections (TCP): delay, cut at a byte, blackhole, half open, refused;
 * - messages (HTTP requests, websocket frames): doubled, reordered.
 *
 * The seed determines when faults occur. The proxy keeps the client's `Host` header, so signed URLs
 * point to the proxy too.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { type SeededRandom, seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';

export interface Faults {
  /** Range of the delay of each chunk. */
  readonly delayMs: readonly [least: number, most: number];
  /**
   * - `silent`: a blackhole. Connections are accepted, but no data passes, and neither end notices.
   * - `deaf`: half open. The client's data arrives, but the client receives nothing.
   * - `mute`: half open. The client receives data, but the client's data doesn't arrive.
   *
   * A connection that lost data stays broken.
   */
  readonly loss: 'none' | 'silent' | 'deaf' | 'mute';
  readonly isRefused: boolean;
  /** Cuts each connection after this many bytes. */
  readonly cutAfterBytes: number;
  /**
   * Probability, from 0 to 1, that a message is sent twice. `reordered` is the probability that a
   * message is swapped with the next one.
   */
  readonly doubled: number;
  readonly reordered: number;
}

const NONE: Faults = {
  delayMs: [0, 0],
  loss: 'none',
  isRefused: false,
  cutAfterBytes: Number.POSITIVE_INFINITY,
  doubled: 0,
  reordered: 0,
};
type Direction = 'up' | 'down';
const LOST: Readonly<Record<Faults['loss'], readonly Direction[]>> = {
  none: [],
  silent: ['up', 'down'],
  deaf: ['down'],
  mute: ['up'],
};
/** How long a reordered message waits for the next message. */
const HELD_MS = 40;

export interface FaultProxy {
  readonly url: string;
  /** Replaces all current faults. */
  set(faults?: Partial<Faults>): void;
  /** Resets all connections, which both ends notice. */
  cut(): void;
  /** Forwards new connections to a different server. */
  lead(target: string): void;
  /** Number of faults that occurred, by kind. */
  readonly done: Readonly<Record<'cut' | 'doubled' | 'lost' | 'reordered' | 'refused', number>>;
}

export async function faultProxy(target: string, seed: number): Promise<FaultProxy> {
  const state = {
    faults: NONE,
    target: new URL(target),
    random: seededRandom(seed),
    done: { cut: 0, doubled: 0, lost: 0, reordered: 0, refused: 0 },
  };
  const messages = messageServer(state);
  const sockets = new Set<Socket>();
  const innerPort = await listen(messages);
  const connections = createServer({ allowHalfOpen: true }, (near) => {
    if (state.faults.isRefused) {
      state.done.refused += 1;
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: innerPort, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    join(state, near, far);
  });
  const port = await listen(connections);
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  onTestFinished(() => {
    cut();
    messages.closeAllConnections();
    messages.close();
    connections.close();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    done: state.done,
    set: (faults = {}) => {
      state.faults = { ...NONE, ...faults };
    },
    cut,
    lead: (next) => {
      state.target = new URL(next);
    },
  };
}

interface State {
  faults: Faults;
  target: URL;
  readonly random: SeededRandom;
  readonly done: Record<'cut' | 'doubled' | 'lost' | 'reordered' | 'refused', number>;
}

async function listen(server: Server | ReturnType<typeof createHttpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Forwards bytes in both directions. */
function join(state: State, near: Socket, far: Socket): void {
  const dead = new Set<Direction>();
  let passed = 0;

  function carry(from: Socket, to: Socket, direction: Direction): void {
    let last = 0;
    const later = (work: () => void) => {
      const [least, most] = state.faults.delayMs;
      if (most === 0 && last <= performance.now()) return work();
      last = Math.max(last, performance.now() + least + state.random.fraction() * (most - least));
      setTimeout(work, last - performance.now());
    };
    from.on('data', (bytes: Buffer) => {
      if (LOST[state.faults.loss].includes(direction)) dead.add(direction);
      if (dead.has(direction)) {
        state.done.lost += 1;
        return;
      }
      const left = state.faults.cutAfterBytes - passed;
      passed += bytes.length;
      if (bytes.length <= left) return later(() => to.writable && to.write(bytes));
      state.done.cut += 1;
      to.write(bytes.subarray(0, Math.max(left, 0)), () => {
        near.resetAndDestroy();
        far.resetAndDestroy();
      });
    });
    // If the connection lost data, its end isn't forwarded, so that the other side doesn't notice.
    from.on('end', () => later(() => (dead.has(direction) ? undefined : to.end())));
    from.on('close', () => later(() => (dead.has(direction) ? undefined : to.destroy())));
  }
  carry(near, far, 'up');
  carry(far, near, 'down');
}

/** Accepts HTTP requests and websockets, and forwards each request and frame separately. */
function messageServer(state: State) {
  const server = createHttpServer((asked, answered) => {
    void passRequest(state, asked, answered).catch(() => answered.destroy());
  });
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (asked, socket, head) => {
    socket.on('error', () => socket.destroy());
    sockets.handleUpgrade(asked, socket, head, (near) => passSocket(state, near, asked));
  });
  return server;
}

async function passRequest(state: State, asked: IncomingMessage, answered: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of asked) parts.push(part);
  const body = Buffer.concat(parts);
  if (happens(state, 'reordered')) await new Promise((resolve) => setTimeout(resolve, HELD_MS));
  if (happens(state, 'doubled')) await forward(state.target, asked, body);
  const { status, headers, bytes } = await forward(state.target, asked, body);
  answered.writeHead(status, headers);
  answered.end(bytes);
}

function happens({ faults, random, done }: State, fault: 'doubled' | 'reordered'): boolean {
  const isSo = faults[fault] > 0 && random.fraction() < faults[fault];
  if (isSo) done[fault] += 1;
  return isSo;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

function forward(target: URL, asked: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = target;
    const sent = request(
      { hostname, port, method: asked.method, path: asked.url, headers: asked.headers, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 500, headers: answer.headers, bytes: Buffer.concat(parts) }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function passSocket(state: State, near: WebSocket, asked: IncomingMessage): void {
  const address = `ws://${state.target.host}${asked.url ?? ''}`;
  const far = new WebSocket(address, {
    perMessageDeflate: false,
    headers: { host: asked.headers.host ?? '' },
  });
  const early: [RawData, boolean][] = [];
  const up = frames(state, far);
  const down = frames(state, near);
  far.on('open', () => {
    for (const frame of early) up(...frame);
    early.length = 0;
  });
  near.on('message', (data, isBinary) =>
    far.readyState === WebSocket.OPEN ? up(data, isBinary) : early.push([data, isBinary]),
  );
  far.on('message', down);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => one.terminate());
    one.on('close', () => other.terminate());
  }
}

/** Sends frames. Sends some frames twice, and swaps some with the next frame. */
function frames(state: State, to: WebSocket): (data: RawData, isBinary: boolean) => void {
  let held: (() => void) | undefined;
  const release = () => {
    const send = held;
    held = undefined;
    send?.();
  };
  return (data, isBinary) => {
    const send = () => {
      if (to.readyState === WebSocket.OPEN) to.send(data as Buffer, { binary: isBinary });
    };
    if (held === undefined && happens(state, 'reordered')) {
      held = send;
      setTimeout(release, HELD_MS);
      return;
    }
    send();
    if (happens(state, 'doubled')) send();
    release();
  };
}
