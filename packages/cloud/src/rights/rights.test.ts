import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../admin/admin.fixture.ts';
import { insertUser } from '../tables/accounts/user-rows.ts';
import type { Db } from '../tables/connection.ts';
import { insertLedger } from '../tables/ledgers/ledger-rows.ts';
import { upsertLedgerUser } from '../tables/ledgers/ledger-users.ts';
import { NEW_LIMITS } from '../tables/new-limits.ts';
import { insertTenant } from '../tables/tenants/tenant-rows.ts';
import { insertMember } from '../tables/tenants/tenant-users.ts';
import { type Action, authorize } from './authorize.ts';
import { createLedgerRights } from './rights.ts';
import { accessBy } from './standing.ts';

const AT = '2026-11-20T12:00:00.000Z';
const PEOPLE = ['admin', 'member', 'reader', 'writer', 'shut', 'stranger'] as const;
type Person = (typeof PEOPLE)[number];
const OF_TENANT: readonly Action[] = [
  'tenant:read',
  'tenant:update',
  'tenant:delete',
  'members:manage',
  'invites:manage',
  'ledger:create',
];
const OF_LEDGER: readonly Action[] = ['ledger:read', 'ledger:write', 'ledger:update', 'ledger:delete'];

/** Opens a tenant with a ledger, and one person of each standing. */
async function openHouse(): Promise<Db> {
  const db = await openTestDatabase();
  for (const userId of PEOPLE) await insertUser(db, userId, 5, AT);
  await insertTenant(db, { tenantId: 't', name: 'T', ownerUserId: 'admin' }, NEW_LIMITS, AT);
  await insertTenant(db, { tenantId: 'other', name: 'O', ownerUserId: 'stranger' }, NEW_LIMITS, AT);
  await insertMember(db, { tenantId: 'other', userId: 'stranger', role: 'admin' }, AT);
  await insertLedger(db, { ledgerId: 'l', tenantId: 't', ownerId: 'admin', name: 'notes' }, NEW_LIMITS, AT);
  const foreign = { ledgerId: 'foreign', tenantId: 'other', ownerId: 'stranger', name: 'notes' };
  await insertLedger(db, foreign, NEW_LIMITS, AT);
  await insertMember(db, { tenantId: 't', userId: 'admin', role: 'admin' }, AT);
  for (const userId of ['member', 'reader', 'writer', 'shut'])
    await insertMember(db, { tenantId: 't', userId, role: 'member' }, AT);
  for (const [userId, right] of [
    ['admin', 'read'],
    ['reader', 'read'],
    ['writer', 'write'],
    ['shut', 'write'],
  ] as const)
    await upsertLedgerUser(db, { ledgerId: 'l', userId, role: 'member', right }, AT);
  await db.updateTable('LedgerUsers').set({ status: 'inactive' }).where('userId', '=', 'shut').execute();
  return db;
}

/**
 * Returns who may run the action.
 * @param seenBy people who can see the target; all others must not learn whether it exists
 */
async function allowed(
  db: Db,
  action: Action,
  target: { tenantId: string; ledgerId?: string },
  seenBy: readonly Person[] = [],
): Promise<Person[]> {
  const people: Person[] = [];
  for (const userId of PEOPLE)
    await authorize(db, { userId }, action, target).then(
      () => people.push(userId),
      (error: unknown) =>
        expect(error, userId).toMatchObject(
          seenBy.includes(userId)
            ? { code: 'FORBIDDEN', message: expect.stringMatching(/ this (tenant|database)|^This database /) }
            : { code: 'NOT_FOUND', message: 'Not found' },
        ),
    );
  return people;
}

describe('authorize', () => {
  const inTenant: Person[] = ['admin', 'member', 'reader', 'writer', 'shut'];
  const table: readonly [Action, Person[]][] = [
    ['tenant:read', inTenant],
    ['tenant:update', ['admin']],
    ['tenant:delete', ['admin']],
    ['members:manage', ['admin']],
    ['invites:manage', ['admin']],
    ['ledger:create', ['admin']],
    ['ledger:read', ['admin', 'member', 'reader', 'writer']],
    ['ledger:write', ['admin', 'member', 'writer']],
    ['ledger:update', ['admin']],
    ['ledger:delete', ['admin']],
  ];

  test('is tested for every action in the two lists', () => {
    expect(table.map(([action]) => action).toSorted()).toEqual([...OF_TENANT, ...OF_LEDGER].toSorted());
  });

  test.each(table)('[S1] allows %s only to %j', async (action, people) => {
    const db = await openHouse();
    const isOfLedger = OF_LEDGER.includes(action);
    const ledgerId = isOfLedger ? { ledgerId: 'l' } : {};
    const seenBy = isOfLedger ? inTenant.filter((person) => person !== 'shut') : inTenant;
    expect(await allowed(db, action, { tenantId: 't', ...ledgerId }, seenBy)).toEqual(people);
  });

  test.each(OF_LEDGER)(
    "[S1] %s: doesn't find a ledger that is missing, has no id, or belongs to another tenant",
    async (action) => {
      const db = await openHouse();
      for (const target of [{ ledgerId: 'none' }, { ledgerId: 'foreign' }, { ledgerId: '' }, {}])
        expect(await allowed(db, action, { tenantId: 't', ...target })).toEqual([]);
      expect(await allowed(db, action, { tenantId: 'other', ledgerId: 'l' })).toEqual([]);
    },
  );

  test.each([
    ['user', 'Users', 'userId', 'admin'],
    ['tenant', 'Tenants', 'tenantId', 't'],
  ] as const)("[S5] grants no right if the %s isn't active", async (_, table, column, id) => {
    const db = await openHouse();
    await db
      .updateTable(table)
      .set({ status: 'inactive' })
      .where(column as never, '=', id as never)
      .execute();
    for (const action of [...OF_TENANT, ...OF_LEDGER])
      await expect(
        authorize(db, { userId: 'admin' }, action, { tenantId: 't', ledgerId: 'l' }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test("[S5] grants no right if the membership or the ledger isn't active", async () => {
    const db = await openHouse();
    await db.updateTable('Ledgers').set({ status: 'inactive' }).execute();
    for (const action of OF_LEDGER)
      expect(await allowed(db, action, { tenantId: 't', ledgerId: 'l' })).toEqual([]);
    await db.updateTable('TenantUsers').set({ status: 'inactive' }).execute();
    for (const action of OF_TENANT) expect(await allowed(db, action, { tenantId: 't' })).toEqual([]);
  });

  test('grants at most reading for unknown roles and rights, and nothing for an unknown status', () => {
    expect(accessBy({ tenantRole: 'owner', ownRight: 'all', ownStatus: 'active' })).toBe('read');
    expect(accessBy({ tenantRole: '', ownRight: '', ownStatus: 'active' })).toBe('read');
    expect(accessBy({ tenantRole: 'member', ownRight: 'write', ownStatus: 'odd' })).toBe('none');
  });
});

describe('rights of the gateway', () => {
  test('[S5] ends a revoked right within five seconds', async () => {
    const db = await openHouse();
    let now = 1_000_000;
    const rights = createLedgerRights(db, () => now);
    const access = () => rights.accessTo('member', 't', 'l');
    expect(await access()).toBe('write');
    await db.updateTable('TenantUsers').set({ status: 'inactive' }).where('userId', '=', 'member').execute();
    now += 4999;
    expect(await access()).toBe('write');
    now += 1;
    expect(await access()).toBe('none');
  });

  test('[S5] returns no answer that is older than the requested age', async () => {
    const db = await openHouse();
    let now = 1_000_000;
    const rights = createLedgerRights(db, () => now);
    const access = (ageMs: number) => rights.accessTo('member', 't', 'l', undefined, ageMs);
    await access(1000);
    await db.deleteFrom('TenantUsers').where('userId', '=', 'member').execute();
    now += 999;
    expect(await access(1000)).toBe('write');
    now += 1;
    expect(await access(2000)).toBe('write');
    expect(await access(1000)).toBe('none');
    now += 5000;
    expect(await access(60_000)).toBe('none');
  });

  test('[S5] looks up a right again after five seconds, even if it is requested every half second', async () => {
    const db = await openHouse();
    let now = 1_000_000;
    const rights = createLedgerRights(db, () => now);
    await rights.accessTo('member', 't', 'l');
    await db.deleteFrom('TenantUsers').where('userId', '=', 'member').execute();
    for (let i = 0; i < 9; i += 1) {
      now += 500;
      await rights.accessTo('member', 't', 'l');
    }
    now += 500;
    expect(await rights.accessTo('member', 't', 'l')).toBe('none');
  });

  test("doesn't extend rights when the clock is set back", async () => {
    const db = await openHouse();
    let now = 1_000_000;
    const rights = createLedgerRights(db, () => now);
    await rights.accessTo('member', 't', 'l');
    await db.deleteFrom('TenantUsers').where('userId', '=', 'member').execute();
    now -= 3_600_000;
    expect(await rights.accessTo('member', 't', 'l')).toBe('none');
  });

  test('returns a separate answer for each user, tenant and ledger', async () => {
    const db = await openHouse();
    const rights = createLedgerRights(db, () => 0);
    expect(await rights.accessTo('reader', 't', 'l')).toBe('read');
    expect(await rights.accessTo('admin', 't', 'l')).toBe('write');
    expect(await rights.accessTo('stranger', 't', 'l')).toBe('none');
    expect(await rights.accessTo('admin', 'other', 'l')).toBe('none');
    expect(await rights.accessTo('admin', 't', 'none')).toBe('none');
  });

  test('[R15] clears the cache when it is full', async () => {
    const db = await openHouse();
    const rights = createLedgerRights(db, () => 0, 2);
    const access = () => rights.accessTo('member', 't', 'l');
    expect(await access()).toBe('write');
    await db.deleteFrom('TenantUsers').where('userId', '=', 'member').execute();
    await rights.accessTo('admin', 't', 'l');
    expect(await access()).toBe('write');
    await rights.accessTo('writer', 't', 'l');
    expect(await access()).toBe('none');
  });

  test("doesn't cache a failed lookup", async () => {
    const db = await openHouse();
    const rights = createLedgerRights(db, () => 0);
    await db.schema.alterTable('LedgerUsers').renameTo('Away').execute();
    await expect(rights.accessTo('admin', 't', 'l')).rejects.toThrow();
    await db.schema.alterTable('Away').renameTo('LedgerUsers').execute();
    expect(await rights.accessTo('admin', 't', 'l')).toBe('write');
  });
});
