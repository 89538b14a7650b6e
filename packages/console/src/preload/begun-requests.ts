/**
 * Requests the session while the page's scripts load, and on cloud pages also the user's token and
 * record. Each request needs the previous answer. If these requests started after the scripts, they
 * would take another half second on a slow connection. `cloud/begun-answers.ts` hands the answers
 * to the page. This file imports nothing, because the preload script must be one file.
 */

/** A request, and its answer. */
interface Begun {
  readonly body?: string;
  readonly response: Response;
}

export interface BegunRequests {
  /** When the first request was sent, on the page's own clock. */
  readonly atMs: number;
  /**
   * Requests by path. These promises never reject. If a promise resolves with undefined, the
   * request was not sent or failed, and the page sends it.
   */
  readonly byPath: Map<string, Promise<Begun | undefined>>;
}

declare global {
  interface Window {
    /** Set by the preload script. */
    begunRequests?: BegunRequests;
  }
}

const PROVIDER = '/.well-known/fixpoint.json';
const SESSION = '/auth/get-session';
const TOKEN = '/auth/token';
const ADMIN = '/api';

export interface OpenedPage {
  /** Whether the page is only for signed-in users. */
  readonly isOfCloud: boolean;
  /** The kind of the sign-in provider, if the server wrote it into the page. */
  readonly signIn?: string | undefined;
  readonly atMs: number;
}

/** Starts the requests. */
export function beginRequests(
  fetch: typeof globalThis.fetch,
  { isOfCloud, signIn, atMs }: OpenedPage,
): BegunRequests {
  const provider = ask(async () => ({ response: await fetch(PROVIDER) }));
  const session = ask(async () => {
    const kind = signIn ?? (await said<{ signIn?: { kind?: unknown } }>(await provider)).signIn?.kind;
    // Other providers have their own sessions, which their scripts read.
    const isOwn = kind === 'builtin' || kind === 'oidc';
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

/**
 * Returns the answer as JSON, without consuming the body that the page reads. Returns an empty
 * object for an error status.
 */
async function said<T extends object>(begun: Begun | undefined): Promise<Partial<T>> {
  if (begun?.response.ok !== true) return {};
  return ((await begun.response.clone().json()) as T | null) ?? {};
}
