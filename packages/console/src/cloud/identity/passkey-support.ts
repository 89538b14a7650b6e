/** Says whether passkeys work here. Loads their dialogs only when somebody uses one. */
import type { Result } from '@fixpoint/protocol';
import { type AuthRoutes, refused } from './auth-routes.ts';

/**
 * Returns whether passkeys work here. The browser must be able to parse the server's challenges,
 * and the page's host must not be an IP address.
 */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^[\d.]+$|^\[/.test(location.hostname);

/** Signs in with a passkey that the user chooses in a browser dialog. */
export const usePasskey = (routes: AuthRoutes): Promise<Result<object>> =>
  whenLoaded(({ usePasskey: use }) => use(routes));

/** Creates a passkey for the signed-in user. */
export const addPasskey = (routes: AuthRoutes, name: string): Promise<Result<object>> =>
  whenLoaded((passkeys) => passkeys.addPasskey(routes, name));

async function whenLoaded(
  run: (passkeys: typeof import('./passkeys.ts')) => Promise<Result<object>>,
): Promise<Result<object>> {
  let passkeys: typeof import('./passkeys.ts');
  try {
    passkeys = await import('./passkeys.ts');
  } catch {
    return refused('Couldn’t load the passkey dialog. Check your connection, and try again.');
  }
  return run(passkeys);
}
