/**
 * Creates and uses passkeys. The server creates a challenge, the browser signs it with the key of
 * the passkey, and the server verifies the signature.
 */
import { isFixpointError, type Result } from '@fixpoint/protocol';
import { failureText } from '../../ui/text/failure-text.ts';
import { type AuthRoutes, refused } from './auth-routes.ts';

/** Signs in with a passkey that the user chooses in a browser dialog. */
export async function usePasskey(routes: AuthRoutes): Promise<Result<object>> {
  return ceremony(async () => {
    const asked = await routes.get<PublicKeyCredentialRequestOptionsJSON>(
      '/passkey/generate-authenticate-options',
    );
    if (asked === undefined) return refused('This server doesn’t support passkeys. Sign in another way.');
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked);
    const response = await navigator.credentials.get({ publicKey });
    const answer = await routes.post<object>('/passkey/verify-authentication', { response });
    const isUnknown = !answer.ok && answer.error.cause === 'Passkey not found';
    return isUnknown
      ? refused('This passkey was removed from your account. Use another passkey, or sign in another way.')
      : answer;
  });
}

/** Creates a passkey for the signed-in user. */
export async function addPasskey(routes: AuthRoutes, name: string): Promise<Result<object>> {
  return ceremony(async () => {
    const asked = await routes.get<PublicKeyCredentialCreationOptionsJSON>(
      '/passkey/generate-register-options',
    );
    if (asked === undefined) return refused('Sign in again, then add the passkey.');
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked);
    const response = await navigator.credentials.create({ publicKey });
    return routes.post('/passkey/verify-registration', { response, name });
  });
}

/** Runs a browser dialog. Turns its rejection into a text for the user. */
async function ceremony(run: () => Promise<Result<object>>): Promise<Result<object>> {
  try {
    return await run();
  } catch (cause) {
    if (isFixpointError(cause)) return { ok: false, error: cause };
    if (!(cause instanceof DOMException)) return refused(failureText(cause));
    if (cause.name === 'InvalidStateError')
      return refused('This device already has a passkey for this account.');
    if (cause.name === 'NotAllowedError')
      return refused('The passkey dialog was cancelled or timed out. Try again.');
    return refused(`The browser rejected the passkey: ${cause.message}`);
  }
}
