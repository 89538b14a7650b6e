/** Applications that sign in their own users, and the permissions that users gave them. */
import type { ApplicationIssuer } from '@fixpoint/protocol/admin';
import type { Connection } from '../connection.ts';
import type { ApplicationGrantRow, ApplicationRow } from './application-tables.ts';
import { removeUsersOf } from './application-user-rows.ts';

export interface ApplicationSettings {
  readonly name: string;
  readonly origins: readonly string[];
  readonly redirectUrls: readonly string[];
  /** Undefined keeps the stored issuer; null removes it. */
  readonly issuer?: ApplicationIssuer | null | undefined;
}

const NO_ISSUER = { issuer: null, jwksUrl: null, audience: null };

const columnsOf = ({ name, origins, redirectUrls, issuer }: ApplicationSettings) => ({
  name,
  origins: JSON.stringify(origins),
  redirectUrls: JSON.stringify(redirectUrls),
  ...(issuer !== undefined && { ...NO_ISSUER, ...issuer }),
});

export async function insertApplication(
  db: Connection,
  ids: Pick<ApplicationRow, 'applicationId' | 'tenantId'>,
  settings: ApplicationSettings,
  at: string,
): Promise<ApplicationRow> {
  await putOrigins(db, ids.applicationId, settings.origins);
  return db
    .insertInto('Applications')
    .values({ ...NO_ISSUER, ...ids, ...columnsOf(settings), createdAt: at, updatedAt: at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateApplication(
  db: Connection,
  { applicationId, tenantId }: Pick<ApplicationRow, 'applicationId' | 'tenantId'>,
  settings: ApplicationSettings,
  at: string,
): Promise<ApplicationRow | undefined> {
  const row = await db
    .updateTable('Applications')
    .set({ ...columnsOf(settings), updatedAt: at })
    .where('applicationId', '=', applicationId)
    .where('tenantId', '=', tenantId)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await putOrigins(db, applicationId, settings.origins);
  return row;
}

async function putOrigins(db: Connection, applicationId: string, origins: readonly string[]): Promise<void> {
  await db.deleteFrom('ApplicationOrigins').where('applicationId', '=', applicationId).execute();
  const rows = [...new Set(origins)].map((origin) => ({ origin, applicationId }));
  if (rows.length > 0) await db.insertInto('ApplicationOrigins').values(rows).execute();
}

export async function getApplication(
  db: Connection,
  applicationId: string,
): Promise<ApplicationRow | undefined> {
  return db
    .selectFrom('Applications')
    .selectAll()
    .where('applicationId', '=', applicationId)
    .executeTakeFirst();
}

/** Returns the applications of a tenant, oldest first. */
export async function listApplications(db: Connection, tenantId: string): Promise<ApplicationRow[]> {
  return db
    .selectFrom('Applications')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('createdAt')
    .orderBy('applicationId')
    .execute();
}

/** Returns whether an application of any tenant has this origin. */
export async function isApplicationOrigin(db: Connection, origin: string): Promise<boolean> {
  const row = await db
    .selectFrom('ApplicationOrigins')
    .select('origin')
    .where('origin', '=', origin)
    .executeTakeFirst();
  return row !== undefined;
}

/** Removes an application with its own users, codes, sessions and permissions. */
export async function removeApplication(db: Connection, applicationId: string, at: string): Promise<void> {
  await removeUsersOf(db, applicationId, at);
  for (const table of [
    'ApplicationOrigins',
    'ApplicationGrants',
    'ApplicationCodes',
    'ApplicationSessions',
    'Applications',
  ] as const)
    await db.deleteFrom(table).where('applicationId', '=', applicationId).execute();
}

/** Removes all applications of a tenant. */
export async function removeApplicationsOf(db: Connection, tenantId: string, at: string): Promise<void> {
  for (const { applicationId } of await listApplications(db, tenantId))
    await removeApplication(db, applicationId, at);
}

export async function insertGrant(db: Connection, row: ApplicationGrantRow): Promise<void> {
  await db
    .insertInto('ApplicationGrants')
    .values(row)
    .onConflict((conflict) => conflict.columns(['userId', 'applicationId', 'origin']).doNothing())
    .execute();
}

/** Which permission: of whom, for which origin of which application. */
export type GrantKey = Pick<ApplicationGrantRow, 'userId' | 'applicationId' | 'origin'>;

export async function hasGrant(
  db: Connection,
  { userId, applicationId, origin }: GrantKey,
): Promise<boolean> {
  const row = await db
    .selectFrom('ApplicationGrants')
    .select('userId')
    .where('userId', '=', userId)
    .where('applicationId', '=', applicationId)
    .where('origin', '=', origin)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns whether there is a permission, and locks it, so that it can't be withdrawn before the end
 * of the transaction.
 */
export async function lockGrant(
  db: Connection,
  { userId, applicationId, origin }: GrantKey,
): Promise<boolean> {
  const row = await db
    .updateTable('ApplicationGrants')
    .set({ origin })
    .where('userId', '=', userId)
    .where('applicationId', '=', applicationId)
    .where('origin', '=', origin)
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the permissions that a user gave, newest first. */
export async function listGrants(db: Connection, userId: string) {
  return db
    .selectFrom('ApplicationGrants')
    .innerJoin('Applications', 'Applications.applicationId', 'ApplicationGrants.applicationId')
    .select([
      'ApplicationGrants.applicationId',
      'ApplicationGrants.createdAt',
      'ApplicationGrants.origin',
      'Applications.name',
    ])
    .where('ApplicationGrants.userId', '=', userId)
    .orderBy('ApplicationGrants.createdAt', 'desc')
    .orderBy('ApplicationGrants.origin')
    .execute();
}

/** Withdraws a user's permission, and ends their sessions with the application. */
export async function removeGrant(db: Connection, userId: string, applicationId: string): Promise<void> {
  for (const table of ['ApplicationGrants', 'ApplicationCodes', 'ApplicationSessions'] as const)
    await db
      .deleteFrom(table)
      .where('userId', '=', userId)
      .where('applicationId', '=', applicationId)
      .execute();
}
