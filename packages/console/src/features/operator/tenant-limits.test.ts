import type { ServerTenant } from '@fixpoint/protocol/admin';
import { expect, test } from 'vitest';
import { isNearLimit, orderTenants, shareOf } from './tenant-limits.ts';

const tenant = (name: string, more: Partial<ServerTenant> = {}): ServerTenant => ({
  ...{ tenantId: name, name, status: 'active', ownerUserId: 'u', createdAt: '2026-11-20T12:00:00.000Z' },
  ...{ maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 5, maxShares: 5 },
  ...{ admins: 1, members: 2, ledgers: 3, bytes: 900, traffic: [], ...more },
});

test('finds tenants that have reached a limit, or nearly their quota', () => {
  expect(isNearLimit(tenant('a'))).toBe(false);
  expect(isNearLimit(tenant('a', { maxBytes: 1000 }))).toBe(true);
  expect(isNearLimit(tenant('a', { maxBytes: 2000 }))).toBe(false);
  expect(isNearLimit(tenant('a', { ledgers: 5 }))).toBe(true);
  expect(isNearLimit(tenant('a', { members: 5 }))).toBe(true);
  expect([shareOf(5, undefined), shareOf(0, 0), shareOf(9, 3)]).toEqual([undefined, 1, 1]);
});

test('sorts tenants by name, storage or traffic', () => {
  const traffic = [{ day: '2026-11-20', uploaded: 3, downloaded: 4 }];
  const all = [tenant('b', { traffic }), tenant('a', { bytes: 2000 })];
  const names = (order: Parameters<typeof orderTenants>[1]) =>
    orderTenants(all, order).map(({ name }) => name);
  expect([names('newest'), names('name')]).toEqual([
    ['b', 'a'],
    ['a', 'b'],
  ]);
  expect([names('storage'), names('traffic')]).toEqual([
    ['a', 'b'],
    ['b', 'a'],
  ]);
});
