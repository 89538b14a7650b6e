import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openAdmin } from '../admin/admin.fixture.ts';
import type { Db } from './connection.ts';
import { NEW_LIMITS } from './new-limits.ts';
import { usageOf } from './operators/object-sizes.ts';

const CHANGED = {
  ...{ maxTenants: 2, maxAdminUsers: 12, maxMemberUsers: 13, maxInvites: 14, maxLedgers: 15, maxShares: 16 },
  maxBytes: 1_000_000,
};

const limitsOf = async (db: Db) => ({
  ...(await db
    .selectFrom('Tenants')
    .select(['maxAdminUsers', 'maxMemberUsers', 'maxInvites', 'maxLedgers'])
    .executeTakeFirst()),
  ...(await db.selectFrom('Ledgers').select('maxShares').executeTakeFirst()),
});

describe('the limits of new rows', () => {
  test.each([undefined, CHANGED])(
    'sets those of new users, tenants and ledgers, whatever the defaults of the columns are: %j',
    async (changed) => {
      const { db, signUp } = await openAdmin('open', changed);
      const { maxTenants, maxBytes, ...limits } = changed ?? NEW_LIMITS;
      // The columns keep the defaults of the first migration.
      await sql`insert into "Users" ("userId", "createdAt", "updatedAt") values ('old', '', '')`.execute(db);
      const ada = await signUp('ada');
      const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
      await ada.ask('reqCreateLedger', { ledger: { tenantId: tenant.tenantId, name: 'notes' } });
      const users = await db.selectFrom('Users').select(['userId', 'maxTenants']).execute();
      expect(new Map(users.map((user) => [user.userId, user.maxTenants]))).toEqual(
        new Map([
          ['old', 5],
          [tenant.ownerUserId, maxTenants],
        ]),
      );
      expect(await limitsOf(db)).toEqual(limits);
      expect(await usageOf(db, tenant.tenantId)).toEqual({ bytes: 0, maxBytes });
    },
  );

  test("doesn't change the column defaults of the first migration", async () => {
    const { db } = await openAdmin('open', CHANGED);
    await sql`insert into "Users" ("userId", "createdAt", "updatedAt") values ('u', '', '')`.execute(db);
    await sql`
      insert into "Tenants" ("tenantId", "name", "ownerUserId", "createdAt", "updatedAt")
      values ('t', 'T', 'u', '', '')`.execute(db);
    await sql`
      insert into "Ledgers" ("ledgerId", "tenantId", "ownerId", "name", "createdAt", "updatedAt")
      values ('l', 't', 'u', 'notes', '', '')`.execute(db);
    expect(await limitsOf(db)).toEqual({
      ...{ maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 5, maxShares: 5 },
    });
  });

  test('[S6] enforces the limits, and shows them to the user', async () => {
    const { signUp } = await openAdmin('open', CHANGED);
    const ada = await signUp('ada');
    for (const name of ['One', 'Two']) await ada.ask('reqCreateTenant', { tenant: { name } });
    expect(await ada.refused('reqCreateTenant', { tenant: { name: 'Three' } })).toMatchObject({
      code: 'LIMIT_REACHED',
      message: expect.stringContaining('2 tenants'),
    });
    const { tenants } = await ada.ask('reqListTenantsByUser', {});
    expect(tenants[0]).toMatchObject({
      tenant: { limits: { maxLedgers: 15 } },
      user: { limits: { maxTenants: 2 } },
    });
  });
});
