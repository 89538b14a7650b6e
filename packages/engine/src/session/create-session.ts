import { FixpointError, urlOf } from '@fixpoint/protocol';
import type { SessionEnvironment } from '../ports/session-environment.ts';
import { type AccessToken, accessTokenOf } from './access-token.ts';
import { type EndedSessions, endedSessions } from './ended-sessions.ts';
import { type OpenedDatabases, openedDatabases, type SessionEngine } from './opened-databases.ts';
import { type PopupOutcomes, popupOutcomes, SignInWindowError } from './popup-outcomes.ts';
import { type Ask, askerOf } from './session-calls.ts';
import { PENDING_MS, type SessionMemory, sessionMemory } from './session-memory.ts';
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
}

/**
 * Creates a session in an environment.
 * @throws FixpointError CONFIG_INVALID
 */
export function createSessionIn(
  environment: SessionEnvironment,
  loadEngine: () => Promise<SessionEngine>,
  { base: address, app, redirectUrl = pageUrl(environment.address()) }: SessionOptions,
): Session {
  const base = baseOf(address);
  if (typeof app !== 'string' || app === '') throw new FixpointError('CONFIG_INVALID', 'app is empty');
  const memory = sessionMemory(environment, base, app);
  const ask = askerOf(environment, base, app);
  const standing = createStanding();
  const access = accessTokenOf(environment, memory, ask, () => void signOutHere(parts));
  const databases = openedDatabases({ base, memory, ask, access, loadEngine });
  const outcomes = popupOutcomes(memory);
  const ended = endedSessions(environment, memory, ask);
  const parts: Parts = { environment, memory, ask, access, ended, databases, outcomes, standing };
  environment.onWritten((key) => {
    if (key === memory.keys.session || key === '') restore(parts);
    if (key !== memory.keys.outcome) return;
    restore(parts);
    outcomes.settle();
    // The window that signed the person in may have closed before it could do this.
    void ended.send();
  });
  const started = start(parts);
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
    signIn: (options) => signIn(parts, { base, app, redirectUrl }, options),
    signOut: () => signOut(parts),
    databases: async () => {
      await started;
      userOrThrow();
      return databases.list();
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

/** Ends the session on this device. */
async function signOutHere({ memory, access, databases, standing }: Parts): Promise<void> {
  memory.keepSession(undefined);
  access.forget();
  standing.become({ status: 'signed-out' });
  await databases.detachAll();
}

async function signOut(parts: Parts): Promise<void> {
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
