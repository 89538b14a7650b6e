/**
 * Passkeys of the built-in provider. A passkey counts as two factors: the user's device, and the
 * PIN, finger or face that the device requires before it signs.
 */
import { passkey } from '@better-auth/passkey';
import { APIError } from 'better-auth/api';

export const REGISTER_OPTIONS_ROUTE = '/auth/passkey/generate-register-options';
export const REGISTER_ROUTE = '/auth/passkey/verify-registration';
export const DELETE_ROUTE = '/auth/passkey/delete-passkey';
export const SIGN_IN_OPTIONS_ROUTE = '/auth/passkey/generate-authenticate-options';

const LOOPBACK = ['localhost', '127.0.0.1'];

/**
 * Configures passkeys.
 * @param origins origins of the pages that may create and use passkeys
 */
export function passkeys(publicUrl: string, origins: readonly string[]) {
  const { hostname } = new URL(publicUrl);
  return passkey({
    // A host name is required: browsers create no passkeys for IP addresses.
    rpID: LOOPBACK.includes(hostname) ? 'localhost' : hostname,
    rpName: 'Fixpoint',
    origin: [...origins],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) => requireVerified(verification.registrationInfo),
    },
    authentication: {
      afterVerification: async ({ verification }) => requireVerified(verification.authenticationInfo),
    },
    advanced: { webAuthnChallengeCookie: 'passkey' },
  });
}

/**
 * Requires user verification. The library itself accepts a device that asks only for a touch, which
 * would be one factor.
 */
function requireVerified(info: { readonly userVerified: boolean } | undefined): void {
  if (info?.userVerified !== true)
    throw new APIError('UNAUTHORIZED', {
      code: 'NOT_SIGNED_IN',
      message: 'the device did not ask for a PIN, a finger or a face',
    });
}

/**
 * Changes user verification from preferred to required in the options for the browser, so that it
 * doesn't offer a device that would be rejected.
 */
export async function demandVerification(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const options = (await response.json()) as Record<string, unknown>;
  return new Response(JSON.stringify({ ...options, userVerification: 'required' }), {
    status: response.status,
    headers: response.headers,
  });
}
