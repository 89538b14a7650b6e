import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { serverGestalt, socketUrl } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import type { Connection, ConnectionEvents, KnownConn, Target } from './connection.ts';
import { exchange } from './http.ts';
import type { openHttp } from './polling.ts';
import { openWebSocket } from './websocket.ts';

/**
 * Asks the gateway for its capabilities, then opens a websocket, or polls if the gateway offers
 * only HTTP requests (spec §4). Chooses one of several endpoints at random for the whole
 * connection. The next try may choose a different endpoint.
 * @param load loads the code that polls
 * @throws FixpointError
 */
export async function connect(
  platform: Platform,
  target: Target,
  load: () => Promise<{ readonly openHttp: typeof openHttp }>,
  known: KnownConn,
  events: ConnectionEvents,
): Promise<Connection> {
  const { protocolCapabilities, httpEndpoints, wsEndpoints } = await askGestalt(platform, target);
  const choose = (endpoints: readonly string[]): string | undefined =>
    endpoints[(platform.random.bytes(1)[0] ?? 0) % Math.max(endpoints.length, 1)];
  if (protocolCapabilities.includes('reqRes') && !protocolCapabilities.includes('stream')) {
    const endpoint = choose(httpEndpoints);
    const url = endpoint === undefined ? target.gateway : new URL(endpoint, target.gateway);
    return (await load()).openHttp(platform, target, url, known, events);
  }
  const url = socketUrl(target.gateway, choose(wsEndpoints) ?? '/ws');
  return openWebSocket(platform, target, url, known, events);
}

async function askGestalt(platform: Platform, target: Target) {
  const asked = { gestalt: serverGestalt({ http: ['/fp'], socket: ['/ws'] }) };
  try {
    return (await exchange(platform, target, target.gateway, 'reqGestalt', 'resGestalt', asked)).gestalt;
  } catch (cause) {
    const isOther =
      isFixpointError(cause, 'INVALID_MESSAGE') ||
      (isFixpointError(cause, 'UNEXPECTED_RESPONSE') && cause.message.startsWith('unexpected response'));
    throw isOther ? new FixpointError('NOT_GESTALT', undefined, { cause }) : cause;
  }
}
