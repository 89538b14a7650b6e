/**
 * FP-MSG-1.0: one JSON object a message, `{type, tid, version, auth, ...}`. Unknown fields and other versions are let through, since existing
 * clients send both. A connection is a pair of ids, made by `reqOpen`.
 */
import * as z from 'zod/mini';

const text = z.string();
export const STORE_TYPES = ['meta', 'car', 'wal', 'file'] as const;
export type StoreType = (typeof STORE_TYPES)[number];

export const jwkAuth = z.looseObject({
  type: z.literal('fp-cloud-jwk'),
  params: z.looseObject({ jwk: text }),
});
export const conn = z.looseObject({ reqId: text, resId: z.optional(text) });
export type Conn = { readonly reqId: string; readonly resId: string };
const openConn = z.looseObject({ reqId: text, resId: text });
const tenant = z.looseObject({ tenant: text, ledger: text });
const urlParam = z.looseObject({
  key: text,
  path: z.optional(text),
  index: z.optional(text),
  expires: z.optional(z.number()),
});
const methodParam = z.looseObject({ method: z.optional(text), store: text });

export const metaEntry = z.looseObject({ cid: text, parents: z.array(text), data: text });
export type MetaEntry = z.infer<typeof metaEntry>;
export const metas = z.looseObject({ metas: z.array(metaEntry), keys: z.array(text) });
export type Metas = { readonly metas: readonly MetaEntry[]; readonly keys: readonly string[] };

const envelope = { tid: text, version: z.optional(text), auth: jwkAuth };
const stored = { ...envelope, conn: openConn, tenant, methodParam, urlParam };

export const gestalt = z.looseObject({
  id: text,
  protocolCapabilities: z.array(text),
  httpEndpoints: z.array(text),
  wsEndpoints: z.array(text),
});
export type Gestalt = z.infer<typeof gestalt>;

export const requests = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('reqGestalt'), ...envelope }),
  z.looseObject({ type: z.literal('reqOpen'), ...envelope, conn }),
  z.looseObject({ type: z.literal('reqClose'), ...envelope, conn: openConn }),
  z.looseObject({ type: z.literal('reqPutData'), ...stored }),
  z.looseObject({ type: z.literal('reqGetData'), ...stored }),
  z.looseObject({ type: z.literal('reqDelData'), ...stored }),
  z.looseObject({ type: z.literal('reqPutMeta'), ...stored, meta: metas }),
  z.looseObject({ type: z.literal('bindGetMeta'), ...stored }),
  z.looseObject({ type: z.literal('reqDelMeta'), ...stored, meta: z.optional(metas) }),
]);
export type StorageRequest = z.infer<typeof requests>;
export type RequestOf<T extends StorageRequest['type']> = Extract<StorageRequest, { type: T }>;

const answered = { tid: text };
export const answers = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('resGestalt'), ...answered, gestalt }),
  z.looseObject({ type: z.literal('resOpen'), ...answered, conn: openConn }),
  z.looseObject({ type: z.literal('resClose'), ...answered }),
  z.looseObject({ type: z.literal('resPutData'), ...answered, signedUrl: text }),
  z.looseObject({ type: z.literal('resGetData'), ...answered, signedUrl: text }),
  z.looseObject({ type: z.literal('resDelData'), ...answered, signedUrl: text }),
  z.looseObject({ type: z.literal('resPutMeta'), ...answered, meta: metas }),
  z.looseObject({ type: z.literal('eventGetMeta'), ...answered, conn: openConn, meta: metas }),
  z.looseObject({ type: z.literal('resDelMeta'), ...answered }),
  z.looseObject({ type: z.literal('error'), ...answered, message: text, code: z.optional(text) }),
]);
export type StorageAnswer = z.infer<typeof answers>;
export type AnswerOf<T extends StorageAnswer['type']> = Extract<StorageAnswer, { type: T }>;

/** What a server of this version says of itself. */
export const serverGestalt = (httpPath: string, socketPath: string) => ({
  id: 'FP-Storage-Backend',
  storeTypes: ['meta', 'file', 'car', 'wal'],
  protocolCapabilities: ['reqRes', 'stream'],
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
