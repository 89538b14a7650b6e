/**
 * Asks who is signed in while the scripts of the page are on their way, and on pages of the cloud also for his token and his user. Each needs the answer before it:
 * begun when the scripts have run, they take another half second on a slow line. `cloud/begun-requests.ts` gives the answers to the page.
 */

/** A request that was made, and what it was answered. */
export interface Begun {
  readonly body?: string;
  readonly response: Response;
}

export interface BegunRequests {
  /** When the first was made, on the page's own clock. */
  readonly atMs: number;
  /** By path. None of them fails: undefined stands for one that was not made or not answered, which the page makes itself then. */
  readonly byPath: Map<string, Promise<Begun | undefined>>;
}

declare global {
  interface Window {
    /** Left by the script that asks ahead. */
    begunRequests?: BegunRequests;
  }
}

const PROVIDER = '/.well-known/fixpoint.json';
const SESSION = '/auth/get-session';
const TOKEN = '/auth/token';
const ADMIN = '/api';

/** @param isOfCloud whether the page is one that only signed-in users see */
export function beginRequests(
  fetch: typeof globalThis.fetch,
  { isOfCloud, atMs }: { readonly isOfCloud: boolean; readonly atMs: number },
): BegunRequests {
  const provider = ask(async () => ({ response: await fetch(PROVIDER) }));
  const session = ask(async () => {
    const { signIn } = await said<{ signIn?: { kind?: unknown } }>(await provider);
    // Other providers have sessions of their own, which their scripts know.
    const isOwn = signIn?.kind === 'builtin' || signIn?.kind === 'oidc';
    return isOwn ? { response: await fetch(SESSION) } : undefined;
  });
  const token = ask(async () => {
    const somebody = isOfCloud && 'user' in (await said(await session));
    return somebody ? { response: await fetch(TOKEN) } : undefined;
  });
  const user = ask(async () => {
    const given = await said<{ token?: unknown }>(await token);
    if (given.token === undefined) return undefined;
    const auth = { type: 'fixpoint', token: given.token };
    const body = JSON.stringify({ type: 'reqEnsureUser', auth });
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    return { body, response: await fetch(ADMIN, { method: 'PUT', headers, credentials: 'omit', body }) };
  });
  const byPath = new Map([
    [PROVIDER, provider],
    [SESSION, session],
    [TOKEN, token],
    [ADMIN, user],
  ]);
  return { atMs, byPath };
}

const ask = (make: () => Promise<Begun | undefined>): Promise<Begun | undefined> =>
  make().catch(() => undefined);

/** The answer as JSON, which stays to be read by the page; nothing of one that refuses. */
async function said<T extends object>(begun: Begun | undefined): Promise<Partial<T>> {
  if (begun?.response.ok !== true) return {};
  return ((await begun.response.clone().json()) as T | null) ?? {};
}
