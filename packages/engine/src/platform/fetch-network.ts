import { FixpointError } from '@fixpoint/protocol';
import type { Network, NetworkRequest, NetworkResponse, Socket, SocketEvents } from '../ports/network.ts';

/** The part of a websocket that both browsers and Node's libraries have. */
export interface PlainSocket {
  binaryType: string;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

/** The network by `fetch` and websockets. */
export function fetchNetwork(openSocket: (url: string) => Promise<PlainSocket>): Network {
  return { request, connect: (url, events, timeoutMs) => connect(openSocket, url, events, timeoutMs) };
}

async function request({ method, url, headers, body, timeoutMs }: NetworkRequest): Promise<NetworkResponse> {
  try {
    const response = await fetch(url, {
      method,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: body as BodyInit }),
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
  } catch (cause) {
    const timedOut = cause instanceof DOMException && cause.name === 'TimeoutError';
    throw timedOut
      ? new FixpointError('TIMEOUT', `after ${timeoutMs}ms`, { cause })
      : new FixpointError('FETCH', (cause as Error).message, { cause });
  }
}

async function connect(
  openSocket: (url: string) => Promise<PlainSocket>,
  url: string,
  events: SocketEvents,
  timeoutMs: number,
): Promise<Socket> {
  const socket = await openSocket(url);
  socket.binaryType = 'arraybuffer';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new FixpointError('TIMEOUT', `after ${timeoutMs}ms`));
      socket.close();
    }, timeoutMs);
    socket.onopen = () => {
      clearTimeout(timer);
      resolve();
    };
    const refuse = () => {
      clearTimeout(timer);
      reject(new FixpointError('WS', 'could not connect'));
    };
    socket.onerror = refuse;
    socket.onclose = refuse;
  });
  const decoder = new TextDecoder();
  socket.onmessage = ({ data }) =>
    events.message(typeof data === 'string' ? data : decoder.decode(data as ArrayBuffer));
  socket.onclose = () => events.closed();
  socket.onerror = () => undefined;
  return { send: (text) => socket.send(text), close: () => socket.close() };
}
