/** What a server can do. Asked over HTTP before anything else; a client opens a websocket unless `stream` is missing. */
import * as z from 'zod/mini';
import { answered, asked } from './envelope.ts';

/** `reqRes`: requests and answers over HTTP; `stream`: a websocket. */
export const CAPABILITIES = ['reqRes', 'stream'] as const;

export const gestalt = z.looseObject({
  id: z.string(),
  protocolCapabilities: z.array(z.string()),
  httpEndpoints: z.array(z.string()),
  wsEndpoints: z.array(z.string()),
});
export type Gestalt = z.infer<typeof gestalt>;

export const reqGestalt = z.looseObject({ type: z.literal('reqGestalt'), ...asked });
export const resGestalt = z.looseObject({ type: z.literal('resGestalt'), ...answered, gestalt });

/** What a server of this version says of itself; endpoints are paths on its own origin. */
export const serverGestalt = (httpPath: string, socketPath: string) => ({
  id: 'FP-Storage-Backend',
  storeTypes: ['meta', 'file', 'car', 'wal'],
  protocolCapabilities: [...CAPABILITIES],
  httpEndpoints: [httpPath],
  wsEndpoints: [socketPath],
  encodings: ['JSON'],
  auth: [],
  requiresAuth: true,
  data: { inband: true, outband: true },
  meta: { inband: true, outband: true },
  wal: { inband: true, outband: true },
  reqTypes: [
    'reqOpen',
    'reqGestalt',
    'reqClose',
    'reqPutMeta',
    'bindGetMeta',
    'reqDelMeta',
    'reqPutData',
    'reqGetData',
    'reqDelData',
  ],
  resTypes: [
    'resOpen',
    'resGestalt',
    'resClose',
    'resPutMeta',
    'resDelMeta',
    'resPutData',
    'resGetData',
    'resDelData',
  ],
  eventTypes: ['eventGetMeta'],
});
