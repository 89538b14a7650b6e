/**
 * Users whom applications bring along. They have no row in `UserByProviders`: nobody can invite
 * them, find them by an address, or sign in to the console as one of them. An application chooses
 * their names and addresses, so these prove nothing.
 */
import type { Connection } from '../connection.ts';
import { endLedgerUser, upsertLedgerUser } from '../ledgers/ledger-users.ts';
import { GUEST, insertMember } from '../tenants/tenant-users.ts';
import type { ApplicationRow, ApplicationUserRow } from './application-tables.ts';

/** Which user: the application's issuer chose the subject. */
export interface SubjectKey {
  readonly applicationId: string;
  /** Empty for users of an application without an issuer. */
  readonly issuer: string;
  readonly subject: string;
}

export const subjectKeyOf = (
  { applicationId, issuer }: Pick<ApplicationRow, 'applicationId' | 'issuer'>,
  subject: string,
): SubjectKey => ({ applicationId, issuer: issuer ?? '', subject });

export async function getApplicationUser(
  db: Connection,
  { applicationId, issuer, subject }: SubjectKey,
): Promise<ApplicationUserRow | undefined> {
  return db
    .selectFrom('ApplicationUsers')
    .selectAll()
    .where('applicationId', '=', applicationId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Returns the row of a user; undefined for people who sign in by themselves. */
export async function getApplicationUserById(
  db: Connection,
  userId: string,
): Promise<ApplicationUserRow | undefined> {
  return db.selectFrom('ApplicationUsers').selectAll().where('userId', '=', userId).executeTakeFirst();
}

export async function countApplicationUsers(db: Connection, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('ApplicationUsers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenantId', '=', tenantId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Adds a user, as a guest of the tenant. */
export async function insertApplicationUser(
  db: Connection,
  row: Omit<ApplicationUserRow, 'createdAt' | 'updatedAt'>,
  at: string,
): Promise<void> {
  const { userId, tenantId } = row;
  await db
    .insertInto('Users')
    // Such users can't sign in to the console, so they never create a tenant.
    .values({ userId, maxTenants: 0, createdAt: at, updatedAt: at })
    .execute();
  await insertMember(db, { tenantId, userId, role: GUEST, statusReason: 'of an application' }, at);
  await db
    .insertInto('ApplicationUsers')
    .values({ ...row, createdAt: at, updatedAt: at })
    .execute();
}

export async function updateApplicationUser(
  db: Connection,
  userId: string,
  change: Pick<ApplicationUserRow, 'name' | 'email'>,
  at: string,
): Promise<void> {
  await db
    .updateTable('ApplicationUsers')
    .set({ ...change, updatedAt: at })
    .where('userId', '=', userId)
    .execute();
}

/**
 * Replaces the rights of a user in the databases of their tenant. Ignores databases of other
 * tenants. Returns whether any right changed.
 */
export async function putRights(
  db: Connection,
  { tenantId, userId }: Pick<ApplicationUserRow, 'tenantId' | 'userId'>,
  rights: Readonly<Record<string, 'read' | 'write'>>,
  at: string,
): Promise<boolean> {
  const rows = await db
    .selectFrom('Ledgers')
    .leftJoin('LedgerUsers', (join) =>
      join.onRef('LedgerUsers.ledgerId', '=', 'Ledgers.ledgerId').on('LedgerUsers.userId', '=', userId),
    )
    .select(['Ledgers.ledgerId', 'LedgerUsers.right', 'LedgerUsers.status'])
    .where('Ledgers.tenantId', '=', tenantId)
    .execute();
  let hasChanged = false;
  for (const { ledgerId, right: stored, status } of rows) {
    const before = status === 'active' ? stored : undefined;
    const right = Object.hasOwn(rights, ledgerId) ? rights[ledgerId] : undefined;
    if ((before ?? undefined) === right) continue;
    hasChanged = true;
    if (right === undefined) await endLedgerUser(db, ledgerId, userId, at);
    else await upsertLedgerUser(db, { ledgerId, userId, role: 'member', right }, at);
  }
  return hasChanged;
}

/** Removes a user with their sessions and rights. Their documents keep their id as the author. */
export async function removeApplicationUser(db: Connection, userId: string, at: string): Promise<void> {
  for (const table of ['ApplicationSessions', 'LedgerUsers', 'TenantUsers', 'ApplicationUsers'] as const)
    await db.deleteFrom(table).where('userId', '=', userId).execute();
  await db
    .updateTable('Users')
    .set({ status: 'inactive', statusReason: 'removed by the application', updatedAt: at })
    .where('userId', '=', userId)
    .execute();
}

/** Removes all users of an application, as {@link removeApplicationUser} does. */
export async function removeUsersOf(db: Connection, applicationId: string, at: string): Promise<void> {
  const users = db.selectFrom('ApplicationUsers').select('userId').where('applicationId', '=', applicationId);
  for (const table of ['LedgerUsers', 'TenantUsers'] as const)
    await db.deleteFrom(table).where('userId', 'in', users).execute();
  await db
    .updateTable('Users')
    .set({ status: 'inactive', statusReason: 'removed with the application', updatedAt: at })
    .where('userId', 'in', users)
    .execute();
  await db.deleteFrom('ApplicationUsers').where('applicationId', '=', applicationId).execute();
}
