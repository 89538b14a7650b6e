/**
 * Keeps the tokens with which databases of this browser sync with ledgers of other servers. The
 * user allowed this at the other server, on its hand-off page (spec §2), for one ledger and one
 * hour. A token is kept together with the endpoint that it is for, so a link that changes the
 * endpoint of a connection gets no documents.
 */
import { basePath } from '../ui/pages/base-path.ts';
import { ACCESS } from './agreed-endpoints.ts';
import { listedName } from './database-names.ts';

export interface Access {
  readonly endpoint: string;
  readonly token: string;
  /** The address of the user who was signed in here; null if nobody was. */
  readonly user: string | null;
  /** Whether the user wants to connect only to an end-to-end encrypted ledger. */
  readonly isSealed: boolean;
  /** When the token arrived, by the clock of this device. */
  readonly arrivedAtMs: number;
}

/**
 * An access as it is stored. Consoles below several paths of a host share the storage, but their
 * users with the same address may be different people.
 */
type Stored = Access & { readonly base: string };

const keyOf = (localName: string): string => ACCESS + listedName(localName);
/** The engine asks for a new token this long before the old one expires. */
const SPARE_MS = 120_000;

/** @throws the browser's error if it stores nothing */
export function keepAccess(
  localName: string,
  access: Omit<Access, 'arrivedAtMs'>,
  arrivedAtMs: number = Date.now(),
): void {
  const stored: Stored = { ...access, arrivedAtMs, base: basePath() };
  localStorage.setItem(keyOf(localName), JSON.stringify(stored));
}

/**
 * Returns the access that this user allowed for this connection. It may have ended since.
 * @param user the address of the signed-in user; null if nobody is signed in
 */
export function accessTo(localName: string, endpoint: string, user: string | null): Access | undefined {
  try {
    const known = JSON.parse(localStorage.getItem(keyOf(localName)) ?? '{}') as Partial<Stored>;
    const { token, arrivedAtMs } = known;
    if (known.endpoint !== endpoint || known.user !== user || known.base !== basePath()) return undefined;
    if (typeof token !== 'string' || typeof arrivedAtMs !== 'number') return undefined;
    return { endpoint, token, user, isSealed: known.isSealed === true, arrivedAtMs };
  } catch {
    return undefined;
  }
}

/**
 * Returns whether the access has ended, or ends so soon that the engine wants the next token.
 * Counts the lifetime of the token from its arrival, because the clock of this device may be wrong.
 */
export function hasEnded({ token, arrivedAtMs }: Access, nowMs: number = Date.now()): boolean {
  const { endsAtMs = 0, lifeMs } = tokenClaims(token) ?? {};
  return (lifeMs === undefined ? endsAtMs : arrivedAtMs + lifeMs) - SPARE_MS <= nowMs;
}

/**
 * Returns whether to extend the token now: half of its life is over, and the other server may
 * extend it. That server extends no token beyond an hour after the user agreed, and none that has
 * ended.
 */
export function isDue({ token, arrivedAtMs }: Access, nowMs: number = Date.now()): boolean {
  const { endsAtMs, lifeMs, untilMs } = tokenClaims(token) ?? {};
  if (lifeMs === undefined || endsAtMs === undefined || untilMs === undefined) return false;
  const ageMs = nowMs - arrivedAtMs;
  // The age is negative if somebody set the clock back.
  return endsAtMs < untilMs && (ageMs < 0 || (ageMs >= lifeMs / 2 && ageMs < lifeMs));
}

interface TokenClaims {
  readonly endsAtMs: number;
  /** Undefined if the token doesn't say when it was issued. */
  readonly lifeMs: number | undefined;
  /** Until when the other server extends it; undefined if the token doesn't say so. */
  readonly untilMs: number | undefined;
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
    const { exp, iat, until, selected } = JSON.parse(atob(body)) as {
      readonly exp?: unknown;
      readonly iat?: unknown;
      readonly until?: unknown;
      readonly selected?: { readonly tenant?: unknown; readonly ledger?: unknown };
    };
    const { tenant, ledger } = selected ?? {};
    if (typeof exp !== 'number' || typeof tenant !== 'string' || typeof ledger !== 'string') return undefined;
    // Both are times of the other server's clock, so their difference is right on any device.
    const lifeMs = typeof iat === 'number' ? (exp - iat) * 1000 : undefined;
    const untilMs = typeof until === 'number' ? until * 1000 : undefined;
    return { endsAtMs: exp * 1000, lifeMs, untilMs, tenantId: tenant, ledgerId: ledger };
  } catch {
    return undefined;
  }
}
