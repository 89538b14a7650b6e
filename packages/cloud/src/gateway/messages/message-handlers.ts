/** The handler of each message. Short handlers are defined here. */
import { PRESENCE_FEATURE, type StorageRequest, serverGestalt } from '@fixpoint/protocol/storage';
import { type Carrier, pairOf } from '../carriers/carrier.ts';
import { echoOf } from '../echo.ts';
import type { GatewayParts, Handler } from '../gateway-types.ts';
import { bindGetMeta } from './answer-bind-get-meta.ts';
import { delMeta } from './answer-del-meta.ts';
import { presence } from './answer-presence.ts';
import { putMeta } from './answer-put-meta.ts';
import { signData } from './sign-data.ts';

/**
 * Features beyond the protocol. `membership-log`: the server checks entries of the membership log,
 * and keeps them for ever (G6 in docs/internals/membership-rules.md). `presence`: the server passes
 * on states of clients over websockets.
 */
const featuresOf = ({ startsLogs }: GatewayParts, { capabilities }: Carrier) => ({
  features: [
    ...(capabilities?.includes('stream') === false ? [] : [PRESENCE_FEATURE]),
    ...(startsLogs ? ['membership-log'] : []),
  ],
});

/** Answers with the capabilities of this server. */
const gestalt: Handler<'reqGestalt'> = async ({ parts, request, carrier }) => ({
  answer: {
    ...echoOf(request),
    type: 'resGestalt',
    gestalt: { ...serverGestalt(parts.endpoints, carrier.capabilities), ...featuresOf(parts, carrier) },
  },
});

/**
 * Opens a connection. Accepts the two ids of a previous connection unchanged: a client sends them
 * when it reconnects after a broken link or a restart of this server.
 */
const open: Handler<'reqOpen'> = async ({ request, claims, carrier }) => ({
  answer: {
    ...echoOf(request),
    type: 'resOpen',
    conn: carrier.open(claims, request.conn.reqId, request.conn.resId),
  },
});

const close: Handler<'reqClose'> = async ({ parts, request, claims, carrier }) => {
  const { reqId, resId } = request.conn;
  carrier.close(claims.userId, { reqId, resId });
  if (carrier.seat !== undefined) parts.rooms.gone(carrier.seat, pairOf(claims.userId, { reqId, resId }));
  return { answer: { ...echoOf(request), type: 'resClose', conn: { reqId, resId } } };
};

export const HANDLERS: { readonly [T in StorageRequest['type']]: Handler<T> } = {
  reqGestalt: gestalt,
  reqOpen: open,
  reqClose: close,
  reqPutData: (call) => signData(call, 'resPutData', 'PUT'),
  reqGetData: (call) => signData(call, 'resGetData', 'GET'),
  reqDelData: (call) => signData(call, 'resDelData', 'DELETE'),
  reqPutWAL: (call) => signData(call, 'resPutWAL', 'PUT'),
  reqGetWAL: (call) => signData(call, 'resGetWAL', 'GET'),
  reqDelWAL: (call) => signData(call, 'resDelWAL', 'DELETE'),
  reqPutMeta: putMeta,
  bindGetMeta,
  reqDelMeta: delMeta,
  reqPresence: presence,
};
