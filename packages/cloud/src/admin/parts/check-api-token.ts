/** Finds the person for whom an API token or a device token acts, and the scope of the token. */
import { FixpointError } from '@fixpoint/protocol';
import type { Person } from '../../identity/identity.ts';
import { listProviders } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { timestamp } from '../../tables/new-row.ts';
import type { ApiTokenRow } from '../../tables/schema.ts';
import { getApiTokenByHash, touchApiToken } from '../../tables/tenants/api-token-rows.ts';
import { claimedDeviceKey, verifyDeviceToken } from '../../tokens/device-keys.ts';
import { hashOfSecret } from '../../tokens/new-api-token.ts';
import type { Scope } from '../scope.ts';

/** Values of `auth.type` in the admin API. */
export const API_TOKEN_TYPE = 'api-token';
export const DEVICE_TYPE = 'device-id';
/** Precision of `lastUsedAt`, in milliseconds. */
const TOUCH_MS = 60_000;

interface Found {
  readonly person: Person;
  readonly scope: Scope;
}

/**
 * Returns the person behind an API token.
 * @throws FixpointError NOT_SIGNED_IN
 */
export const personByApiToken = (db: Connection, token: string, now: number): Promise<Found> =>
  personBehind(db, hashOfSecret(token), now);

/**
 * Returns the person behind a device token.
 * @throws FixpointError NOT_SIGNED_IN unless the token is signed with a key that a user registered
 * as their device
 */
export async function personByDevice(db: Connection, token: string, now: number): Promise<Found> {
  const key = await claimedDeviceKey(token);
  await verifyDeviceToken(token, key, now);
  return personBehind(db, key.hash, now);
}

async function personBehind(db: Connection, hash: string, now: number): Promise<Found> {
  const row = await getApiTokenByHash(db, hash, timestamp(now));
  if (row === undefined) throw new FixpointError('NOT_SIGNED_IN');
  const [provider] = await listProviders(db, row.userId);
  if (provider === undefined) throw new FixpointError('NOT_SIGNED_IN');
  await touch(db, row, now);
  const { email_verified: emailVerified, name } = JSON.parse(provider.params) as Record<string, unknown>;
  const email = provider.queryEmail ?? '';
  const person = {
    provider: provider.queryProvider,
    providerUserId: provider.providerUserId,
    email,
    emailVerified: emailVerified === true,
    name: typeof name === 'string' ? name : email,
  };
  const { tokenId, tenantId, right } = row;
  return { person, scope: { tokenId, tenantId: tenantId ?? undefined, right } };
}

async function touch(db: Connection, { tokenId, lastUsedAt }: ApiTokenRow, now: number): Promise<void> {
  if (lastUsedAt !== null && now - Date.parse(lastUsedAt) < TOUCH_MS) return;
  await touchApiToken(db, tokenId, timestamp(now));
}
