/**
 * The routes of `/auth`, and the fields that each route accepts. All other routes and fields of the
 * library stay closed.
 */
import { FixpointError } from '@fixpoint/protocol';

/** For each route: `GET`, or the fields that the body of a POST may have. */
const ROUTES: Readonly<Record<string, 'GET' | readonly string[]>> = {
  '/auth/sign-up/email': [
    'email',
    'password',
    'name',
    'callbackURL',
    'rememberMe',
    'emailOptIn',
    'adClickId',
    'invite',
  ],
  '/auth/sign-in/email': ['email', 'password', 'callbackURL', 'rememberMe'],
  '/auth/sign-out': [],
  '/auth/get-session': 'GET',
  '/auth/token': 'GET',
  '/auth/jwks': 'GET',
  '/auth/verify-email': 'GET',
  '/auth/send-verification-email': ['email', 'callbackURL'],
  '/auth/sign-in/magic-link': ['email', 'name', 'callbackURL', 'newUserCallbackURL', 'errorCallbackURL'],
  '/auth/magic-link/verify': 'GET',
  '/auth/request-password-reset': ['email', 'redirectTo'],
  '/auth/reset-password': ['token', 'newPassword'],
  '/auth/change-password': ['currentPassword', 'newPassword', 'revokeOtherSessions', 'access'],
  '/auth/sign-in/social': [
    'provider',
    'callbackURL',
    'newUserCallbackURL',
    'errorCallbackURL',
    'disableRedirect',
    'requestSignUp',
    'additionalData',
  ],
  '/auth/callback/oidc': 'GET',
  '/auth/confirm': ['password'],
  '/auth/account': 'GET',
  '/auth/passkey/generate-register-options': 'GET',
  '/auth/passkey/verify-registration': ['response', 'name'],
  '/auth/passkey/list-user-passkeys': 'GET',
  '/auth/passkey/update-passkey': ['id', 'name'],
  '/auth/passkey/delete-passkey': ['id'],
  '/auth/passkey/generate-authenticate-options': 'GET',
  '/auth/passkey/verify-authentication': ['response'],
  '/auth/two-factor/enable': ['password'],
  '/auth/two-factor/verify-totp': ['code'],
  '/auth/two-factor/verify-backup-code': ['code'],
  '/auth/two-factor/generate-backup-codes': ['password'],
  '/auth/two-factor/disable': ['password'],
  '/auth/sessions': 'GET',
  '/auth/sessions/end': ['id', 'others', 'access'],
};

/**
 * Fields that would bypass our rules. `idToken` would sign a user in without state, PKCE and nonce;
 * `trustDevice` would create a session that no list shows and no reset ends.
 */
const REFUSED = ['idToken', 'trustDevice'];

export const isRoute = (pathname: string): boolean => Object.hasOwn(ROUTES, pathname);

/**
 * Returns the fields that a POST accepts; empty for a GET.
 * @throws FixpointError NOT_FOUND for any other route or method
 */
export function fieldsOf(pathname: string, method: string): readonly string[] {
  const route = isRoute(pathname) ? ROUTES[pathname] : undefined;
  if (route === undefined || (route === 'GET' ? 'GET' : 'POST') !== method)
    throw new FixpointError('NOT_FOUND');
  return route === 'GET' ? [] : route;
}

/**
 * Drops every field that the route doesn't accept.
 * @throws FixpointError REQUEST_INVALID for a field that would bypass our rules
 */
export function allowedFields(
  given: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Record<string, unknown> {
  const refused = REFUSED.find((field) => given[field] !== undefined);
  if (refused !== undefined) throw new FixpointError('REQUEST_INVALID', refused);
  return Object.fromEntries(
    fields.flatMap((field) => (Object.hasOwn(given, field) ? [[field, given[field]]] : [])),
  );
}
