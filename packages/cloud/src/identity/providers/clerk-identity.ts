/**
 * Signs users in with Clerk. The console loads Clerk's script, and gets tokens from a template that
 * includes the email address. This server verifies the tokens with Clerk's published keys.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Identity } from '../identity.ts';
import { readOrganization } from './organization.ts';
import { fetchProviderJson } from './provider-fetch.ts';
import { type ClaimedPerson, createVerifier } from './verifier.ts';

const TYPE = 'clerk';

export interface ClerkParts {
  /** The issuer of the tokens: `https://` and Clerk's frontend host. */
  readonly issuer: string;
  /** URL of the issuer's public keys. */
  readonly keysUrl: string;
  /** Origins of pages that may request tokens: the allowed values of `azp`. */
  readonly parties: readonly string[];
  /** Whether organisations of the provider are mapped to tenants. */
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
    // The provider keeps the sessions, so this server has no routes for them.
    handle: async () => Response.json({ code: 'NOT_FOUND', message: 'Not found' }, { status: 404 }),
    verify: createVerifier(check, () => fetchProviderJson(keysUrl), now),
  };
}

/**
 * Reads the person's claims. The template puts them under `params`, as in existing clients, or
 * directly into the token.
 */
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
