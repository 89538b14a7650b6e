/**
 * The rights as one table. The tests check each cell against the server, and docs/access.md shows
 * the table. A cell is a request, a credential and a target; HTTP and websocket give the same
 * outcome.
 */
import { REQUESTS, type RequestType, type Requirement } from '@fixpoint/protocol/admin';
import type { StorageRequest } from '@fixpoint/protocol/storage';

/**
 * The requirement of a message: a valid token, or one whose user may read or write the ledger now.
 */
type GatewayNeed = 'token' | 'read' | 'write';

export interface GatewayRow {
  readonly type: StorageRequest['type'];
  readonly needs: GatewayNeed;
  /** The store that the request is about. */
  readonly store: 'meta' | 'car' | 'wal';
  /** The effect of the request, in a few words. */
  readonly does: string;
}

export const GATEWAY_ROWS: readonly GatewayRow[] = [
  { type: 'reqGestalt', needs: 'token', store: 'meta', does: 'gets the capabilities of the server' },
  { type: 'reqOpen', needs: 'token', store: 'meta', does: 'opens a connection for the caller' },
  { type: 'reqPutData', needs: 'write', store: 'car', does: 'gets a URL to upload one object' },
  { type: 'reqGetData', needs: 'read', store: 'car', does: 'gets a URL to download one object' },
  { type: 'reqDelData', needs: 'write', store: 'car', does: 'gets a URL to remove one object' },
  {
    type: 'reqPutWAL',
    needs: 'write',
    store: 'wal',
    does: 'gets a URL to upload a part of a write-ahead log',
  },
  {
    type: 'reqGetWAL',
    needs: 'read',
    store: 'wal',
    does: 'gets a URL to download a part of a write-ahead log',
  },
  {
    type: 'reqDelWAL',
    needs: 'write',
    store: 'wal',
    does: 'gets a URL to remove a part of a write-ahead log',
  },
  { type: 'reqPutMeta', needs: 'write', store: 'meta', does: 'stores metas and keys' },
  { type: 'bindGetMeta', needs: 'read', store: 'meta', does: 'gets metas and keys, and follows changes' },
  {
    type: 'reqDelMeta',
    needs: 'write',
    store: 'meta',
    does: 'removes key records that the caller put; admins can remove all key records, and meta entries; in a sealed ledger, readers can also remove their own key records',
  },
  {
    type: 'reqPresence',
    needs: 'read',
    store: 'meta',
    does: 'enters the presence of the ledger, over a websocket only: sends a state that is not stored, and receives the states of others',
  },
  { type: 'reqClose', needs: 'token', store: 'meta', does: 'closes a connection of the caller' },
];

/**
 * `own`: the ledger that the credential is for. The other targets: a ledger of the same tenant, a
 * ledger of another tenant, and a ledger that doesn't exist.
 */
export const TARGETS = ['own', 'other ledger', 'other tenant', 'not existing'] as const;
export type Target = (typeof TARGETS)[number];

/**
 * Classes of credentials at the gateway. `unsigned`: not accepted, in most cases because the
 * signature isn't valid. `barred`: a valid token whose user has no access to the ledger, or whose
 * claims don't include the ledger. `reader` and `writer`: a valid token of a user with that right.
 */
export type Worth = 'unsigned' | 'barred' | 'reader' | 'writer';

export type Outcome = 'allowed' | 'NOT_SIGNED_IN' | 'NOT_FOUND' | 'FORBIDDEN';

/**
 * Returns a cell of the table. A target that the caller can't see looks like one that doesn't
 * exist.
 */
export function outcomeOf({ needs }: Pick<GatewayRow, 'needs'>, worth: Worth, target: Target): Outcome {
  if (worth === 'unsigned') return 'NOT_SIGNED_IN';
  if (needs === 'token') return 'allowed';
  if (worth === 'barred' || target !== 'own') return 'NOT_FOUND';
  return worth === 'reader' && needs === 'write' ? 'FORBIDDEN' : 'allowed';
}

/**
 * The requirement of an admin request. `identity`: a valid identity token; `user`: the token of an
 * active user; `self`: the token of an active user, who reaches only their own data and the tenants
 * that they administer; `operator`: the token of an active user who operates the server.
 */
export type AdminNeed =
  | 'nothing'
  | 'identity'
  | 'user'
  | 'self'
  | 'member'
  | 'tenant admin'
  | 'tenant owner'
  | 'ledger admin'
  | 'operator';

/** Returns the requirement of an admin request, from its definition in the protocol. */
export function adminNeed(type: RequestType): AdminNeed {
  const {
    requires,
    handlerChecks,
  }: { requires: Requirement; handlerChecks?: 'self' | 'member' | 'tenant admin' } = REQUESTS[type];
  switch (requires) {
    case 'nobody':
      return 'nothing';
    case 'person':
      return 'identity';
    case 'user:active':
      return handlerChecks ?? 'user';
    case 'operator':
      return 'operator';
    case 'tenant:read':
      return 'member';
    case 'tenant:transfer':
      return 'tenant owner';
    case 'ledger:update':
    case 'ledger:delete':
    case 'ledger:move':
    case 'ledger:share':
      return 'ledger admin';
    default:
      return 'tenant admin';
  }
}
