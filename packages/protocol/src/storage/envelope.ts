/**
 * Fields common to all messages of FP-MSG-1.0. A message is one JSON object, `{type, tid, version,
 * auth, ...}`. Shapes are loose: existing clients send other versions and additional fields, which
 * are never a reason to reject a message.
 */
import * as v from './shape.ts';

export const STORE_TYPES = ['meta', 'car', 'wal', 'file'] as const;
export type StoreType = (typeof STORE_TYPES)[number];

/** The only kind of credentials in this protocol. `jwk` contains the cloud token, a JWT. */
const jwkAuth = v.looseObject({
  type: v.literal('fp-cloud-jwk'),
  params: v.looseObject({ jwk: v.string() }),
});

/** A connection, identified by an id that the client chose and an id that the server chose. */
export const conn = v.looseObject({ reqId: v.string(), resId: v.string() });
export interface Conn {
  readonly reqId: string;
  readonly resId: string;
}

/** The ids (not the names) of a tenant and a ledger. */
export const tenantLedger = v.looseObject({ tenant: v.string(), ledger: v.string() });
const methodParam = v.looseObject({ method: v.optional(v.string()), store: v.string() });
const urlParam = v.looseObject({
  key: v.string(),
  path: v.optional(v.string()),
  index: v.optional(v.string()),
  /** Requested life of a signed URL, in seconds; a server may grant less. */
  expires: v.optional(v.number()),
});

/** Fields of every request. */
export const asked = { tid: v.string(), version: v.optional(v.string()), auth: jwkAuth };
/** Fields of every answer; `tid` is the `tid` of the request. */
export const answered = { tid: v.string(), version: v.optional(v.string()) };

/**
 * Fields of requests about a ledger's objects. Without `tenant`, the token's selected ledger is
 * used.
 */
export const askedOfStore = { ...asked, conn, tenant: v.optional(tenantLedger), methodParam, urlParam };
/**
 * Fields of requests about a ledger's metas. Their store is implied, and older clients send
 * `params` instead of separate method and URL parameters.
 */
export const askedOfMetas = {
  ...asked,
  conn,
  tenant: v.optional(tenantLedger),
  methodParam: v.optional(methodParam),
  urlParam: v.optional(urlParam),
  params: v.optional(v.looseObject({})),
};
