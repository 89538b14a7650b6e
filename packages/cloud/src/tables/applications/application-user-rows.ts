/**
 * Users whom applications bring along. They have no row in `UserByProviders`: nobody can invite
 * them, find them by an address, or sign in to the console as one of them. An application chooses
 * their names and addresses, so these prove nothing.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Connection } from '../connection.ts';
import { endLedgerUser, upsertLedgerUser } from '../ledgers/ledger-users.ts';
import { GUEST, insertMember } from '../tenants/tenant-users.ts';
import type { ApplicationRow, ApplicationUserRow } from './application-tables.ts';

export type Rights = Readonly<Record<string, 'read' | 'write'>>;

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

/** Returns the row of a user, also of a removed one. */
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

/** Counts the users of a tenant's applications, except removed ones. */
async function countApplicationUsers(db: Connection, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('ApplicationUsers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenantId', '=', tenantId)
    .where('removedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Requires room for one more user. The tenant's row must be locked, so that the count stays right.
 * @throws FixpointError LIMIT_REACHED
 */
export async function requireUserRoom(db: Connection, tenantId: string, max: number): Promise<void> {
  if ((await countApplicationUsers(db, tenantId)) >= max)
    throw new FixpointError('LIMIT_REACHED', `${max} users of applications`);
}

/** Adds a user, as a guest of the tenant. */
export async function insertApplicationUser(
  db: Connection,
  row: Omit<ApplicationUserRow, 'createdAt' | 'updatedAt' | 'removedAt' | 'lastSignInAt'>,
  at: string,
): Promise<void> {
  const { userId } = row;
  await db
    .insertInto('Users')
    // Such users can't sign in to the console, so they never create a tenant.
    .values({ userId, maxTenants: 0, createdAt: at, updatedAt: at })
    .execute();
  await db
    .insertInto('ApplicationUsers')
    .values({ ...row, removedAt: null, lastSignInAt: null, createdAt: at, updatedAt: at })
    .execute();
  await beGuest(db, row, at);
}

const beGuest = (
  db: Connection,
  { tenantId, userId }: Pick<ApplicationUserRow, 'tenantId' | 'userId'>,
  at: string,
): Promise<void> =>
  insertMember(db, { tenantId, userId, role: GUEST, statusReason: 'of an application' }, at);

export async function updateApplicationUser(
  db: Connection,
  userId: string,
  change: Partial<Pick<ApplicationUserRow, 'name' | 'email' | 'rightsAt'>>,
  at: string,
): Promise<void> {
  await db
    .updateTable('ApplicationUsers')
    .set({ ...change, updatedAt: at })
    .where('userId', '=', userId)
    .execute();
}

/** Precision of `lastSignInAt`, in milliseconds. */
const SIGN_IN_MS = 60_000;

/** Notes that a session of a user begins. */
export async function noteSignIn(
  db: Connection,
  { userId, lastSignInAt }: Pick<ApplicationUserRow, 'userId' | 'lastSignInAt'>,
  at: string,
): Promise<void> {
  if (lastSignInAt !== null && Math.abs(Date.parse(at) - Date.parse(lastSignInAt)) < SIGN_IN_MS) return;
  await db.updateTable('ApplicationUsers').set({ lastSignInAt: at }).where('userId', '=', userId).execute();
}

/** A right that changed; `none` if it ended. */
export interface ChangedRight {
  readonly ledgerId: string;
  readonly right: 'read' | 'write' | 'none';
}

/**
 * Replaces the rights of a user in the databases of their tenant. Ignores databases of other
 * tenants. Also ignores databases that aren't `open-key`: the first write would decide what an
 * undecided one is, and members approve the devices of sealed ones. Reads only the databases that
 * are named now or were named before. Returns what changed.
 */
export async function putRights(
  db: Connection,
  { tenantId, userId }: Pick<ApplicationUserRow, 'tenantId' | 'userId'>,
  rights: Rights,
  at: string,
): Promise<ChangedRight[]> {
  const named = Object.keys(rights);
  const before = db.selectFrom('LedgerUsers').select('ledgerId').where('userId', '=', userId);
  const rows = await db
    .selectFrom('Ledgers')
    .leftJoin('LedgerUsers', (join) =>
      join.onRef('LedgerUsers.ledgerId', '=', 'Ledgers.ledgerId').on('LedgerUsers.userId', '=', userId),
    )
    .select(['Ledgers.ledgerId', 'Ledgers.kind', 'LedgerUsers.right', 'LedgerUsers.status'])
    .where('Ledgers.tenantId', '=', tenantId)
    .where(({ or, eb }) =>
      or([
        eb('Ledgers.ledgerId', 'in', before),
        ...(named.length > 0 ? [eb('Ledgers.ledgerId', 'in', named)] : []),
      ]),
    )
    .execute();
  const changed: ChangedRight[] = [];
  for (const { ledgerId, kind, right: stored, status } of rows) {
    const known = status === 'active' ? (stored ?? undefined) : undefined;
    const isGiven = kind === 'open-key' && Object.hasOwn(rights, ledgerId);
    const right = isGiven ? rights[ledgerId] : undefined;
    if (known === right) continue;
    if (right === undefined) await endLedgerUser(db, ledgerId, userId, at);
    else await upsertLedgerUser(db, { ledgerId, userId, role: 'member', right }, at);
    changed.push({ ledgerId, right: right ?? 'none' });
  }
  return changed;
}

/** Returns whether any of these databases is one that {@link putRights} accepts. */
export async function hasAnyOf(db: Connection, tenantId: string, rights: Rights): Promise<boolean> {
  const ids = Object.keys(rights);
  if (ids.length === 0) return false;
  const row = await db
    .selectFrom('Ledgers')
    .select('ledgerId')
    .where('tenantId', '=', tenantId)
    .where('kind', '=', 'open-key')
    .where('ledgerId', 'in', ids)
    .executeTakeFirst();
  return row !== undefined;
}

const REMOVED = 'removed by the application';

/**
 * Ends the sessions and rights of a user. The row stays, so that older tokens of the user don't
 * bring them back. Their documents keep their id as the author.
 */
export async function removeApplicationUser(db: Connection, userId: string, at: string): Promise<void> {
  for (const table of ['ApplicationSessions', 'LedgerUsers', 'TenantUsers'] as const)
    await db.deleteFrom(table).where('userId', '=', userId).execute();
  await db
    .updateTable('ApplicationUsers')
    .set({ removedAt: at, name: '', email: '', updatedAt: at })
    .where('userId', '=', userId)
    .execute();
  // A banned user stays banned.
  await db
    .updateTable('Users')
    .set({ status: 'inactive', statusReason: REMOVED, updatedAt: at })
    .where('userId', '=', userId)
    .where('status', '=', 'active')
    .execute();
}

/**
 * Lets a removed user come back, as a guest without rights. From now on, tokens from before don't
 * bring their rights back. Returns the new row.
 */
export async function readmit(
  db: Connection,
  user: ApplicationUserRow,
  at: string,
): Promise<ApplicationUserRow> {
  const { userId } = user;
  const change = { removedAt: null, rightsAt: at, updatedAt: at };
  await db.updateTable('ApplicationUsers').set(change).where('userId', '=', userId).execute();
  await db
    .updateTable('Users')
    .set({ status: 'active', statusReason: 'readmitted by the application', updatedAt: at })
    .where('userId', '=', userId)
    .where('statusReason', '=', REMOVED)
    .execute();
  await beGuest(db, user, at);
  return { ...user, ...change };
}

/**
 * Removes users of an application with everything that belongs to them, and their rows.
 * @param except users of this issuer stay; undefined removes all
 */
export async function removeUsersOf(
  db: Connection,
  applicationId: string,
  at: string,
  except?: string,
): Promise<void> {
  const users = () => {
    const all = db.selectFrom('ApplicationUsers').select('userId').where('applicationId', '=', applicationId);
    return except === undefined ? all : all.where('issuer', '!=', except);
  };
  for (const table of ['ApplicationSessions', 'LedgerUsers', 'TenantUsers'] as const)
    await db.deleteFrom(table).where('userId', 'in', users()).execute();
  await db
    .updateTable('Users')
    .set({ status: 'inactive', statusReason: 'removed with the application', updatedAt: at })
    .where('userId', 'in', users())
    .where('status', '=', 'active')
    .execute();
  let rows = db.deleteFrom('ApplicationUsers').where('applicationId', '=', applicationId);
  if (except !== undefined) rows = rows.where('issuer', '!=', except);
  await rows.execute();
}
