/**
 * A network inside of a test: messages take time, may be doubled, and stop where the test cuts the
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

/** The far end of a socket, as the server sees it. */
export interface ServerSocket {
  send(text: string): void;
  close(): void;
}

export interface SimulatedServer {
  /** Rejects when it ends without an answer. */
  request(request: ReceivedRequest): Promise<NetworkResponse>;
  /** A client connects. Throws to refuse. */
  accept(url: string, socket: ServerSocket): SocketEvents;
}

/**
 * - `up`: everything passes;
 * - `cut`: sockets end, requests fail, both ends know;
 * - `silent`: nothing passes and nobody is told; sockets from before never carry anything again;
 * - `deaf`, `mute`: half open. What the device sends arrives, and it hears nothing; or the other way round. Sockets from before stay so.
 */
export type LineState = 'up' | 'cut' | 'silent' | 'deaf' | 'mute';

/** The line of one device. */
export interface SimulatedLine extends Network {
  /** Also takes back what `cutAfter` asked for. */
  set(state: LineState): void;
  /** Cuts the line after so many more messages, in either direction. */
  cutAfter(messages: number): void;
  state(): LineState;
  /** How many messages passed, in either direction. */
  passed(): number;
}

export interface LineOptions {
  readonly time: Time;
  readonly random: SeededRandom;
  readonly server: SimulatedServer;
  readonly latencyMs: readonly [least: number, most: number];
  /** How likely a message comes twice, from 0 to 1. */
  readonly doubled?: number;
  /**
   * How likely a message of a socket may overtake those before it, from 0 to 1. Requests overtake
   * each other in any case.
   */
  readonly reordered?: number;
}

type Direction = 'up' | 'down';

interface Tunnel {
  isOpen: boolean;
  readonly dead: Set<Direction>;
  readonly client: SocketEvents;
  server: SocketEvents | undefined;
  /** When the last message arrives: what is sent later arrives later. */
  readonly last: Record<Direction, number>;
}

/** Directions in which nothing passes, though nobody is told. */
const LOST: Readonly<Record<LineState, readonly Direction[]>> = {
  up: [],
  cut: [],
  silent: ['up', 'down'],
  deaf: ['down'],
  mute: ['up'],
};

export function simulatedLine(options: LineOptions): SimulatedLine {
  const { time, random, server, latencyMs, doubled = 0, reordered = 0 } = options;
  const [least, most] = latencyMs;
  const tunnels = new Set<Tunnel>();
  const onCut = new Set<() => void>();
  let state: LineState = 'up';
  let passed = 0;
  let cutAt = Number.POSITIVE_INFINITY;

  const latency = () => least + random.fraction() * (most - least);

  function set(next: LineState): void {
    state = next;
    cutAt = Number.POSITIVE_INFINITY;
    for (const direction of LOST[next]) for (const tunnel of tunnels) tunnel.dead.add(direction);
    if (next !== 'cut') return;
    for (const tunnel of [...tunnels]) end(tunnel, 'both');
    for (const fail of [...onCut]) fail();
  }

  /** Whether one more message passes; the one that is too much cuts the line. */
  function passes(direction: Direction): boolean {
    if (!carries(direction)) return false;
    if (passed >= cutAt) {
      set('cut');
      return false;
    }
    passed += 1;
    return true;
  }

  const carries = (direction: Direction) => state !== 'cut' && !LOST[state].includes(direction);

  function end(tunnel: Tunnel, hears: 'both' | 'client' | 'server'): void {
    if (!tunnel.isOpen) return;
    tunnel.isOpen = false;
    tunnels.delete(tunnel);
    if (hears !== 'client') tunnel.server?.closed();
    if (hears !== 'server') tunnel.client.closed();
  }

  async function answer(request: NetworkRequest): Promise<NetworkResponse> {
    const body = typeof request.body === 'string' ? utf8(request.body) : (request.body ?? new Uint8Array());
    const received = { method: request.method, url: request.url, body };
    if (random.fraction() < doubled) await server.request(received);
    return server.request(received);
  }

  function request(asked: NetworkRequest): Promise<NetworkResponse> {
    return new Promise((resolve, reject) => {
      const stops: (() => void)[] = [];
      const finish = (settle: () => void) => {
        for (const stop of stops) stop();
        onCut.delete(fail);
        settle();
      };
      const fail = () => finish(() => reject(new FixpointError('FETCH', 'the line is cut')));
      if (state === 'cut' || asked.signal?.aborted === true) return fail();
      onCut.add(fail);
      asked.signal?.addEventListener('abort', fail, { once: true });
      stops.push(
        () => asked.signal?.removeEventListener('abort', fail),
        time.after(asked.timeoutMs, () => finish(() => reject(timeoutError(asked.timeoutMs)))),
      );
      if (!passes('up')) return;
      time.after(latency(), () => {
        if (!carries('up')) return;
        const arrive = (settle: () => void) => {
          if (!passes('down')) return;
          time.after(latency(), () => (carries('down') ? settle() : undefined));
        };
        answer(asked).then(
          (response) => arrive(() => finish(() => resolve(response))),
          () => arrive(fail),
        );
      });
    });
  }

  function carry(tunnel: Tunnel, direction: Direction, deliver: () => void): void {
    if (!tunnel.isOpen || tunnel.dead.has(direction) || !passes(direction)) return;
    const times = random.fraction() < doubled ? 2 : 1;
    for (let copy = 0; copy < times; copy++) {
      const arrives = time.now() + latency();
      const mayOvertake = reordered > 0 && random.fraction() < reordered;
      const at = mayOvertake ? arrives : Math.max(tunnel.last[direction], arrives);
      tunnel.last[direction] = Math.max(tunnel.last[direction], at);
      time.after(at - time.now(), () => {
        if (tunnel.isOpen && !tunnel.dead.has(direction)) deliver();
      });
    }
  }

  async function connect(url: string, client: SocketEvents, timeoutMs: number) {
    if (LOST[state].length > 0) {
      await new Promise<void>((resolve) => void time.after(timeoutMs, resolve));
      throw timeoutError(timeoutMs);
    }
    await new Promise<void>((resolve) => void time.after(2 * latency(), resolve));
    if (!passes('up')) throw new FixpointError('WS', 'the line is cut');
    const last = { up: 0, down: 0 };
    const tunnel: Tunnel = { isOpen: true, dead: new Set(), client, server: undefined, last };
    tunnels.add(tunnel);
    tunnel.server = server.accept(url, {
      send: (text) => carry(tunnel, 'down', () => client.message(text)),
      close: () => end(tunnel, 'client'),
    });
    return {
      send: (text: string) => carry(tunnel, 'up', () => tunnel.server?.message(text)),
      close: () => end(tunnel, 'server'),
    };
  }

  return {
    request,
    connect,
    set,
    cutAfter: (messages) => {
      cutAt = passed + messages;
    },
    state: () => state,
    passed: () => passed,
  };
}
