/**
 * Ends the access that an account has in addition to sessions: API tokens, and devices that signed
 * in with a code or a key.
 */
import { FixpointError } from '@fixpoint/protocol';
import { removeLoginCodes } from '../tables/accounts/login-codes.ts';
import { putSignOut } from '../tables/accounts/sign-outs.ts';
import { getUserByProvider } from '../tables/accounts/user-rows.ts';
import { type Connection, type Db, inTransaction } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { removeAllApiTokens, removeDeviceTokens } from '../tables/tenants/api-token-rows.ts';
import { TYPE } from './session-rules.ts';

/** `devices` removes the user's devices. `all` also removes their API tokens in every tenant. */
export const ACCESS = ['keep', 'devices', 'all'] as const;
export type Access = (typeof ACCESS)[number];

const ENDING: readonly string[] = ['/auth/change-password', '/auth/sessions/end'];

/**
 * Returns the body of a POST; an empty object if there is none. `door.ts` has already rejected
 * bodies that aren't JSON objects.
 */
export const sentIn = (request: Request): Promise<Record<string, unknown>> =>
  request.json().catch(() => ({})) as Promise<Record<string, unknown>>;

/**
 * Returns the access that the request ends: `keep` for none, or undefined if the server's setting
 * decides.
 * @throws FixpointError REQUEST_INVALID
 */
export async function accessToEnd(request: Request): Promise<Access | undefined> {
  const { pathname } = new URL(request.url);
  if (request.method !== 'POST' || !ENDING.includes(pathname)) return 'keep';
  const { access, others } = await sentIn(request.clone());
  if (access !== undefined && !ACCESS.includes(access as Access))
    throw new FixpointError('REQUEST_INVALID', `access: one of ${ACCESS.join(', ')}`);
  // Ending a single session ends no other access.
  if (pathname === '/auth/sessions/end' && others !== true) return 'keep';
  return access as Access | undefined;
}

/**
 * Ends access in a new transaction. Existing cloud tokens can no longer be extended. Devices whose
 * login code was approved, but that haven't fetched their token yet, don't get one.
 */
export async function endAccess(db: Db, id: string, access: Access, now: number): Promise<void> {
  if (access !== 'keep') await inTransaction(db, (tx) => endOpened(tx, id, access, now));
}

/** Ends access within the given transaction. */
export async function endOpened(
  tx: Connection,
  id: string,
  access: Exclude<Access, 'keep'>,
  now: number,
): Promise<void> {
  const user = await getUserByProvider(tx, TYPE, id);
  if (user === undefined) return;
  const { userId } = user;
  await (access === 'all' ? removeAllApiTokens : removeDeviceTokens)(tx, userId);
  await removeLoginCodes(tx, userId);
  await putSignOut(tx, userId, timestamp(now));
}
