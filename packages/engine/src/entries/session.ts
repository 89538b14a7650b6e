/** `fixpoint/session`: signs people in to an application in a browser. */
import { FixpointError } from '@fixpoint/protocol';
import { browserSessionEnvironment } from '../platform/browser/session-environment.ts';
import { createSessionIn } from '../session/create-session.ts';
import type { Session, SessionOptions, SessionState } from '../session/session-types.ts';

export { SignInWindowError } from '../session/popup-outcomes.ts';
export type {
  Session,
  SessionDatabase,
  SessionOpened,
  SessionOpenOptions,
  SessionOptions,
  SessionState,
  SessionUser,
  SignInOptions,
} from '../session/session-types.ts';

/**
 * Creates the session of a registered application. Create it once, when the page loads: it takes
 * the code of a sign-in from the address of the page. On a server, the session stays signed out.
 * @throws FixpointError CONFIG_INVALID
 */
export function createSession(options: SessionOptions): Session {
  const environment = browserSessionEnvironment();
  if (environment === undefined) return absentSession();
  return createSessionIn(environment, () => import('./index.ts'), options);
}

const STARTING: SessionState = { status: 'starting' };

/** Returns a session for servers, which render pages before anybody knows who visits them. */
function absentSession(): Session {
  const refuse = () => Promise.reject(new FixpointError('NOT_SIGNED_IN', 'there is no browser'));
  return {
    user: undefined,
    state: () => STARTING,
    onChange: () => () => undefined,
    ready: () => Promise.resolve(),
    signIn: refuse,
    signOut: () => Promise.resolve(),
    databases: refuse,
    open: refuse,
  };
}
