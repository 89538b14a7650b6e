/** Adds and changes users whom applications bring along. */
import { FixpointError } from '@fixpoint/protocol';
import type { ApplicationIssuer } from '@fixpoint/protocol/admin';
import { getApplication } from '../../tables/applications/application-rows.ts';
import type { ApplicationRow, ApplicationUserRow } from '../../tables/applications/application-tables.ts';
import {
  type ChangedRight,
  getApplicationUser,
  getApplicationUserById,
  hasAnyOf,
  insertApplicationUser,
  putRights,
  type Rights,
  readmit,
  requireUserRoom,
  subjectKeyOf,
  updateApplicationUser,
} from '../../tables/applications/application-user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import type { Context } from '../handler.ts';

/** Returns the issuer of an application's own users; undefined if it has none. */
export function issuerOf(row: ApplicationRow | undefined): ApplicationIssuer | undefined {
  const { issuer, jwksUrl, audience } = row ?? {};
  if (issuer == null || jwksUrl == null || audience == null) return undefined;
  return { issuer, jwksUrl, audience };
}

/** Facts about a user from their application. Undefined keeps the stored value. */
export interface SaidOfUser {
  readonly subject: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly rights?: Rights | undefined;
  /** When the application said this, in milliseconds. */
  readonly atMs: number;
}

type Parts = Pick<Context, 'db' | 'now' | 'applications'>;

/**
 * Adds a user whom the back end of the application names, or changes them. A removed user comes
 * back.
 * @throws FixpointError LIMIT_REACHED, NOT_FOUND
 */
export async function putUser(
  parts: Parts,
  application: ApplicationRow,
  said: SaidOfUser,
): Promise<ApplicationUserRow> {
  const { db, now, applications } = parts;
  await lockApplication(parts, application);
  const known = await getApplicationUser(db, subjectKeyOf(application, said.subject));
  if (known === undefined) return (await addUser(parts, application, said)).user;
  const isRemoved = known.removedAt !== null;
  if (isRemoved) await requireUserRoom(db, application.tenantId, applications.usersPerTenantMax);
  const current = isRemoved ? await readmit(db, known, timestamp(now)) : known;
  return (await changeUser(parts, current, said)).user;
}

/** A user, and the rights that changed. */
interface Put {
  readonly user: ApplicationUserRow;
  readonly changed: readonly ChangedRight[];
}

/**
 * Adds the user of a token, or changes them. Returns undefined for a removed user, and for a new
 * one without a right in any database: rows of people who may do nothing would use up the limit.
 * @throws FixpointError NOT_SIGNED_IN for a claim of rights that is older than the stored rights,
 * LIMIT_REACHED
 */
export async function putUserOfToken(
  parts: Parts,
  application: ApplicationRow,
  said: SaidOfUser,
): Promise<Put | undefined> {
  const { db } = parts;
  await lockApplication(parts, application);
  const known = await getApplicationUser(db, subjectKeyOf(application, said.subject));
  if (known === undefined) {
    const mayOpen = said.rights !== undefined && (await hasAnyOf(db, application.tenantId, said.rights));
    return mayOpen ? addUser(parts, application, said) : undefined;
  }
  if (known.removedAt !== null) return undefined;
  // Otherwise, a user could keep an old token to get back the rights that it names.
  if (said.rights !== undefined && timestamp(said.atMs) < known.rightsAt)
    throw new FixpointError('NOT_SIGNED_IN', 'the token is older than the rights of the user');
  return changeUser(parts, known, said);
}

/**
 * Locks the tenant, and requires that the application is unchanged: it may have been deleted, or
 * got another issuer, since it was read. With the lock, two first sign-ins don't add a user twice,
 * and the count stays right.
 */
async function lockApplication({ db, now }: Parts, { applicationId, tenantId, issuer }: ApplicationRow) {
  if ((await lockTenant(db, tenantId, timestamp(now))) === undefined) throw new FixpointError('NOT_FOUND');
  const current = await getApplication(db, applicationId);
  if (current?.tenantId !== tenantId || current.issuer !== issuer) throw new FixpointError('NOT_FOUND');
}

async function addUser(
  { db, now, applications }: Parts,
  application: ApplicationRow,
  { subject, name = '', email = '', rights, atMs }: SaidOfUser,
): Promise<Put> {
  const at = timestamp(now);
  const { tenantId } = application;
  await requireUserRoom(db, tenantId, applications.usersPerTenantMax);
  const key = subjectKeyOf(application, subject);
  const rightsAt = rights === undefined ? '' : timestamp(atMs);
  const row = { ...key, userId: newId(), tenantId, name, email, rightsAt };
  await insertApplicationUser(db, row, at);
  const changed = rights === undefined ? [] : await putRights(db, row, rights, at);
  return { user: await stored(db, row.userId), changed };
}

async function changeUser(
  { db, now }: Parts,
  { userId, ...known }: ApplicationUserRow,
  { name = known.name, email = known.email, rights, atMs }: SaidOfUser,
): Promise<Put> {
  const at = timestamp(now);
  const rightsAt = rights === undefined ? known.rightsAt : timestamp(atMs);
  await updateApplicationUser(db, userId, { name, email, rightsAt }, at);
  const of = { tenantId: known.tenantId, userId };
  const changed = rights === undefined ? [] : await putRights(db, of, rights, at);
  return { user: await stored(db, userId), changed };
}

async function stored(db: Connection, userId: string): Promise<ApplicationUserRow> {
  const row = await getApplicationUserById(db, userId);
  if (row === undefined) throw new FixpointError('NOT_FOUND');
  return row;
}

/**
 * Requires that a user signs in by themselves. Only their application manages its own users.
 * @throws FixpointError NOT_FOUND
 */
export async function requirePerson(db: Connection, userId: string): Promise<void> {
  if ((await getApplicationUserById(db, userId)) !== undefined) throw new FixpointError('NOT_FOUND');
}
