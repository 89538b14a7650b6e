/**
 * Who may do what, as one table: the tests ask the server each cell of it, and docs/access.md is what it prints. A cell is a request, a credential and a
 * target; over HTTP and over a websocket it says the same.
 */
import { REQUESTS, type RequestType, type Requirement } from '@fixpoint/protocol/admin';
import type { StorageRequest } from '@fixpoint/protocol/storage';

/** What a request needs: a token that is valid, or one whose user may read or write the ledger at this moment. */
export type GatewayNeed = 'token' | 'read' | 'write';

export interface GatewayRow {
  readonly type: StorageRequest['type'];
  readonly needs: GatewayNeed;
  /** The store that the request names. */
  readonly store: 'meta' | 'car' | 'wal';
  /** What somebody who may does with it, in a few words. */
  readonly does: string;
}

export const GATEWAY_ROWS: readonly GatewayRow[] = [
  { type: 'reqGestalt', needs: 'token', store: 'meta', does: 'hears what the server can do' },
  { type: 'reqOpen', needs: 'token', store: 'meta', does: 'opens a connection of the own user' },
  { type: 'reqPutData', needs: 'write', store: 'car', does: 'gets a URL to upload one object' },
  { type: 'reqGetData', needs: 'read', store: 'car', does: 'gets a URL to download one object' },
  { type: 'reqDelData', needs: 'write', store: 'car', does: 'gets a URL to remove one object' },
  { type: 'reqPutWAL', needs: 'write', store: 'wal', does: 'gets a URL to upload a part of a log' },
  { type: 'reqGetWAL', needs: 'read', store: 'wal', does: 'gets a URL to download a part of a log' },
  { type: 'reqDelWAL', needs: 'write', store: 'wal', does: 'gets a URL to remove a part of a log' },
  { type: 'reqPutMeta', needs: 'write', store: 'meta', does: 'stores metas and keys' },
  { type: 'bindGetMeta', needs: 'read', store: 'meta', does: 'gets and follows metas and keys' },
  {
    type: 'reqDelMeta',
    needs: 'write',
    store: 'meta',
    does: 'takes keys out of the ledger; for admins entries too; for readers their own records in a sealed ledger',
  },
  { type: 'reqClose', needs: 'token', store: 'meta', does: 'closes a connection of the own user' },
];

/** `own`: the ledger for which the credential is; the others are of the same tenant, of another one, and of nobody. */
export const TARGETS = ['own', 'other ledger', 'other tenant', 'not existing'] as const;
export type Target = (typeof TARGETS)[number];

/**
 * What a credential is worth at the gateway. `unsigned`: nobody vouches for it. `barred`: a valid token whose user may not use the ledger, or which does not name
 * it. `reader` and `writer`: a valid token of somebody who may.
 */
export type Worth = 'unsigned' | 'barred' | 'reader' | 'writer';

export type Outcome = 'allowed' | 'NOT_SIGNED_IN' | 'NOT_FOUND' | 'FORBIDDEN';

/** The cell of the table. What somebody may not see looks like what is not there. */
export function outcomeOf({ needs }: Pick<GatewayRow, 'needs'>, worth: Worth, target: Target): Outcome {
  if (worth === 'unsigned') return 'NOT_SIGNED_IN';
  if (needs === 'token') return 'allowed';
  if (worth === 'barred' || target !== 'own') return 'NOT_FOUND';
  return worth === 'reader' && needs === 'write' ? 'FORBIDDEN' : 'allowed';
}

/**
 * What a request of the admin API needs. `identity`: a valid identity token; `user`: one of an active
 * user; `self`: the request lists only what is the caller's own.
 */
export type AdminNeed =
  | 'nothing'
  | 'identity'
  | 'user'
  | 'self'
  | 'member'
  | 'tenant admin'
  | 'tenant owner'
  | 'ledger admin';

/** Returns what a request of the admin API needs, by its definition. */
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
    case 'tenant:read':
      return 'member';
    case 'tenant:transfer':
      return 'tenant owner';
    case 'ledger:update':
    case 'ledger:delete':
    case 'ledger:share':
      return 'ledger admin';
    default:
      return 'tenant admin';
  }
}
