/**
 * Keeps the cloud's last answers for the signed-in user in this browser until they sign out, so
 * cloud pages show known data while the server is unreachable. Stores no token. Pages don't use the
 * stored answers while the server responds.
 */
import type { QueryClient } from '@tanstack/react-query';
import { LEDGERS_KEY, SESSION_KEY, TENANTS_KEY, USER_KEY } from '../app.ts';
import type { SessionUser } from '../identity/session-port.ts';

const STORED_AS = 'lastKnown';
const KINDS: ReadonlySet<unknown> = new Set([SESSION_KEY[0], USER_KEY[0], TENANTS_KEY[0], LEDGERS_KEY[0]]);
/**
 * A past time, so that restored answers are stale. Not 0, which would mean that there is no answer.
 */
const LONG_AGO = 1;
const SESSION = JSON.stringify(SESSION_KEY);

/** Answers by query key, which is stored as JSON. */
type Known = Record<string, unknown>;

/** Saves each answer about the session, the user, the tenants and the ledgers from now on. */
export function keepLastKnown(queries: QueryClient): void {
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success') return;
    const { queryKey, state } = event.query;
    if (!KINDS.has(queryKey[0])) return;
    const key = JSON.stringify(queryKey);
    const before = read();
    if (key === SESSION && state.data === null) write(undefined);
    else write({ ...(isOther(before, key, state.data) ? {} : before), [key]: state.data });
  });
}

/** Returns whether the signed-in user differs from the one whose answers are kept. */
function isOther(before: Known, key: string, data: unknown): boolean {
  const emailOf = (user: unknown) => (user as SessionUser | null | undefined)?.email;
  return key === SESSION && emailOf(before[SESSION]) !== emailOf(data);
}

/**
 * Restores stored answers as stale data for queries without data. Returns the user who was signed
 * in.
 */
export function restoreLastKnown(queries: QueryClient): SessionUser | undefined {
  for (const [key, data] of Object.entries(read())) {
    const queryKey = JSON.parse(key) as readonly unknown[];
    if (queries.getQueryData(queryKey) === undefined)
      queries.setQueryData(queryKey, data, { updatedAt: LONG_AGO });
  }
  return queries.getQueryData<SessionUser | null>(SESSION_KEY) ?? undefined;
}

/** Returns the stored answer to a query, for a page that reserves its space. */
export const lastKnown = <T>(queryKey: readonly unknown[]): T | undefined =>
  read()[JSON.stringify(queryKey)] as T | undefined;

function read(): Known {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '{}') as Known;
  } catch {
    return {};
  }
}

function write(known: Known | undefined): void {
  try {
    if (known === undefined) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, JSON.stringify(known));
  } catch {
    // Without storage, cloud pages need their server.
  }
}
