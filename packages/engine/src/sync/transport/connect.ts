import { FixpointError } from '@fixpoint/protocol';
import { serverGestalt, socketUrl } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import type { Connection, ConnectionEvents, Target } from './connection.ts';
import { exchange, openHttp } from './http.ts';
import { openWebSocket } from './websocket.ts';

/** Asks the gateway what it can, then opens a websocket, or polls when it offers requests alone (spec §4). @throws FixpointError */
export async function connect(
  platform: Platform,
  target: Target,
  reqId: string,
  events: ConnectionEvents,
): Promise<Connection> {
  const asked = { gestalt: serverGestalt('/fp', '/ws') };
  const answer = await exchange(platform, target, 'reqGestalt', 'resGestalt', asked).catch((cause) => {
    if (cause instanceof FixpointError && cause.code === 'UNEXPECTED_RESPONSE')
      throw new FixpointError('NOT_GESTALT', undefined, { cause });
    throw cause;
  });
  const { protocolCapabilities, wsEndpoints } = answer.gestalt;
  const [endpoint] = wsEndpoints;
  if (!protocolCapabilities.includes('stream') || endpoint === undefined)
    return openHttp(platform, target, reqId, events);
  return openWebSocket(platform, target, socketUrl(target.gateway, endpoint), reqId, events);
}
