/** Creates the session with the adapter for the identity provider that the server names. */
import { failureText } from '../../ui/text/failure-text.ts';
import { builtInSession } from './built-in-session.ts';
import { type ProviderConfig, readProvider } from './read-provider.ts';
import type { Attempt, Session, SessionParts } from './session-port.ts';

/**
 * Creates the session. The session asks the server once for the provider; after a failure, the next
 * call asks again.
 */
export function createSession(parts: SessionParts): Session {
  let asked: Promise<Session> | undefined;
  const provider = (): Promise<Session> => {
    asked ??= readProvider(parts.fetch)
      .then((config) => adapterFor(config, parts))
      .catch((cause) => {
        asked = undefined;
        throw cause;
      });
    return asked;
  };
  const attempt = (run: (session: Session) => Promise<Attempt>) =>
    provider()
      .then(run)
      .catch((cause): Attempt => ({ is: 'refused', why: failureText(cause) }));
  const done = (run: (session: Session) => Promise<string | undefined>) =>
    provider().then(run).catch(failureText);
  // Every page that shows the user needs the provider, so the request starts while the page loads.
  provider().catch(() => undefined);
  return {
    user: async () => (await provider()).user(),
    auth: async () => (await provider()).auth(),
    forgetToken: () => void asked?.then((session) => session.forgetToken()).catch(() => undefined),
    ways: async () => (await provider()).ways(),
    account: async () => (await provider()).account(),
    signIn: (email, password) => attempt((session) => session.signIn(email, password)),
    signUp: (given) => attempt((session) => session.signUp(given)),
    signInByCode: (code) => attempt((session) => session.signInByCode(code)),
    signInByPasskey: () => attempt((session) => session.signInByPasskey()),
    signInElsewhere: (backTo, choice) => attempt((session) => session.signInElsewhere(backTo, choice)),
    mailLink: (kind, email, backTo) => done((session) => session.mailLink(kind, email, backTo)),
    choosePassword: (secret, password) => done((session) => session.choosePassword(secret, password)),
    signOut: () => done((session) => session.signOut()),
    sendVerification: (email) => done((session) => session.sendVerification(email)),
  };
}

async function adapterFor(config: ProviderConfig, parts: SessionParts): Promise<Session> {
  if (config.kind !== 'clerk') return builtInSession(parts, config);
  const { clerkSession } = await import('./clerk-session.ts');
  return clerkSession(config);
}
