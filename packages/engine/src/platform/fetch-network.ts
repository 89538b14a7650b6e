import { FixpointError } from '@fixpoint/protocol';
import { concatBytes } from '../base/bytes.ts';
import { timeoutError } from '../base/timeout-error.ts';
import type { Network, NetworkRequest, NetworkResponse, Socket, SocketEvents } from '../ports/network.ts';

/** The part of the websocket API that browsers and the Node library `ws` have in common. */
export interface PlainSocket {
  binaryType: string;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

/** Implements the network with `fetch` and websockets. */
export function fetchNetwork(openSocket: (url: string) => Promise<PlainSocket>): Network {
  return { request, connect: (url, events, timeoutMs) => connect(openSocket, url, events, timeoutMs) };
}

async function request(asked: NetworkRequest): Promise<NetworkResponse> {
  const { method, url, headers, body, timeoutMs, signal } = asked;
  const silence = new AbortController();
  let isSilent = false;
  let stopWaiting: () => void = () => undefined;
  const wait = () => {
    stopWaiting();
    const timer = setTimeout(() => {
      isSilent = true;
      silence.abort();
    }, timeoutMs);
    stopWaiting = () => clearTimeout(timer);
  };
  try {
    wait();
    const response = await fetch(url, {
      method,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: body as BodyInit }),
      credentials: 'omit',
      cache: 'no-store',
      signal: signal === undefined ? silence.signal : AbortSignal.any([silence.signal, signal]),
    });
    return { status: response.status, body: await readBody(response, wait) };
  } catch (cause) {
    if (isSilent) throw timeoutError(timeoutMs, cause);
    throw new FixpointError('FETCH', cause instanceof Error ? cause.message : String(cause), { cause });
  } finally {
    stopWaiting();
  }
}

async function readBody(response: Response, onPart: () => void): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    onPart();
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : concatBytes(parts);
}

async function connect(
  openSocket: (url: string) => Promise<PlainSocket>,
  url: string,
  events: SocketEvents,
  timeoutMs: number,
): Promise<Socket> {
  const socket = await openSocket(url);
  const decoder = new TextDecoder();
  socket.binaryType = 'arraybuffer';
  socket.onmessage = ({ data }) =>
    events.message(typeof data === 'string' ? data : decoder.decode(data as ArrayBuffer));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      refuse(timeoutError(timeoutMs));
      socket.close();
    }, timeoutMs);
    const refuse = (error: FixpointError) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.onopen = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.onerror = () => refuse(new FixpointError('WS', 'could not connect'));
    socket.onclose = () => refuse(new FixpointError('WS', 'could not connect'));
  });
  socket.onclose = () => events.closed();
  socket.onerror = () => undefined;
  return { send: (text) => socket.send(text), close: () => socket.close() };
}
