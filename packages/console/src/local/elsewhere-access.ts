/**
 * Keeps the tokens with which databases of this browser sync with ledgers of other servers. The
 * user allowed this at the other server, on its hand-off page (spec §2), for one ledger and one
 * hour. A token is kept together with the endpoint that it is for, so a link that changes the
 * endpoint of a connection gets no documents.
 */
import { ACCESS } from './agreed-endpoints.ts';
import { listedName } from './database-names.ts';

export interface Access {
  readonly endpoint: string;
  readonly token: string;
  /** The address of the user who was signed in here; null if nobody was. */
  readonly user: string | null;
  /** Whether the user wants to connect only to an end-to-end encrypted ledger. */
  readonly isSealed: boolean;
}

const keyOf = (localName: string): string => ACCESS + listedName(localName);
/** The engine asks for a new token this long before the old one expires. */
const SPARE_MS = 120_000;

/** @throws the browser's error if it stores nothing */
export const keepAccess = (localName: string, access: Access): void =>
  localStorage.setItem(keyOf(localName), JSON.stringify(access));

/**
 * Returns the access that this user allowed for this connection. It may have ended since.
 * @param user the address of the signed-in user; null if nobody is signed in
 */
export function accessTo(localName: string, endpoint: string, user: string | null): Access | undefined {
  try {
    const known = JSON.parse(localStorage.getItem(keyOf(localName)) ?? '{}') as Partial<Access>;
    if (known.endpoint !== endpoint || known.user !== user || typeof known.token !== 'string')
      return undefined;
    return { endpoint, token: known.token, user, isSealed: known.isSealed === true };
  } catch {
    return undefined;
  }
}

export const hasEnded = ({ token }: Access, nowMs: number = Date.now()): boolean =>
  (tokenClaims(token)?.endsAtMs ?? 0) - SPARE_MS <= nowMs;

interface TokenClaims {
  readonly endsAtMs: number;
  readonly tenantId: string;
  readonly ledgerId: string;
}

/**
 * Reads which ledger a token opens, and until when. Only the other server can verify the token.
 * Returns undefined for a text that isn't a token for one ledger.
 */
export function tokenClaims(token: string): TokenClaims | undefined {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp, selected } = JSON.parse(atob(body)) as {
      readonly exp?: unknown;
      readonly selected?: { readonly tenant?: unknown; readonly ledger?: unknown };
    };
    const { tenant, ledger } = selected ?? {};
    if (typeof exp !== 'number' || typeof tenant !== 'string' || typeof ledger !== 'string') return undefined;
    return { endsAtMs: exp * 1000, tenantId: tenant, ledgerId: ledger };
  } catch {
    return undefined;
  }
}
