/** Adds and changes users whom applications bring along. */
import { FixpointError } from '@fixpoint/protocol';
import type { ApplicationIssuer } from '@fixpoint/protocol/admin';
import type { ApplicationRow, ApplicationUserRow } from '../../tables/applications/application-tables.ts';
import {
  countApplicationUsers,
  getApplicationUser,
  insertApplicationUser,
  putRights,
  subjectKeyOf,
  updateApplicationUser,
} from '../../tables/applications/application-user-rows.ts';
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
  readonly rights?: Readonly<Record<string, 'read' | 'write'>> | undefined;
}

/**
 * Adds a user, or changes them.
 * @throws FixpointError LIMIT_REACHED for a new user above the operator's limit, NOT_FOUND when the
 * tenant was deleted
 */
export async function putUser(
  { db, now, applications }: Pick<Context, 'db' | 'now' | 'applications'>,
  application: ApplicationRow,
  { subject, name, email, rights }: SaidOfUser,
): Promise<ApplicationUserRow> {
  const at = timestamp(now);
  const { applicationId, tenantId } = application;
  const key = subjectKeyOf(application, subject);
  const isSame = (one: ApplicationUserRow) =>
    rights === undefined && (name ?? one.name) === one.name && (email ?? one.email) === one.email;
  const before = await getApplicationUser(db, key);
  if (before !== undefined && isSame(before)) return before;
  // Without the lock, two first sign-ins would add the user twice, and the count could change.
  if ((await lockTenant(db, tenantId, at)) === undefined) throw new FixpointError('NOT_FOUND');
  const known = await getApplicationUser(db, key);
  if (known === undefined) {
    if ((await countApplicationUsers(db, tenantId)) >= applications.usersPerTenantMax)
      throw new FixpointError('LIMIT_REACHED', `${applications.usersPerTenantMax} users of applications`);
    const row = { ...key, userId: newId(), applicationId, tenantId, name: name ?? '', email: email ?? '' };
    await insertApplicationUser(db, row, at);
  } else {
    const change = { name: name ?? known.name, email: email ?? known.email };
    await updateApplicationUser(db, known.userId, change, at);
  }
  const user = await getApplicationUser(db, key);
  if (user === undefined) throw new FixpointError('NOT_FOUND');
  if (rights !== undefined) await putRights(db, user, rights, at);
  return user;
}
