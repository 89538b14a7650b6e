import { createHash, randomBytes } from 'node:crypto';
import type { SessionEnvironment } from '../ports/session-environment.ts';
import { createSessionIn } from './create-session.ts';
import type { SessionEngine } from './opened-databases.ts';

export const BASE = 'https://cloud.example/fixpoint';
export const PAGE = 'https://app.example/notes';
export const USER = { userId: 'zAda', email: 'ada@example.com', name: 'Ada' };
const DATABASE = { tenantId: 'zT', ledgerId: 'zL', name: 'notes', right: 'write' };

type Json = Record<string, unknown>;

/** Returns a redirect URL with the answer of the sign-in page. */
export const answerAt = (redirectUrl: string, answer: Record<string, string>): string =>
  `${redirectUrl}#${new URLSearchParams(Object.entries(answer).map(([name, text]) => [`fixpoint_${name}`, text]))}`;

/** A cloud with one person and one session, which follows the rules of refresh tokens. */
export function fakeCloud() {
  const asked: Json[] = [];
  const codes = new Map<string, Json>();
  const subjects = new Map<string, string>();
  let current: string | undefined;
  let user = USER;
  let previous: string | undefined;
  let serial = 0;
  let answers: 'at once' | 'never' | 'after the work' | 'refused' | 'failing' | 'garbled' = 'at once';
  const open = () => {
    serial += 1;
    return { status: 'open', accessToken: `access-${serial}`, expiresInSec: 600, user };
  };
  const answer = (request: Json): Json => {
    const { type, code, verifier, refreshToken, next, redirectUrl } = request as Record<string, string>;
    switch (type) {
      case 'reqBeginApplicationSession': {
        const wanted = codes.get(String(code));
        codes.delete(String(code));
        const challenge = createHash('sha256').update(String(verifier)).digest('base64url');
        if (wanted?.['challenge'] !== challenge || wanted['redirectUrl'] !== redirectUrl)
          return { status: 'ended' };
        current = refreshToken;
        return open();
      }
      case 'reqRefreshApplicationSession': {
        const isRepeated = refreshToken === previous && next === current;
        if (current === undefined || (refreshToken !== current && !isRepeated)) {
          current = undefined;
          return { status: 'ended' };
        }
        if (!isRepeated) [previous, current] = [refreshToken, next];
        return open();
      }
      case 'reqExchangeApplicationToken': {
        const subject = subjects.get(String(request['token']));
        if (subject === undefined) return { type: 'error', code: 'NOT_SIGNED_IN' };
        current = refreshToken;
        user = { userId: `z${subject}`, email: '', name: subject };
        return open();
      }
      case 'reqEndApplicationSession':
        if (current?.split('.')[0] === refreshToken?.split('.')[0]) current = undefined;
        return { status: 'ended' };
      case 'reqListApplicationDatabases':
        return { databases: [DATABASE] };
      default:
        return { token: `cloud-${request['accessToken']}` };
    }
  };
  return {
    asked,
    types: () => asked.map(({ type }) => type),
    /** Returns a token of the application's issuer. */
    tokenOf: (subject: string): string => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const token = `${part({ alg: 'ES256' })}.${part({ sub: subject, at: subjects.size })}.sign`;
      subjects.set(token, subject);
      return token;
    },
    /** Ends the session at the server, as its deletion does. */
    end: () => {
      current = undefined;
    },
    /** From now on, signs in this person. */
    become: (next: typeof USER) => {
      user = next;
    },
    set: (next: typeof answers) => {
      answers = next;
    },
    /** Signs the person in at this address. Returns the address that the page then leads to. */
    agree: (address: string): string => {
      const { searchParams } = new URL(address);
      const redirectUrl = String(searchParams.get('redirect_url'));
      const code = randomBytes(32).toString('base64url');
      codes.set(code, { challenge: searchParams.get('challenge'), redirectUrl });
      return answerAt(redirectUrl, { code, state: String(searchParams.get('state')) });
    },
    post: async (url: string, body: object) => {
      asked.push({ url, ...body });
      if (answers === 'never') throw new Error('offline');
      if (answers === 'refused') return { status: 400, body: { code: 'REQUEST_INVALID' } };
      if (answers === 'failing') return { status: 503, body: { code: 'REQUEST_INVALID' } };
      if (answers === 'garbled') return { status: 200, body: undefined };
      const { accessToken } = body as Json;
      const isStale = accessToken !== undefined && (current === undefined || serial === 0);
      const given = isStale ? { type: 'error', code: 'NOT_SIGNED_IN', message: 'x' } : answer(body as Json);
      if (answers === 'after the work') throw new Error('the answer is lost');
      return { status: given['type'] === 'error' ? 401 : 200, body: given };
    },
  };
}

/** A browser with pages of one origin. */
export function fakeBrowser(cloud: Pick<ReturnType<typeof fakeCloud>, 'post'>, hasLocks = true) {
  const stored = new Map<string, string>();
  const hearing = new Map<object, (key: string) => void>();
  const clock = { ms: 1_000_000, timers: [] as (() => void)[] };
  const popups = { isBlocked: false, isClosed: false };
  let queue: Promise<unknown> = Promise.resolve();
  /** A test can delay `attach`, which gets the options of the remote. */
  const attaching = { with: async (_options: { readonly token?: unknown }): Promise<void> => undefined };
  const attach = async (options: never, attached: object) => {
    await attaching.with(options);
    return attached;
  };
  const engine = { opened: [] as string[], detached: 0, tokens: [] as (() => Promise<string>)[] };
  const loadEngine = async (): Promise<SessionEngine> => ({
    toCloud: (options) => {
      if (typeof options.token === 'function') engine.tokens.push(options.token);
      return options as never;
    },
    fixpoint: (name) => {
      engine.opened.push(name);
      const detach = async () => {
        engine.detached += 1;
      };
      return { attach: (remote: never) => attach(remote, { detach }) };
    },
  });
  const page = (address = PAGE, token?: () => Promise<string | undefined>) => {
    const seen = { addresses: [address], left: [] as string[], popups: [] as string[], isClosed: false };
    const environment: SessionEnvironment = {
      address: () => seen.addresses.at(-1) ?? '',
      replaceAddress: (url) => void seen.addresses.push(url),
      leaveTo: (url) => void seen.left.push(url),
      openWindow: () => {
        if (popups.isBlocked) return undefined;
        const leadTo = (url: string) => !popups.isClosed && seen.popups.push(url) > 0;
        return { leadTo, close: () => undefined };
      },
      closeWindow: () => {
        seen.isClosed = true;
      },
      read: (key) => stored.get(key),
      write: (key, text) => {
        if (text === undefined) stored.delete(key);
        else stored.set(key, text);
        for (const [other, listener] of hearing) if (other !== environment) listener(key);
      },
      onWritten: (listener) => {
        hearing.set(environment, listener);
        return () => void hearing.delete(environment);
      },
      alone: (_, work) => {
        if (!hasLocks) return work();
        const done = queue.then(work, work);
        queue = done.catch(() => undefined);
        return done;
      },
      secret: (bytes) => randomBytes(bytes).toString('base64url'),
      hash: async (text) => createHash('sha256').update(text).digest('base64url'),
      now: () => clock.ms,
      after: (_, work) => void clock.timers.push(work),
      post: cloud.post,
    };
    const options = { base: BASE, app: 'zApp', ...(token && { token }) };
    const session = createSessionIn(environment, loadEngine, options);
    return { session, seen };
  };
  return { page, stored, clock, popups, engine, attaching };
}

/** Signs in by a redirect, and returns the page to which the browser returned. */
export async function signedInPage(
  cloud: ReturnType<typeof fakeCloud>,
  browser: ReturnType<typeof fakeBrowser>,
) {
  const before = browser.page();
  await before.session.ready();
  void before.session.signIn();
  while (before.seen.left.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const returned = browser.page(cloud.agree(String(before.seen.left[0])));
  await returned.session.ready();
  return { ...returned, before };
}
