/** Commands with which an operator sees and changes a server, while it runs or not. */
import { FixpointError } from '@fixpoint/protocol';
import type { CloudConfig } from './config.ts';
import { recordCommand, withTables } from './operate-tables.ts';
import { oneOf } from './operate-users.ts';
import { listAllUsers } from './tables/accounts/user-rows.ts';
import { inTransaction } from './tables/connection.ts';
import { timestamp } from './tables/new-row.ts';
import { listFailedMails } from './tables/operators/failed-mails.ts';
import { listGateways } from './tables/operators/gateway-rows.ts';
import { setQuota } from './tables/operators/object-sizes.ts';
import { addOperator, listOperators, removeOperator } from './tables/operators/operator-rows.ts';
import { listAuditOfServer } from './tables/operators/server-audit.ts';
import { readServerFigures } from './tables/operators/server-figures.ts';
import { listTenants, setTenantLimits, type TenantLimits } from './tables/operators/tenant-list.ts';
import { trafficOf } from './tables/operators/traffic.ts';
import { setMaxTenants } from './tables/operators/user-list.ts';
import { SERVER } from './tables/tenants/audit-records.ts';

const PAGE = 1000;
const MAILS_MAX = 1000;
const DAY_MS = 86_400_000;
const TRAFFIC_DAYS = 13;

export type KnownOperator = Awaited<ReturnType<typeof operators>>[number];

export const operators = (config: CloudConfig) => withTables(config, listOperators);

/**
 * Makes users operators, or ends that. Returns the users that changed.
 * @param wanted addresses or ids
 * @throws FixpointError NOT_FOUND, CONFLICT for an address of several users, REQUEST_INVALID for a
 * user whom an application brings along. In these cases, nothing changes
 */
export async function changeOperators(
  config: CloudConfig,
  action: 'add' | 'remove',
  wanted: readonly string[],
): Promise<{ readonly userId: string; readonly email: string | null }[]> {
  return withTables(config, (db) =>
    inTransaction(db, async (tx) => {
      const all = await listAllUsers(tx);
      const chosen = wanted.map((text) => oneOf(all, text));
      const at = timestamp(Date.now());
      const changed = [];
      for (const { userId, email, own } of chosen) {
        if (own !== undefined && action === 'add')
          throw new FixpointError('REQUEST_INVALID', `${userId} is a user of an application`);
        const isNew = action === 'add' ? await addOperator(tx, userId, at) : await removeOperator(tx, userId);
        if (isNew) await recordCommand(tx, `operators ${action}`, SERVER, { userId });
        if (isNew) changed.push({ userId, email });
      }
      return changed;
    }),
  );
}

export type TenantOfServer = Awaited<ReturnType<typeof tenantsOfServer>>[number];

/**
 * Returns tenants, newest first, with their limits, stored bytes, and traffic of two weeks.
 * @param search a part of a name or of an owner's address, or a whole id
 */
export const tenantsOfServer = (config: CloudConfig, search?: string) =>
  withTables(config, async (db) => {
    const found = [];
    for (let after: string | undefined; ; ) {
      const rows = await listTenants(db, { search, after, limit: PAGE });
      const ids = rows.map(({ tenantId }) => tenantId);
      const traffic = await trafficOf(db, ids, timestamp(Date.now() - TRAFFIC_DAYS * DAY_MS));
      for (const row of rows) {
        const maxShares = row.maxShares ?? config.newLimits.maxShares;
        found.push({ ...row, maxShares, traffic: traffic.get(row.tenantId) ?? [] });
      }
      after = ids.at(-1);
      if (rows.length < PAGE) return found;
    }
  });

/**
 * Sets limits of a tenant.
 * @param maxBytes the byte quota; null removes it, undefined keeps it
 * @throws FixpointError NOT_FOUND
 */
export async function setLimits(
  config: CloudConfig,
  tenantId: string,
  { maxBytes, ...limits }: TenantLimits & { readonly maxBytes?: number | null | undefined },
): Promise<void> {
  await withTables(config, (db) =>
    inTransaction(db, async (tx) => {
      if (!(await setTenantLimits(tx, tenantId, limits, timestamp(Date.now()))))
        throw new FixpointError('NOT_FOUND', tenantId);
      if (maxBytes !== undefined) await setQuota(tx, tenantId, maxBytes);
      await recordCommand(tx, 'reqSetTenantLimits', tenantId, { tenantId, maxBytes, ...limits });
    }),
  );
}

/**
 * Sets how many tenants a user may own. Returns the id of the user.
 * @param wanted address or id
 * @throws FixpointError NOT_FOUND, CONFLICT for an address of several users
 */
export async function setUserLimit(config: CloudConfig, wanted: string, maxTenants: number): Promise<string> {
  return withTables(config, (db) =>
    inTransaction(db, async (tx) => {
      const { userId } = oneOf(await listAllUsers(tx), wanted);
      if (!(await setMaxTenants(tx, userId, maxTenants, timestamp(Date.now()))))
        throw new FixpointError('NOT_FOUND', wanted);
      await recordCommand(tx, 'reqSetUserLimits', SERVER, { userId, maxTenants });
      return userId;
    }),
  );
}

export const runningGateways = (config: CloudConfig) =>
  withTables(config, (db) => listGateways(db, Date.now()));

export const failedMails = (config: CloudConfig) =>
  withTables(config, (db) => listFailedMails(db, MAILS_MAX));

/** Returns the newest audit records of all tenants and of the server itself. */
export const auditOfServer = (config: CloudConfig, limit: number) =>
  withTables(config, (db) => listAuditOfServer(db, { before: undefined, limit }));

/** Returns what the server has, and its sign-up mode. */
export const describeServer = (config: CloudConfig) =>
  withTables(config, async (db) => ({ signUp: config.signUp, ...(await readServerFigures(db)) }));
