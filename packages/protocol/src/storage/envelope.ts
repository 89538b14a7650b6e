/**
 * What all messages of FP-MSG-1.0 share. A message is one JSON object, `{type, tid, version, auth, ...}`. Shapes are loose: existing clients send
 * other versions and further fields, and nobody refuses a message for it.
 */
import * as z from 'zod/mini';

// Schemas are never compiled to code: pages forbid that, and report each try.
z.config({ jitless: true });

export const STORE_TYPES = ['meta', 'car', 'wal', 'file'] as const;
export type StoreType = (typeof STORE_TYPES)[number];

/** The only kind of credentials on this wire. `jwk` holds the cloud token, a JWT. */
export const jwkAuth = z.looseObject({
  type: z.literal('fp-cloud-jwk'),
  params: z.looseObject({ jwk: z.string() }),
});

/** A connection: an id that the client chose and one that the server chose. The pair is its identity. */
export const conn = z.looseObject({ reqId: z.string(), resId: z.string() });
export interface Conn {
  readonly reqId: string;
  readonly resId: string;
}

/** Ids, not names. */
export const tenantLedger = z.looseObject({ tenant: z.string(), ledger: z.string() });
export const methodParam = z.looseObject({ method: z.optional(z.string()), store: z.string() });
export const urlParam = z.looseObject({
  key: z.string(),
  path: z.optional(z.string()),
  index: z.optional(z.string()),
  /** Wished life of a signed URL, in seconds; a server may give less. */
  expires: z.optional(z.number()),
});

/** Fields of every request. */
export const asked = { tid: z.string(), version: z.optional(z.string()), auth: jwkAuth };
/** Fields of every answer: the `tid` is the one of the request. */
export const answered = { tid: z.string(), version: z.optional(z.string()) };

/** Requests about a ledger's objects. Without `tenant` the ledger that the token selected is meant. */
export const askedOfStore = { ...asked, conn, tenant: z.optional(tenantLedger), methodParam, urlParam };
/** Requests about a ledger's metas; their store is known, and older clients say `params` for method and URL parameters in one. */
export const askedOfMetas = {
  ...asked,
  conn,
  tenant: z.optional(tenantLedger),
  methodParam: z.optional(methodParam),
  urlParam: z.optional(urlParam),
  params: z.optional(z.looseObject({})),
};
