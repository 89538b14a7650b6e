import { FixpointError } from '@fixpoint/protocol';
import { changeUser, existingTables } from '../../identity/change-user.ts';
import { approvedLetter } from '../../mail/letters.ts';
import {
  approveWaiting,
  getUserByProvider,
  listAllUsers,
  listWaiting,
  WAITING,
} from '../../tables/accounts/user-rows.ts';
import { timestamp } from '../../tables/new-row.ts';
import { listFailedMails } from '../../tables/operators/failed-mails.ts';
import { listGateways } from '../../tables/operators/gateway-rows.ts';
import { setQuota } from '../../tables/operators/object-sizes.ts';
import { claimFirstOperator } from '../../tables/operators/operator-rows.ts';
import { type AuditPlace, listAuditOfServer } from '../../tables/operators/server-audit.ts';
import { readServerFigures } from '../../tables/operators/server-figures.ts';
import { listTenants, setTenantLimits } from '../../tables/operators/tenant-list.ts';
import { trafficOf } from '../../tables/operators/traffic.ts';
import { addressesOf, listPeople, setMaxTenants } from '../../tables/operators/user-list.ts';
import { SERVER } from '../../tables/tenants/audit-records.ts';
import { hashOfOperatorLink, OPERATOR_LINK_MS } from '../../tokens/operator-link.ts';
import { recordAction } from '../audit.ts';
import type { Handlers } from '../handler.ts';

const PAGE = 50;
const AUDIT_PAGE = 100;
const MAILS_MAX = 200;
const DAY_MS = 86_400_000;
const TRAFFIC_DAYS = 13;

export const operatorHandlers = {
  reqClaimOperator: {
    perMinute: 10,
    run: async (context, { secret }) => {
      const { db, person, now } = context;
      const at = timestamp(now);
      const caller = await getUserByProvider(db, person.provider, person.providerUserId);
      const status = caller && statusOf(caller.status, caller.statusReason);
      if (caller === undefined || (status !== 'active' && status !== 'waiting'))
        throw new FixpointError('NOT_SIGNED_IN', 'user not found');
      const oldest = timestamp(now - OPERATOR_LINK_MS);
      const claim = { hash: hashOfOperatorLink(secret), userId: caller.userId, at, oldest };
      if (!(await claimFirstOperator(db, claim)))
        throw new FixpointError(
          'NOT_FOUND',
          'this link has ended. A server without an operator prints a new link when it starts',
        );
      // Nobody else could approve the first user of a server with a waitlist.
      if (status === 'waiting') await approveWaiting(db, caller.userId, at);
      await recordAction({ ...context, caller }, 'reqClaimOperator', { tenantId: SERVER }, {});
      return { operator: true as const };
    },
  },
  reqDescribeServer: {
    run: async ({ db, now, signUp, server: { version } }) => {
      const failed = await listFailedMails(db, MAILS_MAX);
      const lately = timestamp(now - 7 * DAY_MS);
      return {
        version,
        signUp,
        ...(await readServerFigures(db)),
        gateways: (await listGateways(db, now)).length,
        failedMails: failed.filter(({ failedAt }) => failedAt >= lately).length,
      };
    },
  },
  reqListServerTenants: {
    run: async ({ db, now, newLimits }, { limit = PAGE, ...asked }) => {
      const rows = await listTenants(db, { ...asked, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const ids = shown.map(({ tenantId }) => tenantId);
      const traffic = await trafficOf(db, ids, timestamp(now - TRAFFIC_DAYS * DAY_MS));
      const tenants = shown.map(({ ownerEmail, maxBytes, maxShares, ...row }) => ({
        ...row,
        maxShares: maxShares ?? newLimits.maxShares,
        ...(ownerEmail && { ownerEmail }),
        ...(maxBytes !== undefined && { maxBytes }),
        traffic: [...(traffic.get(row.tenantId) ?? [])],
      }));
      return { tenants, ...(rows.length > limit && { next: ids.at(-1) }) };
    },
  },
  reqListServerUsers: {
    run: async ({ db }, { limit = PAGE, ...asked }) => {
      const rows = await listPeople(db, { ...asked, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const users = shown.map(({ email, status, statusReason, operatorSince, ...row }) => ({
        ...row,
        ...(email !== null && { email }),
        provider: row.provider ?? '',
        usedAt: row.usedAt ?? row.createdAt,
        status: statusOf(status, statusReason),
        operator: operatorSince !== null,
      }));
      return { users, ...(rows.length > limit && { next: shown.at(-1)?.userId }) };
    },
  },
  reqSetTenantLimits: {
    tenantOf: ({ tenantId }) => tenantId,
    run: async ({ db, now }, { tenantId, maxBytes, ...limits }) => {
      if (!(await setTenantLimits(db, tenantId, limits, timestamp(now))))
        throw new FixpointError('NOT_FOUND');
      if (maxBytes !== undefined) await setQuota(db, tenantId, maxBytes);
      return { tenantId };
    },
  },
  reqSetUserLimits: {
    run: async ({ db, now }, { userId, maxTenants }) => {
      if (!(await setMaxTenants(db, userId, maxTenants, timestamp(now))))
        throw new FixpointError('NOT_FOUND');
      return { userId };
    },
  },
  reqChangeUser: {
    revokes: true,
    run: async ({ db, caller, now, applications }, { userId, action }) => {
      if (action === 'ban' && userId === caller.userId)
        throw new FixpointError('CONFLICT', "operators can't ban themselves");
      const rows = await listAllUsers(db, userId);
      if (rows.length === 0) throw new FixpointError('NOT_FOUND');
      const existing = await existingTables(db);
      const how = { at: timestamp(now), usersMax: applications.usersPerTenantMax };
      for (const row of rows) await changeUser(db, row, action, existing, how);
      return { userId };
    },
  },
  reqApproveWaiting: {
    run: async ({ db, now, mailer, consoleUrl, afterwards }, { userIds }) => {
      const waiting = new Map((await listWaiting(db)).map(({ userId, email }) => [userId, email]));
      for (const userId of new Set(userIds)) {
        if (!(await approveWaiting(db, userId, timestamp(now)))) throw new FixpointError('NOT_FOUND', userId);
        const email = waiting.get(userId);
        if (email) afterwards(() => mailer.send(approvedLetter(email, consoleUrl)));
      }
      return { userIds };
    },
  },
  reqListGateways: {
    run: async ({ db, now }) => ({ gateways: await listGateways(db, now) }),
  },
  reqListFailedMails: {
    run: async ({ db }) => ({ mails: await listFailedMails(db, MAILS_MAX) }),
  },
  reqListBackups: {
    prepare: async ({ server }) => server.backups?.refresh(),
    run: async ({ server: { backups } }) =>
      backups === undefined ? { backups: [] } : { everyHours: backups.everyHours, ...backups.known() },
  },
  reqListServerAudit: {
    run: async ({ db }, { before, limit = AUDIT_PAGE }) => {
      const place = before === undefined ? undefined : placeIn(before);
      const rows = await listAuditOfServer(db, { before: place, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const addresses = await addressesOf(db, [...new Set(shown.map(({ userId }) => userId))]);
      const records = shown.map(({ ledgerId, origin, createdAt, seq, ...row }) => {
        const email = addresses.get(row.userId);
        return {
          ...row,
          seq: Number(seq),
          at: createdAt,
          ...(email !== undefined && { email }),
          ...(ledgerId !== null && { ledgerId }),
          ...(origin !== null && { from: origin }),
        };
      });
      const last = shown.at(-1);
      const next = last && `${last.createdAt} ${last.tenantId} ${last.seq}`;
      return { records, ...(rows.length > limit && next && { next }) };
    },
  },
} satisfies Partial<Handlers>;

function statusOf(status: string, reason: string): 'active' | 'banned' | 'waiting' | 'inactive' {
  if (status === 'active' || status === 'banned') return status;
  return reason === WAITING ? 'waiting' : 'inactive';
}

function placeIn(text: string): AuditPlace {
  const [createdAt = '', tenantId = '', seq = ''] = text.split(' ');
  return { createdAt, tenantId, seq: Number(seq) };
}
