/**
 * A network inside a test. Messages take time, may be duplicated, and stop when the test cuts the
 * line.
 */
import { FixpointError } from '@fixpoint/protocol';
import { utf8 } from '../base/bytes.ts';
import { timeoutError } from '../base/timeout-error.ts';
import type { Network, NetworkRequest, NetworkResponse, SocketEvents } from '../ports/network.ts';
import type { Time } from '../ports/time.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Uint8Array;
}

/** A socket as the server sees it. */
export interface ServerSocket {
  send(text: string): void;
  close(): void;
}

export interface SimulatedServer {
  /** Rejects when the request ends without a response. */
  request(request: ReceivedRequest): Promise<NetworkResponse>;
  /** Accepts the connection of a client, or throws to reject it. */
  accept(url: string, socket: ServerSocket): SocketEvents;
}

/**
 * - `up`: everything passes.
 * - `cut`: sockets close and requests fail; both ends notice.
 * - `silent`: nothing passes and neither end notices; existing sockets never carry messages again.
 * - `deaf`, `mute`: half open. `deaf` delivers messages from the device, but none to it. `mute`
 *   does the reverse. Existing sockets stay half open.
 */
export type LineState = 'up' | 'cut' | 'silent' | 'deaf' | 'mute';

/** The line of one device. */
export interface SimulatedLine extends Network {
  /** Sets the state and cancels `cutAfter`. */
  set(state: LineState): void;
  /** Cuts the line after this number of further messages, in either direction. */
  cutAfter(messages: number): void;
  state(): LineState;
  /** Returns the number of messages that passed, in either direction. */
  passed(): number;
}

export interface LineOptions {
  readonly time: Time;
  readonly random: SeededRandom;
  readonly server: SimulatedServer;
  readonly latencyMs: readonly [least: number, most: number];
  /** Probability that a message is delivered twice, from 0 to 1. */
  readonly doubled?: number;
  /**
   * Probability that a message of a socket may overtake earlier ones, from 0 to 1. Requests
   * overtake each other in any case.
   */
  readonly reordered?: number;
}

type Direction = 'up' | 'down';

interface Tunnel {
  isOpen: boolean;
  readonly dead: Set<Direction>;
  readonly client: SocketEvents;
  server: SocketEvents | undefined;
  /**
   * When the last message in each direction arrives. Later messages arrive after it, unless they
   * may overtake it.
   */
  readonly last: Record<Direction, number>;
}

/** Directions in which messages vanish unnoticed. */
const LOST: Readonly<Record<LineState, readonly Direction[]>> = {
  up: [],
  cut: [],
  silent: ['up', 'down'],
  deaf: ['down'],
  mute: ['up'],
};

/** A line with its state and sockets. */
interface Line extends LineOptions {
  readonly tunnels: Set<Tunnel>;
  /** Called when the line is cut, so that requests that wait for a response fail. */
  readonly onCut: Set<() => void>;
  state: LineState;
  passed: number;
  /** The number of messages that pass before the line is cut. */
  cutAt: number;
}

export function simulatedLine(options: LineOptions): SimulatedLine {
  const line: Line = {
    ...options,
    tunnels: new Set(),
    onCut: new Set(),
    state: 'up',
    passed: 0,
    cutAt: Number.POSITIVE_INFINITY,
  };
  return {
    request: (asked) => request(line, asked),
    connect: (url, client, timeoutMs) => connect(line, url, client, timeoutMs),
    set: (state) => setState(line, state),
    cutAfter: (messages) => {
      line.cutAt = line.passed + messages;
    },
    state: () => line.state,
    passed: () => line.passed,
  };
}

function latencyOf({ latencyMs: [least, most], random }: Line): number {
  return least + random.fraction() * (most - least);
}

function setState(line: Line, next: LineState): void {
  line.state = next;
  line.cutAt = Number.POSITIVE_INFINITY;
  for (const direction of LOST[next]) for (const tunnel of line.tunnels) tunnel.dead.add(direction);
  if (next !== 'cut') return;
  for (const tunnel of [...line.tunnels]) end(line, tunnel, 'both');
  for (const fail of [...line.onCut]) fail();
}

/** Returns whether one more message passes. Cuts the line at the first message beyond `cutAt`. */
function passes(line: Line, direction: Direction): boolean {
  if (!carries(line, direction)) return false;
  if (line.passed >= line.cutAt) {
    setState(line, 'cut');
    return false;
  }
  line.passed += 1;
  return true;
}

const carries = ({ state }: Line, direction: Direction) =>
  state !== 'cut' && !LOST[state].includes(direction);

function end(line: Line, tunnel: Tunnel, hears: 'both' | 'client' | 'server'): void {
  if (!tunnel.isOpen) return;
  tunnel.isOpen = false;
  line.tunnels.delete(tunnel);
  if (hears !== 'client') tunnel.server?.closed();
  if (hears !== 'server') tunnel.client.closed();
}

async function answer(
  { random, server, doubled = 0 }: Line,
  { method, url, body: sent = '' }: NetworkRequest,
): Promise<NetworkResponse> {
  const body = typeof sent === 'string' ? utf8(sent) : sent;
  const received = { method, url, body };
  if (random.fraction() < doubled) await server.request(received);
  return server.request(received);
}

function request(line: Line, asked: NetworkRequest): Promise<NetworkResponse> {
  const { time, onCut } = line;
  return new Promise((resolve, reject) => {
    const stops: (() => void)[] = [];
    const finish = (settle: () => void) => {
      for (const stop of stops) stop();
      onCut.delete(fail);
      settle();
    };
    const fail = () => finish(() => reject(new FixpointError('FETCH', 'the line is cut')));
    if (line.state === 'cut' || asked.signal?.aborted === true) return fail();
    onCut.add(fail);
    asked.signal?.addEventListener('abort', fail, { once: true });
    stops.push(
      () => asked.signal?.removeEventListener('abort', fail),
      time.after(asked.timeoutMs, () => finish(() => reject(timeoutError(asked.timeoutMs)))),
    );
    if (!passes(line, 'up')) return;
    time.after(latencyOf(line), () => {
      if (!carries(line, 'up')) return;
      const arrive = (settle: () => void) => {
        if (!passes(line, 'down')) return;
        time.after(latencyOf(line), () => (carries(line, 'down') ? settle() : undefined));
      };
      answer(line, asked).then(
        (response) => arrive(() => finish(() => resolve(response))),
        () => arrive(fail),
      );
    });
  });
}

function carry(line: Line, tunnel: Tunnel, direction: Direction, deliver: () => void): void {
  const { time, random, doubled = 0, reordered = 0 } = line;
  if (!tunnel.isOpen || tunnel.dead.has(direction) || !passes(line, direction)) return;
  const times = random.fraction() < doubled ? 2 : 1;
  for (let copy = 0; copy < times; copy++) {
    const arrives = time.now() + latencyOf(line);
    const mayOvertake = reordered > 0 && random.fraction() < reordered;
    const at = mayOvertake ? arrives : Math.max(tunnel.last[direction], arrives);
    tunnel.last[direction] = Math.max(tunnel.last[direction], at);
    time.after(at - time.now(), () => {
      if (tunnel.isOpen && !tunnel.dead.has(direction)) deliver();
    });
  }
}

async function connect(line: Line, url: string, client: SocketEvents, timeoutMs: number) {
  const { time, server, tunnels } = line;
  if (LOST[line.state].length > 0) {
    await new Promise<void>((resolve) => void time.after(timeoutMs, resolve));
    throw timeoutError(timeoutMs);
  }
  await new Promise<void>((resolve) => void time.after(2 * latencyOf(line), resolve));
  if (!passes(line, 'up')) throw new FixpointError('WS', 'the line is cut');
  const last = { up: 0, down: 0 };
  const tunnel: Tunnel = { isOpen: true, dead: new Set(), client, server: undefined, last };
  tunnels.add(tunnel);
  tunnel.server = server.accept(url, {
    send: (text) => carry(line, tunnel, 'down', () => client.message(text)),
    close: () => end(line, tunnel, 'client'),
  });
  return {
    send: (text: string) => carry(line, tunnel, 'up', () => tunnel.server?.message(text)),
    close: () => end(line, tunnel, 'server'),
  };
}
