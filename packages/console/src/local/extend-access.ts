/**
 * Extends access to ledgers of other servers while a page of the console is open. The token lives
 * ten minutes, and its server extends it for an hour after the user agreed.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { extendToken } from '../engine/page-engine.ts';
import type { Connection } from './connections.ts';
import { type Access, accessTo, isDue, keepAccess, tokenClaims } from './elsewhere-access.ts';
import { ledgerIn } from './endpoint.ts';

type Extended = Pick<Connection, 'localName' | 'endpoint'>;

/**
 * Returns the access that this user allowed for a connection. Extends it first if that is due:
 * only at the server that issued the token, and only to a token for the same ledger. After a
 * failure, the next call tries again.
 */
export async function extendedAccess(
  { localName, endpoint }: Extended,
  user: string | null,
  extend: (server: string, token: string) => Promise<string> = extendToken,
): Promise<Access | undefined> {
  const known = () => accessTo(localName, endpoint, user);
  const keep = (next: Omit<Access, 'arrivedAtMs'>, arrivedAtMs?: number) => {
    try {
      keepAccess(localName, next, arrivedAtMs);
    } catch {
      // Storage is full. The known token still counts for the rest of its life.
    }
  };
  const access = known();
  const ledger = ledgerIn(endpoint);
  if (access === undefined || ledger === undefined || !isDue(access)) return access;
  let token: string | undefined;
  try {
    token = await extend(ledger.server, access.token);
  } catch (cause) {
    // Asks no more. A clock that was set back would make an ended token due again and again.
    if (isFixpointError(cause, 'NOT_SIGNED_IN') && known()?.token === access.token) keep(access, ENDED);
  }
  const claims = token === undefined ? undefined : tokenClaims(token);
  if (token === undefined || claims?.tenantId !== ledger.tenantId || claims.ledgerId !== ledger.ledgerId)
    return known();
  // The user may have disconnected the database, signed out, or extended the access in another tab.
  if (known()?.token === access.token) keep({ ...access, token });
  return known();
}

/** The token of an access that arrived then has ended by now. */
const ENDED = 0;
