/** The storage gateway: FP-MSG-1.0 requests, each checked for shape, token and right before anything is done. */
import { FixpointError, GATEWAY_VERSION, isFixpointError, MESSAGE_VERSION } from '@fixpoint/protocol';
import {
  isStoreType,
  type RequestOf,
  requests,
  type StorageRequest,
  serverGestalt,
} from '@fixpoint/protocol/storage';
import type { HintBus } from '../bus/local-bus.ts';
import type { ObjectMethod, Objects } from '../objects/disk-objects.ts';
import type { LedgerRights } from '../rights/rights.ts';
import type { Db } from '../tables/database.ts';
import { newId } from '../tables/new-row.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import { carsOf } from './meta-entry.ts';
import { metasAfter, putMetas } from './metas.ts';

export interface GatewayParts {
  readonly db: Db;
  readonly tokens: CloudTokens;
  readonly rights: LedgerRights;
  readonly objects: Objects;
  readonly bus: HintBus;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  readonly socketPath: string;
  readonly httpPath: string;
}

/** A binding of a connection to the metas of a ledger. */
export interface Bind {
  readonly userId: string;
  readonly tenant: string;
  readonly ledger: string;
  readonly tid: string;
  readonly conn: { readonly reqId: string; readonly resId: string };
  readonly urlParam: Record<string, unknown>;
  readonly expiresAtMs: number;
  cursor: number;
}

/** The connection that a request came by. */
export interface Carrier {
  /** The id of a socket; undefined for HTTP, where there is nothing to push to. */
  readonly resId: string | undefined;
  bind?(bind: Bind): void;
}

export type Answer = Record<string, unknown> & { readonly type: string; readonly tid: string };
export type Gateway = (request: unknown, carrier: Carrier) => Promise<Answer>;

type Stored = RequestOf<
  'reqPutData' | 'reqGetData' | 'reqDelData' | 'reqPutMeta' | 'bindGetMeta' | 'reqDelMeta'
>;
type Claims = Awaited<ReturnType<CloudTokens['verify']>>;

export function createGateway(parts: GatewayParts): Gateway {
  return async (body, carrier) => {
    try {
      const parsed = requests.safeParse(body);
      if (!parsed.success) throw shapeRefusal(body);
      const claims = await parts.tokens.verify(parsed.data.auth.params.jwk);
      return await answer(parts, parsed.data, claims, carrier);
    } catch (cause) {
      if (!isFixpointError(cause)) parts.report(cause);
      return errorAnswer(body, cause);
    }
  };
}

function shapeRefusal(body: unknown): FixpointError {
  const { type, auth } = (body ?? {}) as { type?: unknown; auth?: { type?: unknown } };
  if (typeof type === 'string' && /WAL$|^reqChat$/.test(type)) return new FixpointError('NOT_IMPLEMENTED');
  if (auth === undefined) return new FixpointError('AUTH_JWK_REQUIRED', 'missing auth');
  if (auth?.type !== 'fp-cloud-jwk')
    return new FixpointError('NOT_SIGNED_IN', 'Only fp-cloud-jwt is supported');
  return new FixpointError('REQUEST_INVALID', 'unexpected message');
}

/** Carries neither the token nor a `conn`: a client would take an error with its `conn` for the end of its metas. */
function errorAnswer(body: unknown, cause: unknown): Answer {
  const { tid } = (body ?? {}) as { tid?: unknown };
  const known = isFixpointError(cause) ? cause : undefined;
  return {
    type: 'error',
    tid: typeof tid === 'string' ? tid : 'internal',
    version: MESSAGE_VERSION,
    message: known?.message ?? 'internal error',
    ...(known && { code: known.code }),
    auth: { type: 'error' },
  };
}

async function answer(
  parts: GatewayParts,
  request: StorageRequest,
  claims: Claims,
  carrier: Carrier,
): Promise<Answer> {
  const { type, tid, auth } = request;
  const base = { tid, version: request.version ?? MESSAGE_VERSION, auth };
  switch (type) {
    case 'reqGestalt':
      return { ...base, type: 'resGestalt', gestalt: serverGestalt(parts.httpPath, parts.socketPath) };
    case 'reqOpen': {
      // A pair that a client brings along is taken over: so it reconnects, also after a restart of this server.
      const resId = request.conn.resId ?? carrier.resId ?? newId();
      return { ...base, type: 'resOpen', conn: { reqId: request.conn.reqId, resId } };
    }
    case 'reqClose':
      return { ...base, type: 'resClose', conn: request.conn };
    default: {
      const echoed = {
        ...base,
        conn: request.conn,
        tenant: request.tenant,
        methodParam: request.methodParam,
        urlParam: request.urlParam,
      };
      const needed = type === 'reqGetData' || type === 'bindGetMeta' ? 'read' : 'write';
      await requireRight(parts, claims, request, needed);
      return answerStored(parts, request, claims, carrier, echoed);
    }
  }
}

async function requireRight(
  { rights }: GatewayParts,
  { userId }: Claims,
  { tenant }: Stored,
  needed: 'read' | 'write',
): Promise<void> {
  const access = await rights.accessTo(userId, tenant.tenant, tenant.ledger);
  if (access === 'none' || (needed === 'write' && access === 'read')) throw new FixpointError('NOT_FOUND');
}

async function answerStored(
  parts: GatewayParts,
  request: Stored,
  claims: Claims,
  carrier: Carrier,
  echoed: Record<string, unknown> & { tid: string },
): Promise<Answer> {
  switch (request.type) {
    case 'reqPutData':
      return {
        ...echoed,
        type: 'resPutData',
        version: GATEWAY_VERSION,
        signedUrl: signed(parts, 'PUT', request),
      };
    case 'reqGetData':
      return {
        ...echoed,
        type: 'resGetData',
        version: GATEWAY_VERSION,
        signedUrl: signed(parts, 'GET', request),
      };
    case 'reqDelData':
      return {
        ...echoed,
        type: 'resDelData',
        version: GATEWAY_VERSION,
        signedUrl: signed(parts, 'DELETE', request),
      };
    case 'reqPutMeta':
      return putMeta(parts, request, echoed);
    case 'bindGetMeta':
      return bindMeta(parts, request, claims, carrier, echoed);
    case 'reqDelMeta':
      throw new FixpointError('NOT_IMPLEMENTED');
  }
}

function signed(
  { objects }: GatewayParts,
  method: ObjectMethod,
  { tenant, methodParam, urlParam }: Stored,
): string {
  const { store } = methodParam;
  if (!isStoreType(store)) throw new FixpointError('INVALID_STORE_TYPE');
  if (store === 'meta' || store === 'wal') throw new FixpointError('STORE_MISMATCH');
  return objects.sign(method, {
    tenant: tenant.tenant,
    ledger: tenant.ledger,
    store: urlParam.index ? `${store}-${urlParam.index}` : store,
    key: urlParam.key,
  });
}

async function putMeta(
  parts: GatewayParts,
  { tenant, conn, meta }: RequestOf<'reqPutMeta'>,
  echoed: Record<string, unknown> & { tid: string },
): Promise<Answer> {
  for (const entry of meta.metas)
    for (const key of carsOf(entry) ?? []) {
      const there = await parts.objects.has({
        tenant: tenant.tenant,
        ledger: tenant.ledger,
        store: 'car',
        key,
      });
      if (!there) throw new FixpointError('MISSING_CARS', key);
    }
  await putMetas(parts.db, tenant.ledger, `${conn.reqId}:${conn.resId}`, meta, parts.now());
  parts.bus.publish(tenant.ledger);
  return { ...echoed, type: 'resPutMeta', meta: { metas: meta.metas, keys: meta.keys }, signedUrl: '' };
}

/** Answered at once, also with nothing; on a socket the binding then follows the ledger. */
async function bindMeta(
  parts: GatewayParts,
  { tenant, conn, tid, urlParam, ...rest }: RequestOf<'bindGetMeta'>,
  { userId, expiresAtMs }: Claims,
  carrier: Carrier,
  echoed: Record<string, unknown> & { tid: string },
): Promise<Answer> {
  const after = typeof rest['cursor'] === 'number' ? rest['cursor'] : 0;
  const { entries, keys, cursor } = await metasAfter(parts.db, tenant.ledger, after);
  carrier.bind?.({
    userId,
    tenant: tenant.tenant,
    ledger: tenant.ledger,
    tid,
    conn,
    urlParam,
    expiresAtMs,
    cursor,
  });
  return { ...echoed, type: 'eventGetMeta', meta: { metas: entries, keys }, cursor, signedUrl: '' };
}
