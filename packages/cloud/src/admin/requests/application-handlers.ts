import { FieldError, FixpointError } from '@fixpoint/protocol';
import type { Application, ApplicationGrant } from '@fixpoint/protocol/admin';
import {
  type ApplicationSettings,
  getApplication,
  hasGrant,
  insertApplication,
  insertGrant,
  listApplications,
  listGrants,
  removeApplication,
  removeGrant,
  updateApplication,
} from '../../tables/applications/application-rows.ts';
import {
  insertApplicationCode,
  removeAccessElsewhere,
  removeOwnSessions,
} from '../../tables/applications/application-session-rows.ts';
import type { ApplicationRow } from '../../tables/applications/application-tables.ts';
import { removeUsersOf } from '../../tables/applications/application-user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import { getTenant, lockTenant } from '../../tables/tenants/tenant-rows.ts';
import { CODE_SECONDS, newApplicationCode } from '../../tokens/application-secrets.ts';
import { hashOfSecret } from '../../tokens/new-api-token.ts';
import type { Context, Handlers } from '../handler.ts';
import { addressesOf } from '../parts/application-session.ts';
import { issuerOf } from '../parts/application-user.ts';
import { pageOf } from '../parts/page-of.ts';

export const applicationHandlers = {
  reqCreateApplication: {
    confirms: () => true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async (context, { tenantId, ...settings }) => {
      const { db, now, applications } = context;
      requireOwnRedirects(context, settings);
      const at = timestamp(now);
      if ((await lockTenant(db, tenantId, at)) === undefined) throw new FixpointError('NOT_FOUND');
      if ((await listApplications(db, tenantId)).length >= applications.perTenantMax)
        throw new FixpointError('LIMIT_REACHED', `${applications.perTenantMax} applications`);
      const ids = { applicationId: newId(), tenantId };
      return { application: described(await insertApplication(db, ids, settings, at)) };
    },
  },
  reqListApplications: {
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db }, { tenantId, ...page }) => {
      const found = await listApplications(db, tenantId);
      const { items, ...more } = pageOf(found, ({ applicationId }) => applicationId, page);
      return { applications: items.map(described), ...more };
    },
  },
  reqUpdateApplication: {
    revokes: true,
    confirms: () => true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async (context, { tenantId, applicationId, ...settings }) => {
      const { db, now } = context;
      requireOwnRedirects(context, settings);
      // A user who signs in at the same time must see the application before or after this change.
      await lockTenant(db, tenantId, timestamp(now));
      const before = issuerOf(await getApplication(db, applicationId));
      const row = await updateApplication(db, { applicationId, tenantId }, settings, timestamp(now));
      if (row === undefined) throw new FixpointError('NOT_FOUND');
      await removeAccessElsewhere(db, applicationId, settings.origins);
      const after = issuerOf(row);
      // A new issuer has other users; other keys don't prove earlier sessions.
      if (before?.issuer !== after?.issuer)
        await removeUsersOf(db, applicationId, timestamp(now), after?.issuer ?? '');
      if (JSON.stringify(before) !== JSON.stringify(after)) await removeOwnSessions(db, applicationId);
      return { application: described(row) };
    },
  },
  reqDeleteApplication: {
    revokes: true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db, now }, { tenantId, applicationId }) => {
      await lockTenant(db, tenantId, timestamp(now));
      if ((await getApplication(db, applicationId))?.tenantId !== tenantId)
        throw new FixpointError('NOT_FOUND');
      await removeApplication(db, applicationId, timestamp(now));
      return { applicationId };
    },
  },
  reqDescribeApplication: {
    perMinute: 60,
    run: async ({ db, caller }, { applicationId, redirectUrl }) => {
      const application = await applicationAt(db, applicationId, redirectUrl);
      const tenant = await getTenant(db, application.tenantId);
      const { origin } = new URL(redirectUrl);
      return {
        name: application.name,
        tenant: tenant?.name ?? '',
        origin,
        isGranted: await hasGrant(db, { userId: caller.userId, applicationId, origin }),
      };
    },
  },
  reqAuthorizeApplication: {
    perMinute: 60,
    run: async ({ db, caller, now }, { applicationId, redirectUrl, challenge, agrees }) => {
      await applicationAt(db, applicationId, redirectUrl);
      const { userId } = caller;
      const at = timestamp(now);
      const grant = { userId, applicationId, origin: new URL(redirectUrl).origin };
      if (agrees === true) await insertGrant(db, { ...grant, createdAt: at });
      else if (!(await hasGrant(db, grant)))
        throw new FixpointError('FORBIDDEN', 'the user has not allowed this application to sign them in');
      const code = newApplicationCode();
      const expiresAt = timestamp(now + CODE_SECONDS * 1000);
      const row = { hash: hashOfSecret(code), applicationId, userId, redirectUrl, challenge, expiresAt };
      await insertApplicationCode(db, row);
      return { code };
    },
  },
  reqListApplicationGrants: {
    run: async ({ db, caller }) => {
      const grants = new Map<string, ApplicationGrant>();
      for (const { origin, ...row } of await listGrants(db, caller.userId)) {
        const origins = grants.get(row.applicationId)?.origins ?? [];
        grants.set(row.applicationId, { ...row, origins: [...origins, origin] });
      }
      return { grants: [...grants.values()] };
    },
  },
  reqRevokeApplicationGrant: {
    revokes: true,
    run: async ({ db, caller }, { applicationId }) => {
      await removeGrant(db, caller.userId, applicationId);
      return { applicationId };
    },
  },
} satisfies Partial<Handlers>;

function described(stored: ApplicationRow): Application {
  const { origins, redirectUrls, issuer: _, jwksUrl: __, audience: ___, ...row } = stored;
  const issuer = issuerOf(stored);
  return {
    ...row,
    origins: addressesOf(origins),
    redirectUrls: addressesOf(redirectUrls),
    ...(issuer !== undefined && { issuer }),
  };
}

/**
 * Returns an application if the redirect URL is exactly one of its own.
 * @throws FixpointError NOT_FOUND
 */
async function applicationAt(
  db: Connection,
  applicationId: string,
  redirectUrl: string,
): Promise<ApplicationRow> {
  const application = await getApplication(db, applicationId);
  if (application === undefined || !addressesOf(application.redirectUrls).includes(redirectUrl))
    throw new FixpointError('NOT_FOUND', 'an application with this redirect URL');
  return application;
}

/**
 * Requires that each redirect URL belongs to an origin of the application, and that no origin is
 * one of the console's: pages of the console are signed in anyway, and ignore codes.
 * @throws FieldError
 */
function requireOwnRedirects(
  { applications }: Context,
  { origins, redirectUrls }: ApplicationSettings,
): void {
  if (origins.some((origin) => applications.refusedOrigins.includes(origin)))
    throw new FieldError('origins', 'must not contain the origin of this server');
  const at = redirectUrls.findIndex((each) => !origins.includes(new URL(each).origin));
  if (at >= 0) throw new FieldError(`redirectUrls.${at}`, 'must belong to one of the origins');
}
