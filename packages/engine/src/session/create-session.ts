import { FixpointError, urlOf } from '@fixpoint/protocol';
import type { SessionEnvironment } from '../ports/session-environment.ts';
import { type AccessToken, accessTokenOf } from './access-token.ts';
import { type EndedSessions, endedSessions } from './ended-sessions.ts';
import { type OpenedDatabases, openedDatabases, type SessionEngine } from './opened-databases.ts';
import { type BegunSession, exchangeToken, personOf, type ReadToken, tokenFrom } from './own-token.ts';
import { type PopupOutcomes, popupOutcomes, SignInWindowError } from './popup-outcomes.ts';
import { type Ask, askerOf } from './session-calls.ts';
import { type KeptSession, PENDING_MS, type SessionMemory, sessionMemory } from './session-memory.ts';
import type {
  Session,
  SessionOpenOptions,
  SessionOptions,
  SessionState,
  SignInOptions,
} from './session-types.ts';
import { beginSignIn, finishSignIn, pageUrl, takeReturned } from './sign-in.ts';

interface Parts {
  readonly environment: SessionEnvironment;
  readonly memory: SessionMemory;
  readonly ask: Ask;
  readonly access: AccessToken;
  readonly ended: EndedSessions;
  readonly databases: OpenedDatabases;
  readonly outcomes: PopupOutcomes;
  readonly standing: Standing;
  /** Undefined if the cloud signs people in. */
  readonly readToken: ReadToken | undefined;
  /** Counts the calls of `signOut`. */
  readonly signOuts: { count: number };
}

/**
 * Creates a session in an environment.
 * @throws FixpointError CONFIG_INVALID
 */
export function createSessionIn(
  environment: SessionEnvironment,
  loadEngine: () => Promise<SessionEngine>,
  { base: address, app, redirectUrl = pageUrl(environment.address()), token: readToken }: SessionOptions,
): Session {
  const base = baseOf(address);
  if (typeof app !== 'string' || app === '') throw new FixpointError('CONFIG_INVALID', 'app is empty');
  const memory = sessionMemory(environment, base, app);
  const ask = askerOf(environment, base, app);
  const standing = createStanding();
  const access = accessTokenOf(
    environment,
    memory,
    ask,
    () => void signOutHere(parts),
    (kept) => renew(parts, kept),
  );
  const databases = openedDatabases({ base, memory, ask, access, loadEngine });
  const outcomes = popupOutcomes(memory);
  const ended = endedSessions(environment, memory, ask);
  const parts: Parts = {
    environment,
    memory,
    ask,
    access,
    ended,
    databases,
    outcomes,
    standing,
    readToken,
    signOuts: { count: 0 },
  };
  environment.onWritten((key) => {
    if (key === memory.keys.session || key === '') restore(parts);
    if (key !== memory.keys.outcome) return;
    restore(parts);
    outcomes.settle();
    // The window that signed the person in may have closed before it could do this.
    void ended.send();
  });
  const started = readToken === undefined ? start(parts) : startOwn(parts, readToken);
  const userOrThrow = () => {
    const { user } = standing.state();
    if (user === undefined) throw new FixpointError('NOT_SIGNED_IN');
    return user;
  };
  const open = async (ledgerId: string, options: SessionOpenOptions = {}) => {
    await started;
    const { userId } = userOrThrow();
    return databases.open(ledgerId, options.name ?? `${userId}-${ledgerId}`, { ...options, userId });
  };
  return {
    get user() {
      return standing.state().user;
    },
    state: standing.state,
    onChange: standing.onChange,
    ready: () => started,
    signIn: (options) =>
      readToken === undefined
        ? signIn(parts, { base, app, redirectUrl }, options)
        : signInOwn(parts, readToken, started),
    signOut: () => signOut(parts),
    databases: async () => {
      await started;
      return databases.list(userOrThrow().userId);
    },
    // The types of collections exist only for the compiler.
    open: open as Session['open'],
  };
}

/** The state of a session, and its listeners. */
interface Standing extends Pick<Session, 'state' | 'onChange'> {
  become(next: SessionState): void;
}

function createStanding(): Standing {
  const listeners = new Set<() => void>();
  let state: SessionState = { status: 'starting' };
  return {
    state: () => state,
    onChange: (listener) => {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    become: (next) => {
      state = next;
      for (const listener of [...listeners]) listener();
    },
  };
}

/** Shows what the device remembers: another page may have signed in, out, or as somebody else. */
function restore({ memory, access, databases, standing }: Parts): void {
  const before = standing.state();
  const user = memory.session()?.user;
  if (before.status !== 'starting' && user?.userId === before.user?.userId) return;
  access.forget();
  if (before.user !== undefined) void databases.detachAll();
  standing.become(user === undefined ? { status: 'signed-out' } : { status: 'signed-in', user });
}

/** Finishes the sign-in that led to this page, or restores the session of the device. */
async function start(parts: Parts): Promise<void> {
  const { environment, memory, ask, access, ended, standing } = parts;
  const returned = takeReturned(environment, memory);
  if (returned === undefined) {
    void ended.send();
    return restore(parts);
  }
  const { state, pending } = returned;
  try {
    const { kept, answer } = await finishSignIn(environment, ask, returned);
    const replaced = memory.session();
    if (replaced !== undefined) ended.add(replaced.refreshToken);
    memory.keepSession(kept);
    void ended.send();
    access.take(answer);
    standing.become({ status: 'signed-in', user: kept.user });
    if (pending.isPopup) memory.keepOutcome({ state });
  } catch (cause) {
    const error = asFixpointError(cause);
    const user = memory.session()?.user;
    standing.become(
      user === undefined ? { status: 'signed-out', error } : { status: 'signed-in', user, error },
    );
    if (pending.isPopup) memory.keepOutcome({ state, error: error.code });
  }
  if (pending.isPopup) environment.closeWindow();
}

async function signIn(
  { environment, memory, outcomes }: Parts,
  target: { readonly base: string; readonly app: string; readonly redirectUrl: string },
  { popup = false }: SignInOptions = {},
): Promise<void> {
  // Opened first, because browsers block windows that open after the click was handled.
  const popped = popup ? environment.openWindow() : undefined;
  if (popup && popped === undefined) throw new SignInWindowError('blocked');
  outcomes.giveUp('replaced');
  const { state, url } = await beginSignIn(environment, memory, target, popup).catch((cause) => {
    popped?.close();
    throw cause;
  });
  const outcome = outcomes.of(state);
  if (popped === undefined) environment.leaveTo(url);
  else if (popped.leadTo(url)) environment.after(PENDING_MS, () => outcomes.giveUp('expired', state));
  else outcomes.giveUp('closed', state);
  await outcome;
}

/**
 * Restores the session of the device if it belongs to the person who is signed in to the
 * application; otherwise begins theirs. Without a connection, the session of the device stays.
 */
async function startOwn(parts: Parts, readToken: ReadToken): Promise<void> {
  const { environment, memory, ended, standing, signOuts } = parts;
  const { count } = signOuts;
  void ended.send();
  try {
    const token = await tokenFrom(environment, readToken);
    await leaveOther(parts, token);
    if (token === undefined) return standing.become({ status: 'signed-out' });
    await beginOwn(parts, token, count);
  } catch (cause) {
    const user = memory.session()?.user;
    const error = asFixpointError(cause);
    standing.become(
      user === undefined ? { status: 'signed-out', error } : { status: 'signed-in', user, error },
    );
  }
}

/** @throws FixpointError NOT_SIGNED_IN, FETCH */
async function signInOwn(parts: Parts, readToken: ReadToken, started: Promise<void>): Promise<void> {
  const { count } = parts.signOuts;
  await started;
  const token = await tokenFrom(parts.environment, readToken);
  await leaveOther(parts, token);
  if (token === undefined) throw new FixpointError('NOT_SIGNED_IN', 'the application has no token');
  await beginOwn(parts, token, count);
}

const isOf = (kept: KeptSession | undefined, token: string | undefined): boolean =>
  kept?.person !== undefined && token !== undefined && kept.person === personOf(token);

/** Ends the session of the device unless it belongs to the person of the token. */
async function leaveOther(parts: Parts, token: string | undefined): Promise<void> {
  const kept = parts.memory.session();
  if (kept === undefined || isOf(kept, token)) return;
  parts.ended.add(kept.refreshToken);
  await signOutHere(parts);
  void parts.ended.send();
}

/**
 * Begins the session of a token, or takes the one that another tab has begun for the same person.
 * Only the exchange has the lock of all tabs: databases that are opening need it for their tokens.
 * @param signOutsBefore number of calls of `signOut` before this sign-in began
 */
async function beginOwn(parts: Parts, token: string, signOutsBefore: number): Promise<void> {
  const { environment, memory, ask, access, ended, signOuts } = parts;
  await environment.alone(memory.keys.session, async () => {
    if (isOf(memory.session(), token) || signOuts.count !== signOutsBefore) return;
    const { kept, answer } = await exchangeToken(environment, ask, token);
    // The person may have signed out while the request ran.
    if (signOuts.count !== signOutsBefore) return ended.add(kept.refreshToken);
    memory.keepSession(kept);
    access.take(answer);
  });
  void ended.send();
  show(parts);
}

/** Shows the session of the device, without an error of an earlier sign-in. */
function show({ memory, standing }: Parts): void {
  const user = memory.session()?.user;
  standing.become(user === undefined ? { status: 'signed-out' } : { status: 'signed-in', user });
}

/**
 * Begins a new session of the same person, because sessions of own tokens end with the token.
 * @throws FixpointError FETCH
 */
async function renew(
  { environment, ask, ended, readToken }: Parts,
  kept: KeptSession,
): Promise<BegunSession | undefined> {
  const token = readToken && (await tokenFrom(environment, readToken));
  // If somebody else signed in to the application, the page must first let go of the databases.
  if (token === undefined || !isOf(kept, token)) return undefined;
  try {
    const begun = await exchangeToken(environment, ask, token);
    if (begun.kept.user.userId === kept.user.userId) return begun;
    ended.add(begun.kept.refreshToken);
    void ended.send();
    return undefined;
  } catch (cause) {
    if (cause instanceof FixpointError && cause.code !== 'FETCH') return undefined;
    throw cause;
  }
}

/** Ends the session on this device. */
async function signOutHere({ memory, access, databases, standing }: Parts): Promise<void> {
  memory.keepSession(undefined);
  access.forget();
  standing.become({ status: 'signed-out' });
  await databases.detachAll();
}

async function signOut(parts: Parts): Promise<void> {
  parts.signOuts.count += 1;
  const kept = parts.memory.session();
  if (kept !== undefined) parts.ended.add(kept.refreshToken);
  await signOutHere(parts);
  await parts.ended.send();
}

/** @throws FixpointError CONFIG_INVALID */
function baseOf(text: string): string {
  const url = typeof text === 'string' ? urlOf(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new FixpointError('CONFIG_INVALID', 'base is not an http or https address');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

const asFixpointError = (cause: unknown): FixpointError =>
  cause instanceof FixpointError ? cause : new FixpointError('FETCH', String(cause), { cause });
