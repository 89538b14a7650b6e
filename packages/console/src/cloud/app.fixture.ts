import { FixpointError, type Result } from '@fixpoint/protocol';
import type { AdminClient, UserTenant } from '@fixpoint/protocol/admin';
import { QueryClient } from '@tanstack/react-query';
import { type LoaderFunctionArgs, RouterContextProvider } from 'react-router';
import { type App, app } from './app.ts';
import type { Session, SessionUser } from './identity/session-port.ts';

export const ada: SessionUser = { name: 'Ada', email: 'ada@example.com', emailVerified: true };
const dates = { createdAt: '', updatedAt: '' };

export const userWith = (status: string) => ({
  userId: 'u1',
  status,
  maxTenants: 5,
  byProviders: [],
  ...dates,
});

export const tenantCalled = (tenantId: string, name: string): UserTenant => ({
  tenantId,
  role: 'admin',
  default: false,
  user: { status: 'active' },
  tenant: { name, status: 'active' },
});

export const done = <T>(value: T): Promise<Result<T>> => Promise.resolve({ ok: true, value });
export const refused = (error: FixpointError): Promise<Result<never>> =>
  Promise.resolve({ ok: false, error });
/** Returns a rejection that contains the server's own reason. */
export const refusedWith = (why: string): Promise<Result<never>> =>
  refused(new FixpointError('REQUEST_INVALID', undefined, { cause: why }));

export interface AppGiven {
  readonly user?: SessionUser | undefined;
  readonly session?: Partial<Session>;
  readonly api?: Partial<AdminClient>;
}

/** Returns stub parts for cloud pages. A test passes only the parts that it needs. */
export function appWith({ user, session, api }: AppGiven): App {
  const nobody = () => Promise.resolve(undefined);
  const cameIn = () => Promise.resolve({ is: 'done' } as const);
  return {
    session: {
      user: () => Promise.resolve(user),
      auth: nobody,
      forgetToken: () => undefined,
      ways: () => Promise.resolve({ password: true, mailedLink: true, passkey: false, elsewhere: undefined }),
      signIn: cameIn,
      signUp: cameIn,
      signInByCode: cameIn,
      signInByPasskey: cameIn,
      signInElsewhere: () => Promise.resolve({ is: 'leaving' }),
      mailLink: nobody,
      choosePassword: nobody,
      signOut: nobody,
      sendVerification: nobody,
      account: () => Promise.resolve({}),
      ...session,
    },
    api: (api ?? {}) as AdminClient,
    queries: new QueryClient({
      defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
    }),
  };
}

export interface SignedInGiven extends Omit<AppGiven, 'user'> {
  readonly tenants?: readonly UserTenant[];
}

/** Returns stub parts in which Ada is signed in, as the active user `u1`. */
export const signedIn = ({ tenants = [], session = {}, api }: SignedInGiven = {}): App =>
  appWith({
    user: ada,
    session,
    api: {
      ensureUser: () => done({ user: userWith('active'), tenants: [] }),
      listTenantsByUser: () => done([...tenants]),
      ...api,
    },
  });

/** Returns the arguments that the router passes to a loader or an action. */
export function callOf(
  parts: App,
  path: string,
  { params = {}, form }: { params?: Record<string, string>; form?: Record<string, string> } = {},
): LoaderFunctionArgs {
  const context = new RouterContextProvider();
  context.set(app, parts);
  const url = new URL(path, 'http://localhost:7370');
  const request = new Request(url, form && { method: 'POST', body: new URLSearchParams(form) });
  return { request, url, params, context, pattern: '' };
}

/** Returns where a redirect leads. */
export const locationOf = (answer: unknown): string | null =>
  answer instanceof Response ? answer.headers.get('location') : null;
