import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import { insertLedger } from './ledgers/ledger-rows.ts';
import type { Schema } from './schema.ts';
import { insertTenant } from './tenants/tenant-rows.ts';

test('stores the current limits with a new tenant and a new ledger, whatever the column defaults are', async () => {
  const statements: string[] = [];
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (own) => new SqliteIntrospector(own),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void statements.push(`${query.sql} ${JSON.stringify(query.parameters)}`),
  });
  const at = '2026-11-20T12:00:00.000Z';
  await expect(insertTenant(db, { tenantId: 't', name: 'Acme', ownerUserId: 'u' }, at)).rejects.toThrow();
  const ledger = { ledgerId: 'l', tenantId: 't', ownerId: 'u', name: 'notes' };
  await expect(insertLedger(db, ledger, at)).rejects.toThrow();
  expect(statements[0]).toMatch(/"maxAdminUsers", "maxMemberUsers", "maxInvites", "maxLedgers".*5,5,10,5/);
  expect(statements[1]).toMatch(/"maxShares".*,5,/);
});
