import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { openAdmin } from '../admin/admin.fixture.ts';

vi.mock('@fixpoint/protocol', async (original) => {
  const protocol = await original<typeof import('@fixpoint/protocol')>();
  const changed = {
    tenantsPerUserMax: 11,
    adminUsersPerTenantMax: 12,
    memberUsersPerTenantMax: 13,
    invitesPerTenantMax: 14,
    ledgersPerTenantMax: 15,
    sharesPerLedgerMax: 16,
  };
  return { ...protocol, LIMITS: { ...protocol.LIMITS, ...changed } };
});

describe('a limit that changed since the tables were created', () => {
  test('applies to new users, tenants and ledgers of an existing database', async () => {
    const { db, signUp } = await openAdmin();
    // The columns keep the defaults of the first migration.
    await sql`insert into "Users" ("userId", "createdAt", "updatedAt") values ('old', '', '')`.execute(db);
    const ada = await signUp('ada');
    const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
    await ada.ask('reqCreateLedger', { ledger: { tenantId: tenant.tenantId, name: 'notes' } });
    const users = await db.selectFrom('Users').select(['userId', 'maxTenants']).execute();
    expect(Object.fromEntries(users.map(({ userId, maxTenants }) => [userId, maxTenants]))).toEqual({
      old: 5,
      [tenant.ownerUserId]: 11,
    });
    const tenants = await db.selectFrom('Tenants').selectAll().execute();
    expect(tenants).toMatchObject(
      tenants.map(() => ({ maxAdminUsers: 12, maxMemberUsers: 13, maxInvites: 14, maxLedgers: 15 })),
    );
    expect(await db.selectFrom('Ledgers').select('maxShares').execute()).toEqual([{ maxShares: 16 }]);
  });

  test("doesn't change the column defaults of the first migration", async () => {
    const { db } = await openAdmin();
    await sql`insert into "Users" ("userId", "createdAt", "updatedAt") values ('u', '', '')`.execute(db);
    await sql`
      insert into "Tenants" ("tenantId", "name", "ownerUserId", "createdAt", "updatedAt")
      values ('t', 'T', 'u', '', '')`.execute(db);
    await sql`
      insert into "Ledgers" ("ledgerId", "tenantId", "ownerId", "name", "createdAt", "updatedAt")
      values ('l', 't', 'u', 'notes', '', '')`.execute(db);
    expect(await db.selectFrom('Tenants').selectAll().executeTakeFirst()).toMatchObject({
      maxAdminUsers: 5,
      maxMemberUsers: 5,
      maxInvites: 10,
      maxLedgers: 5,
    });
    expect(await db.selectFrom('Ledgers').select('maxShares').execute()).toEqual([{ maxShares: 5 }]);
  });

  test('is enforced for a user who signed up after the change', async () => {
    const { signUp } = await openAdmin();
    const ada = await signUp('ada');
    for (let count = 0; count < 11; count += 1)
      await ada.ask('reqCreateTenant', { tenant: { name: `Acme ${count}` } });
    expect(await ada.refused('reqCreateTenant', { tenant: { name: 'Too many' } })).toMatchObject({
      code: 'LIMIT_REACHED',
    });
  });
});
