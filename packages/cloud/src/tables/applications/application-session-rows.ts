/** Sessions of users with applications, and the codes that begin them. */
import type { Connection } from '../connection.ts';
import type { ApplicationCodeRow, ApplicationSessionRow } from './application-tables.ts';

/** Adds a code. */
export async function insertApplicationCode(
  db: Connection,
  row: Omit<ApplicationCodeRow, 'sessionId'>,
): Promise<void> {
  await db.insertInto('ApplicationCodes').values(row).execute();
}

export async function getApplicationCode(
  db: Connection,
  hash: string,
  at: string,
): Promise<ApplicationCodeRow | undefined> {
  return db
    .selectFrom('ApplicationCodes')
    .selectAll()
    .where('hash', '=', hash)
    .where('expiresAt', '>', at)
    .executeTakeFirst();
}

/**
 * Marks a code as used. Returns whether it was unused. If several callers use the code in parallel,
 * only one gets true.
 */
export async function useApplicationCode(db: Connection, hash: string, sessionId: string): Promise<boolean> {
  const row = await db
    .updateTable('ApplicationCodes')
    .set({ sessionId })
    .where('hash', '=', hash)
    .where('sessionId', 'is', null)
    .returning('hash')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Adds a session, after removing expired ones of its user, and the oldest ones with the application
 * if the user has `most` of them.
 */
export async function insertApplicationSession(
  db: Connection,
  row: Omit<ApplicationSessionRow, 'previousHash'>,
  most: number,
): Promise<void> {
  const { userId, applicationId, createdAt } = row;
  await db
    .deleteFrom('ApplicationSessions')
    .where('userId', '=', userId)
    .where('expiresAt', '<=', createdAt)
    .execute();
  const sessions = await db
    .selectFrom('ApplicationSessions')
    .select('sessionId')
    .where('userId', '=', userId)
    .where('applicationId', '=', applicationId)
    .orderBy('createdAt', 'desc')
    .orderBy('sessionId')
    .execute();
  for (const { sessionId } of sessions.slice(most - 1)) await removeApplicationSession(db, sessionId);
  await db
    .insertInto('ApplicationSessions')
    .values({ ...row, previousHash: null })
    .execute();
}

export async function getApplicationSession(
  db: Connection,
  sessionId: string,
): Promise<ApplicationSessionRow | undefined> {
  return db
    .selectFrom('ApplicationSessions')
    .selectAll()
    .where('sessionId', '=', sessionId)
    .executeTakeFirst();
}

/** Returns the session whose refresh tokens share a secret. */
export async function getApplicationSessionByFamily(
  db: Connection,
  familyHash: string,
): Promise<ApplicationSessionRow | undefined> {
  return db
    .selectFrom('ApplicationSessions')
    .selectAll()
    .where('familyHash', '=', familyHash)
    .executeTakeFirst();
}

/**
 * Replaces the refresh token of a session. Returns whether `from` was the current token. If several
 * callers replace the token in parallel, only one gets true.
 */
export async function rotateRefreshToken(
  db: Connection,
  sessionId: string,
  { from, to }: { readonly from: string; readonly to: string },
  expiresAt: string,
): Promise<boolean> {
  const row = await db
    .updateTable('ApplicationSessions')
    .set({ refreshHash: to, previousHash: from, expiresAt })
    .where('sessionId', '=', sessionId)
    .where('refreshHash', '=', from)
    .returning('sessionId')
    .executeTakeFirst();
  return row !== undefined;
}

export async function removeApplicationSession(db: Connection, sessionId: string): Promise<void> {
  await db.deleteFrom('ApplicationSessions').where('sessionId', '=', sessionId).execute();
}

/** Removes permissions for origins that aren't listed, and ends the sessions that began there. */
export async function removeAccessElsewhere(
  db: Connection,
  applicationId: string,
  origins: readonly string[],
): Promise<void> {
  for (const table of ['ApplicationGrants', 'ApplicationSessions'] as const)
    await db
      .deleteFrom(table)
      .where('applicationId', '=', applicationId)
      .where('origin', 'not in', origins)
      .execute();
}

/** Ends the sessions that tokens of the application's own issuer began. */
export async function removeOwnSessions(db: Connection, applicationId: string): Promise<void> {
  await db
    .deleteFrom('ApplicationSessions')
    .where('applicationId', '=', applicationId)
    .where('endsAt', 'is not', null)
    .execute();
}

/** Ends sessions of applications of a tenant: of one user, or of all users if no user is given. */
export async function removeSessionsInTenant(
  db: Connection,
  tenantId: string,
  userId?: string,
): Promise<void> {
  let query = db.deleteFrom('ApplicationSessions').where('tenantId', '=', tenantId);
  if (userId !== undefined) query = query.where('userId', '=', userId);
  await query.execute();
}

/** Removes sessions and codes that expired by then. */
export async function removeExpiredSessions(db: Connection, at: string): Promise<void> {
  for (const table of ['ApplicationCodes', 'ApplicationSessions'] as const)
    await db.deleteFrom(table).where('expiresAt', '<=', at).execute();
}

/** Ends all sessions of a user with applications, and removes unused codes. */
export async function removeApplicationSessionsOf(db: Connection, userId: string): Promise<void> {
  for (const table of ['ApplicationCodes', 'ApplicationSessions'] as const)
    await db.deleteFrom(table).where('userId', '=', userId).execute();
}
