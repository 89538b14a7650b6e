/** The gate before cloud pages: signed-in users whose status is active (spec §6). Runs before their loaders and actions. */
import { isFixpointError } from '@fixpoint/protocol';
import { loadRequests } from '@fixpoint/protocol/admin';
import { type MiddlewareFunction, redirect } from 'react-router';
import { app, SESSION_KEY } from './app.ts';
import { restoreLastKnown } from './last-known.ts';
import { sessionQuery, tenantQueries, userQuery } from './queries.ts';
import { isWorthRetrying } from './retry.ts';
import type { SessionUser } from './session.ts';

/** Thrown for a user whom the operator has not let in. */
export class UserNotActive extends Error {
  override readonly name = 'UserNotActive';
  readonly status: string;

  constructor(status: string) {
    super(`Your account is ${status}.`);
    this.status = status;
  }
}

/** The login page, which leads back to the page of `url`. */
export function loginPath(url: string): string {
  const { pathname, search } = new URL(url);
  return `/login?redirect_url=${encodeURIComponent(pathname + search)}`;
}

export const requireUser: MiddlewareFunction = async ({ request, context }, next) => {
  const { session, api, queries } = context.get(app);
  // On its way while it is found out who is signed in. The call that needs it says why it did not come.
  loadRequests().catch(() => undefined);
  const somebody = await queries.fetchQuery(sessionQuery(session)).catch((cause: unknown) => {
    if (isFixpointError(cause, 'FETCH')) restoreLastKnown(queries);
    // A server that answers that it fails lets nobody in anew. Who is in stays: what he typed is still in its form, and its own call says what failed.
    const known = isWorthRetrying(cause) ? queries.getQueryData<SessionUser | null>(SESSION_KEY) : undefined;
    if (known == null) throw cause;
    return known;
  });
  if (somebody === null) throw redirect(loginPath(request.url));
  const { user, tenants } = await queries.ensureQueryData(userQuery(api)).catch((error) => {
    if (!isFixpointError(error, 'SECOND_FACTOR_NEEDED')) throw error;
    throw redirect(loginPath(request.url).replace('/login', '/fp/second-step'));
  });
  if (user.status !== 'active') throw new UserNotActive(user.status);
  const { queryKey } = tenantQueries.list(api);
  if (queries.getQueryData(queryKey) === undefined) queries.setQueryData(queryKey, tenants);
  return next();
};
