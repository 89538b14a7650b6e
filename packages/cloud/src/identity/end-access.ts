/** Ends what an account opened beside its sessions: devices that signed in by a code or a key, and API tokens. */
import { FixpointError } from '@fixpoint/protocol';
import { removeAllApiTokens, removeDeviceTokens } from '../tables/api-tokens.ts';
import { type Connection, type Db, inTransaction } from '../tables/database.ts';
import { removeLoginCodes } from '../tables/login-codes.ts';
import { timestamp } from '../tables/new-row.ts';
import { putSignOut } from '../tables/sign-outs.ts';
import { getUserByProvider } from '../tables/users.ts';
import { TYPE } from './session-rules.ts';

/** `devices` ends the devices, `all` the API tokens of every tenant too. */
export const ACCESS = ['keep', 'devices', 'all'] as const;
export type Access = (typeof ACCESS)[number];

const ENDING: readonly string[] = ['/auth/change-password', '/auth/sessions/end'];

/** The body of a POST; empty where none was sent, as the door lets JSON objects and nothing else through. */
export const sentIn = (request: Request): Promise<Record<string, unknown>> =>
  request.json().catch(() => ({})) as Promise<Record<string, unknown>>;

/**
 * What the request asks to end, `keep` where it ends nothing, and undefined where the server's setting
 * decides.
 * @throws FixpointError REQUEST_INVALID
 */
export async function accessToEnd(request: Request): Promise<Access | undefined> {
  const { pathname } = new URL(request.url);
  if (request.method !== 'POST' || !ENDING.includes(pathname)) return 'keep';
  const { access, others } = await sentIn(request.clone());
  if (access !== undefined && !ACCESS.includes(access as Access))
    throw new FixpointError('REQUEST_INVALID', `access: one of ${ACCESS.join(', ')}`);
  // Ending one session says nothing of the others.
  if (pathname === '/auth/sessions/end' && others !== true) return 'keep';
  return access as Access | undefined;
}

/** Cloud tokens that are out are not extended, and nobody fetches a token for a login that was approved before. */
export async function endAccess(db: Db, id: string, access: Access, now: number): Promise<void> {
  if (access !== 'keep') await inTransaction(db, (tx) => endOpened(tx, id, access, now));
}

/** The same within a transaction. */
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
