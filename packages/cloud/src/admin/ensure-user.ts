import { FixpointError, LIMITS, visibleName } from '@fixpoint/protocol';
import type { Person } from '../identity/identity.ts';
import {
  getUserByProvider,
  insertProvider,
  insertUser,
  isIdOfOther,
  listProviders,
  type ProviderRow,
  updateProvider,
} from '../tables/accounts/user-rows.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import type { User } from '../tables/schema.ts';
import { countTenantsOwnedBy } from '../tables/tenants/tenant-rows.ts';
import { describeTenantsOf } from './describe-tenant.ts';
import { describeOwn } from './describe-user.ts';
import { cleanEmail, normalEmail } from './email.ts';
import type { Handler, PersonContext } from './handler.ts';
import { joinOrganization } from './join-organization.ts';

/**
 * Runs first at each sign-in. A user who isn't active learns their status and nothing more. Invites
 * stay pending until the user accepts them: decision 0090.
 */
export const ensureUser: Handler<'reqEnsureUser'> = {
  run: async (context) => {
    const caller = await knownOrNew(context);
    const isActive = caller.status === 'active';
    if (isActive) await joinOrganization({ ...context, caller });
    const byProviders = (await listProviders(context.db, caller.userId)).map(describeOwn);
    const tenants = isActive ? await describeTenantsOf(context.db, caller) : [];
    const ownedTenants = await countTenantsOwnedBy(context.db, caller.userId);
    return { user: { ...caller, ownedTenants, byProviders }, tenants };
  },
};

/**
 * Returns the user, creating them on first sign-in. A new user has no tenant: people who sign up to
 * join a colleague need none. See docs/roles.md.
 */
async function knownOrNew({ db, person, signUp, now }: PersonContext): Promise<User> {
  const at = timestamp(now);
  const known = await getUserByProvider(db, person.provider, person.providerUserId);
  if (known !== undefined) {
    await updateProvider(db, providerRow(known.userId, person), at);
    return known;
  }
  if (await isIdOfOther(db, person.provider, person.providerUserId))
    throw new FixpointError('CONFLICT', 'somebody has this id at another sign-in provider');
  if (signUp === 'closed') throw new FixpointError('FORBIDDEN', 'sign-up is closed');
  const user = await insertUser(db, newId(), LIMITS.tenantsPerUserMax, at, signUp === 'waitlist');
  await insertProvider(db, providerRow(user.userId, person), at);
  return user;
}

function providerRow(userId: string, person: Person): ProviderRow {
  const queryEmail = normalEmail(person.email);
  return {
    userId,
    providerUserId: person.providerUserId,
    queryProvider: person.provider,
    queryEmail,
    cleanEmail: cleanEmail(queryEmail) ?? queryEmail,
    params: JSON.stringify({
      email: person.email,
      email_verified: person.emailVerified,
      name: visibleName(person.name),
      image_url: person.imageUrl,
    }),
  };
}
