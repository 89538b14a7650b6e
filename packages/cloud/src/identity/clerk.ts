/** Sign-in by Clerk. The console loads its script and gets tokens from a template that carries the address; here they are checked with its published keys. */
import { FixpointError } from '@fixpoint/protocol';
import type { Identity } from './identity.ts';
import { readOrganization } from './organization.ts';
import { fetchProviderJson } from './provider-fetch.ts';
import { type ClaimedPerson, createVerifier } from './verifier.ts';

const TYPE = 'clerk';

export interface ClerkParts {
  /** `https://` and the frontend host: who issues the tokens. */
  readonly issuer: string;
  /** Where its public keys are. */
  readonly keysUrl: string;
  /** Origins of pages that may ask for tokens: what `azp` may be. */
  readonly parties: readonly string[];
  /** Whether organisations of the provider are tenants. */
  readonly hasOrganizations: boolean;
  readonly now: () => number;
}

export function clerkIdentity({ issuer, keysUrl, parties, hasOrganizations, now }: ClerkParts): Identity {
  const withOrganization = (claims: Readonly<Record<string, unknown>>): ClaimedPerson => {
    const organization = readOrganization(claims);
    return { ...readClaims(claims), ...(organization && { organization }) };
  };
  const check = {
    type: TYPE,
    issuer,
    parties,
    algorithm: 'RS256',
    readClaims: hasOrganizations ? withOrganization : readClaims,
  };
  return {
    type: TYPE,
    // Sessions are at the provider: nothing is asked of this server.
    handle: async () => Response.json({ code: 'NOT_FOUND', message: 'Not found' }, { status: 404 }),
    verify: createVerifier(check, () => fetchProviderJson(keysUrl), now),
  };
}

/** The template puts the person under `params`, as existing clients have it, or plainly into the token. */
function readClaims(claims: Readonly<Record<string, unknown>>): ClaimedPerson {
  const { params } = claims;
  const from = (typeof params === 'object' && params !== null ? params : claims) as Record<string, unknown>;
  const { email, email_verified: emailVerified, image_url: imageUrl, first, last, name } = from;
  if (typeof email !== 'string') throw new FixpointError('NOT_SIGNED_IN', 'claims');
  const whole = [first, last].filter((part) => typeof part === 'string' && part !== '').join(' ');
  const shown = typeof name === 'string' && name !== '' ? name : whole || email;
  return {
    email,
    emailVerified: emailVerified === true,
    name: shown,
    ...(typeof imageUrl === 'string' && { imageUrl }),
  };
}
