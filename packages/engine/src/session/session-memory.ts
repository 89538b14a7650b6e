/** Keeps a session on the device, for all pages of the application's origin. */
import type { SessionEnvironment } from '../ports/session-environment.ts';
import type { SessionDatabase, SessionUser } from './session-types.ts';

/** A session that is open on this device. */
export interface KeptSession {
  readonly refreshToken: string;
  /** The token that will replace `refreshToken`, once the server has confirmed it. */
  readonly next?: string;
  readonly user: SessionUser;
  /** The databases that the server listed last, so that they open offline. */
  readonly databases: readonly SessionDatabase[];
}

/** A sign-in that began on this device and waits for its code. */
export interface PendingSignIn {
  readonly verifier: string;
  readonly redirectUrl: string;
  readonly isPopup: boolean;
  readonly beganAtMs: number;
}

/** How the sign-in of another window ended. */
interface Outcome {
  readonly state: string;
  readonly error?: string;
}

/** Milliseconds after which a sign-in that nobody finished is dropped. */
const PENDING_MS = 3_600_000;

export interface SessionMemory {
  readonly keys: { readonly session: string; readonly outcome: string };
  session(): KeptSession | undefined;
  keepSession(session: KeptSession | undefined): void;
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
  const pendingKey = keyOf('sign-in');
  const pending = () => {
    const all = parsed<Record<string, PendingSignIn>>(read(pendingKey)) ?? {};
    return Object.entries(all).filter(([, { beganAtMs }]) => now() - beganAtMs < PENDING_MS);
  };
  const keepPending = (all: readonly (readonly [string, PendingSignIn])[]) =>
    write(pendingKey, all.length === 0 ? undefined : JSON.stringify(Object.fromEntries(all)));
  return {
    keys,
    session: () => parsed<KeptSession>(read(keys.session)),
    keepSession: (session) => write(keys.session, session && JSON.stringify(session)),
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
