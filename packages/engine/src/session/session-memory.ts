/** Keeps a session on the device, for all pages of the application's origin. */
import type { SessionEnvironment } from '../ports/session-environment.ts';
import type { SessionDatabase, SessionUser } from './session-types.ts';

/** A session that is open on this device. */
export interface KeptSession {
  readonly refreshToken: string;
  /** The token that will replace `refreshToken`, once the server has confirmed it. */
  readonly next?: string;
  readonly user: SessionUser;
  /** Issuer and subject of the application's own token that began the session. */
  readonly person?: string;
}

/** A sign-in that began on this device and waits for its code. */
export interface PendingSignIn {
  readonly verifier: string;
  readonly redirectUrl: string;
  readonly isPopup: boolean;
  readonly beganAtMs: number;
}

interface Listed {
  readonly userId: string;
  readonly databases: readonly SessionDatabase[];
}

/** How the sign-in of another window ended. */
interface Outcome {
  readonly state: string;
  readonly error?: string;
}

/** Milliseconds after which a sign-in that nobody finished is dropped. */
export const PENDING_MS = 3_600_000;
/** Sessions that the device still has to end at the server. The server ends older ones itself. */
const UNENDED_MAX = 20;
/** Databases of a device belong to its origin, so all applications of the origin share this key. */
const OWNERS_KEY = 'fixpoint database owners';

export interface SessionMemory {
  readonly keys: { readonly session: string; readonly outcome: string };
  session(): KeptSession | undefined;
  /** Stores a session; undefined also removes the list of databases. */
  keepSession(session: KeptSession | undefined): void;
  /** The databases that the server listed last for this user, so that they open offline. */
  databases(userId: string): readonly SessionDatabase[];
  keepDatabases(userId: string, databases: readonly SessionDatabase[]): void;
  /** Tokens of sessions that have ended on this device, and maybe not at the server. */
  unended(): readonly string[];
  keepUnended(tokens: readonly string[]): void;
  /** Returns whether another person last used this database of the device. */
  isOfAnother(name: string, userId: string): boolean;
  keepOwner(name: string, userId: string): void;
  /** Adds a sign-in. Several can be pending, in several tabs. */
  addPending(state: string, pending: PendingSignIn): void;
  /** Returns and removes the sign-in with this state; undefined for one of somebody else. */
  takePending(state: string): PendingSignIn | undefined;
  outcome(): Outcome | undefined;
  keepOutcome(outcome: Outcome): void;
}

export function sessionMemory(
  { read, write, now }: Pick<SessionEnvironment, 'read' | 'write' | 'now'>,
  base: string,
  app: string,
): SessionMemory {
  const keyOf = (subject: string) => `fixpoint ${subject} ${base} ${app}`;
  const keys = { session: keyOf('session'), outcome: keyOf('sign-in outcome') };
  const [pendingKey, databasesKey, unendedKey] = [
    keyOf('sign-in'),
    keyOf('databases'),
    keyOf('sessions to end'),
  ];
  const ownerText = (userId: string) => `${base} ${userId}`;
  const owners = () => new Map(parsed<[string, string][]>(read(OWNERS_KEY)) ?? []);
  const pending = () => {
    const all = parsed<Record<string, PendingSignIn>>(read(pendingKey)) ?? {};
    return Object.entries(all).filter(([, { beganAtMs }]) => now() - beganAtMs < PENDING_MS);
  };
  const keepPending = (all: readonly (readonly [string, PendingSignIn])[]) =>
    write(pendingKey, all.length === 0 ? undefined : JSON.stringify(Object.fromEntries(all)));
  return {
    keys,
    session: () => parsed<KeptSession>(read(keys.session)),
    keepSession: (session) => {
      if (session === undefined) write(databasesKey, undefined);
      write(keys.session, session && JSON.stringify(session));
    },
    databases: (userId) => {
      const listed = parsed<Listed>(read(databasesKey));
      return listed?.userId === userId ? listed.databases : [];
    },
    keepDatabases: (userId, databases) => write(databasesKey, JSON.stringify({ userId, databases })),
    unended: () => parsed<string[]>(read(unendedKey)) ?? [],
    keepUnended: (tokens) =>
      write(unendedKey, tokens.length === 0 ? undefined : JSON.stringify(tokens.slice(-UNENDED_MAX))),
    isOfAnother: (name, userId) => (owners().get(name) ?? ownerText(userId)) !== ownerText(userId),
    keepOwner: (name, userId) =>
      write(OWNERS_KEY, JSON.stringify([...owners().set(name, ownerText(userId))])),
    addPending: (state, one) => keepPending([...pending(), [state, one]]),
    takePending: (state) => {
      const all = pending();
      const [, found] = all.find(([name]) => name === state) ?? [];
      if (found !== undefined) keepPending(all.filter(([name]) => name !== state));
      return found;
    },
    outcome: () => parsed<Outcome>(read(keys.outcome)),
    keepOutcome: (outcome) => write(keys.outcome, JSON.stringify(outcome)),
  };
}

/** Returns undefined for text that isn't an object: only this file writes under these keys. */
function parsed<T>(text: string | undefined): T | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
