import { FixpointError } from '@fixpoint/protocol';
import { CLOUD_TOKEN_SECONDS } from '@fixpoint/protocol/admin';
import { getActiveUser } from '../../tables/accounts/user-rows.ts';
import { getApplication } from '../../tables/applications/application-rows.ts';
import type { ApplicationUserRow } from '../../tables/applications/application-tables.ts';
import {
  getApplicationUserById,
  noteSignIn,
  removeApplicationUser,
} from '../../tables/applications/application-user-rows.ts';
import { listApplicationUsers } from '../../tables/applications/listed-user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { timestamp } from '../../tables/new-row.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import type { Handlers } from '../handler.ts';
import { putUser } from '../parts/application-user.ts';
import { claimsFor, narrowed } from '../parts/cloud-claims.ts';

/** Seconds for which the holder of a cloud token can extend it. */
const EXTENDABLE_SECONDS = 3600;

const USERS_PAGE = 50;

export const applicationUserHandlers = {
  reqListApplicationUsers: {
    perMinute: 600,
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db }, { limit = USERS_PAGE, ...asked }) => {
      const rows = await listApplicationUsers(db, { ...asked, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        users: shown.map((row) => ({
          ...described(row),
          ...{ applicationId: row.applicationId, status: row.status, rights: row.rights },
          ...(row.lastSignInAt !== null && { lastSignInAt: row.lastSignInAt }),
          createdAt: row.createdAt,
        })),
        ...(rows.length > limit && last && { next: last.userId }),
      };
    },
  },
  reqPutApplicationUser: {
    perMinute: 600,
    revokes: true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async (context, { tenantId, applicationId, ...said }) => {
      const application = await getApplication(context.db, applicationId);
      if (application === undefined || application.tenantId !== tenantId)
        throw new FixpointError('NOT_FOUND');
      return { user: described(await putUser(context, application, { ...said, atMs: context.now })) };
    },
  },
  reqRemoveApplicationUser: {
    perMinute: 600,
    revokes: true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db, now }, asked) => {
      await lockTenant(db, asked.tenantId, timestamp(now));
      const { userId } = await userOf(db, asked);
      await removeApplicationUser(db, userId, timestamp(now));
      return { userId };
    },
  },
  reqCreateUserToken: {
    perMinute: 6000,
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db, tokens, now, scope }, { ledgerId, ...asked }) => {
      // Revoking the API token must end the cloud token, so a signed-in admin can't get one.
      if (scope === undefined) throw new FixpointError('FORBIDDEN', 'needs an API token');
      const { tenantId } = asked;
      const user = await userOf(db, asked);
      const caller = await getActiveUser(db, user.userId);
      if (caller === undefined) throw new FixpointError('NOT_FOUND');
      const ofUser = { ...scope, tenantId, right: 'write' } as const;
      const claims = await claimsFor(
        db,
        // Nobody proved the address that the application chose.
        { caller, email: '', scope: ofUser },
        { tenant: tenantId, ledger: ledgerId },
      );
      const own = narrowed(claims, { tenants: [tenantId], ledgers: [ledgerId] });
      const until = Math.floor(now / 1000) + EXTENDABLE_SECONDS;
      await noteSignIn(db, user, timestamp(now));
      return { token: await tokens.mint({ ...own, until }), expiresInSec: CLOUD_TOKEN_SECONDS };
    },
  },
} satisfies Partial<Handlers>;

/**
 * Returns a user whom this application of this tenant brought along.
 * @throws FixpointError NOT_FOUND also for people who sign in by themselves
 */
async function userOf(
  db: Connection,
  asked: Pick<ApplicationUserRow, 'tenantId' | 'applicationId' | 'userId'>,
): Promise<ApplicationUserRow> {
  const user = await getApplicationUserById(db, asked.userId);
  const isKnown = user !== undefined && user.removedAt === null;
  if (!isKnown || user.tenantId !== asked.tenantId || user.applicationId !== asked.applicationId)
    throw new FixpointError('NOT_FOUND');
  return user;
}

const described = ({ userId, subject, name, email }: ApplicationUserRow) => ({
  userId,
  subject,
  ...(name !== '' && { name }),
  ...(email !== '' && { email }),
});
