/**
 * The gate before cloud pages. It lets in only signed-in users whose status is active (spec §6),
 * and runs before the loaders and actions of these pages.
 */

import { isFixpointError } from '@fixpoint/protocol';
import { loadRequests } from '@fixpoint/protocol/admin';
import { type MiddlewareFunction, redirect } from 'react-router';
import { pathBelowBase } from '../../ui/pages/base-path.ts';
import { app, SESSION_KEY } from '../app.ts';
import type { SessionUser } from '../identity/session-port.ts';
import { restoreLastKnown } from '../queries/last-known.ts';
import { sessionQuery, tenantQueries, userQuery } from '../queries/queries.ts';
import { isWorthRetrying } from '../queries/retry.ts';

/** Thrown for a user who isn't active: on the waitlist, or banned. */
export class UserNotActive extends Error {
  override readonly name = 'UserNotActive';
  readonly status: string;

  constructor(status: string) {
    super(`Your account is ${status}.`);
    this.status = status;
  }
}

/** Returns the path of the login page, with a redirect back to the page of `url`. */
export function loginPath(url: string): string {
  const { pathname, search } = new URL(url);
  return `/login?redirect_url=${encodeURIComponent((pathBelowBase(pathname) ?? '/') + search)}`;
}

export const requireUser: MiddlewareFunction = async ({ request, context }, next) => {
  const { session, api, queries } = context.get(app);
  // Loads the request schemas while the session is checked. If that fails, the call that needs them
  // reports the failure.
  loadRequests().catch(() => undefined);
  const somebody = await queries.fetchQuery(sessionQuery(session)).catch((cause: unknown) => {
    if (isFixpointError(cause, 'FETCH')) restoreLastKnown(queries);
    // While the server fails, no new user gets in. Users who are already in can stay, so that forms
    // keep their text; the form's own call reports the failure.
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
