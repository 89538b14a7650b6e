/**
 * Messages about the capabilities of a server, and about connections to the server. Clients first
 * request the capabilities over HTTP, then open a websocket unless `stream` is missing. A client
 * that reconnects sends both ids of its connection, and the server keeps that pair.
 */

import { answered, asked, conn } from './envelope.ts';
import * as v from './shape.ts';

/** `reqRes`: requests and answers over HTTP; `stream`: a websocket. */
export const CAPABILITIES = ['reqRes', 'stream'] as const;

const gestalt = v.looseObject({
  id: v.string(),
  protocolCapabilities: v.array(v.string()),
  httpEndpoints: v.array(v.string()),
  wsEndpoints: v.array(v.string()),
});
export type Gestalt = v.InferOutput<typeof gestalt>;

export const reqGestalt = v.looseObject({ type: v.literal('reqGestalt'), ...asked });
export const resGestalt = v.looseObject({ type: v.literal('resGestalt'), ...answered, gestalt });

export const reqOpen = v.looseObject({
  type: v.literal('reqOpen'),
  ...asked,
  conn: v.looseObject({ reqId: v.string(), resId: v.optional(v.string()) }),
});
export const resOpen = v.looseObject({ type: v.literal('resOpen'), ...answered, conn });

export const reqClose = v.looseObject({ type: v.literal('reqClose'), ...asked, conn });
export const resClose = v.looseObject({ type: v.literal('resClose'), ...answered });

/**
 * Addresses of a server: paths on the origin that the client used, or full URLs of servers that
 * share its stores.
 */
export interface Endpoints {
  readonly http: readonly string[];
  readonly socket: readonly string[];
}

/** Operations with a request and an answer, in the order in which servers list their messages. */
const FIRST_OPERATIONS = ['Open', 'Gestalt', 'Close', 'PutMeta'];
const OTHER_OPERATIONS = ['DelMeta', 'PutData', 'GetData', 'DelData', 'PutWAL', 'GetWAL', 'DelWAL'];
const typesOf = (kind: 'req' | 'res', operations: readonly string[]) => operations.map((name) => kind + name);

/**
 * Returns the capabilities of a server of this version. Clients choose one of several endpoints at
 * random.
 * @param offered the capabilities to offer
 */
export const serverGestalt = (endpoints: Endpoints, offered: readonly string[] = CAPABILITIES) => ({
  id: 'FP-Storage-Backend',
  storeTypes: ['meta', 'file', 'car', 'wal'],
  protocolCapabilities: [...offered],
  httpEndpoints: [...endpoints.http],
  wsEndpoints: [...endpoints.socket],
  encodings: ['JSON'],
  auth: [],
  requiresAuth: true,
  data: { inband: true, outband: true },
  meta: { inband: true, outband: true },
  wal: { inband: true, outband: true },
  reqTypes: [...typesOf('req', FIRST_OPERATIONS), 'bindGetMeta', ...typesOf('req', OTHER_OPERATIONS)],
  resTypes: typesOf('res', [...FIRST_OPERATIONS, ...OTHER_OPERATIONS]),
  eventTypes: ['eventGetMeta'],
});
