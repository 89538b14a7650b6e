import type { Insertable } from 'kysely';
import {
  removeApplicationSessionsOf,
  removeSessionsInTenant,
} from '../applications/application-session-rows.ts';
import type { Connection } from '../connection.ts';
import type { ApiTokenRow, ApiTokensTable } from '../schema.ts';

export async function insertApiToken(
  db: Connection,
  row: Omit<Insertable<ApiTokensTable>, 'lastUsedAt'>,
): Promise<ApiTokenRow> {
  return db
    .insertInto('ApiTokens')
    .values({ ...row, lastUsedAt: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function getApiToken(db: Connection, tokenId: string): Promise<ApiTokenRow | undefined> {
  return db.selectFrom('ApiTokens').selectAll().where('tokenId', '=', tokenId).executeTakeFirst();
}

export async function getApiTokenByHash(
  db: Connection,
  hash: string,
  at: string,
): Promise<ApiTokenRow | undefined> {
  return db
    .selectFrom('ApiTokens')
    .selectAll()
    .where('hash', '=', hash)
    .where('expiresAt', '>', at)
    .executeTakeFirst();
}

/**
 * Returns the API tokens of a tenant, or of a user's devices if no tenant is given. The oldest
 * token is first; expired tokens are omitted.
 */
export async function listApiTokens(
  db: Connection,
  of: { readonly tenantId: string } | { readonly userId: string },
  at: string,
): Promise<ApiTokenRow[]> {
  const query = db.selectFrom('ApiTokens').selectAll().where('expiresAt', '>', at);
  const narrowed =
    'tenantId' in of
      ? query.where('tenantId', '=', of.tenantId)
      : query.where('userId', '=', of.userId).where('tenantId', 'is', null);
  return narrowed.orderBy('createdAt').orderBy('tokenId').execute();
}

export async function touchApiToken(db: Connection, tokenId: string, at: string): Promise<void> {
  await db.updateTable('ApiTokens').set({ lastUsedAt: at }).where('tokenId', '=', tokenId).execute();
}

export async function removeApiToken(db: Connection, tokenId: string): Promise<void> {
  await db.deleteFrom('ApiTokens').where('tokenId', '=', tokenId).execute();
}

/**
 * Removes the API tokens for a tenant, and the sessions with its applications: of one user, or of
 * all users if no user is given.
 */
export async function removeApiTokensOf(db: Connection, tenantId: string, userId?: string): Promise<void> {
  let query = db.deleteFrom('ApiTokens').where('tenantId', '=', tenantId);
  if (userId !== undefined) query = query.where('userId', '=', userId);
  await query.execute();
  await removeSessionsInTenant(db, tenantId, userId);
}

export async function removeOverdueApiTokens(db: Connection, at: string): Promise<void> {
  await db.deleteFrom('ApiTokens').where('expiresAt', '<=', at).execute();
}

/**
 * Removes the tokens of devices that are signed in as a user, and the user's sessions with
 * applications.
 */
export async function removeDeviceTokens(db: Connection, userId: string): Promise<void> {
  await db.deleteFrom('ApiTokens').where('userId', '=', userId).where('tenantId', 'is', null).execute();
  await removeApplicationSessionsOf(db, userId);
}

/**
 * Removes all tokens of a user, of their devices and for programs in any tenant, and their sessions
 * with applications.
 */
export async function removeAllApiTokens(db: Connection, userId: string): Promise<void> {
  await db.deleteFrom('ApiTokens').where('userId', '=', userId).execute();
  await removeApplicationSessionsOf(db, userId);
}
