import { describe, expect, test } from 'vitest';
import type { Organization } from '../identity/providers/organization.ts';
import { bringIn, makeLedger, openAdmin } from './admin.fixture.ts';

describe('[S5] organisation sign-in', () => {
  type Role = Organization['role'];
  const acme = (role: Role): Organization => ({ id: 'org_1', name: 'Acme', role });

  async function openOrganization() {
    const parts = await openAdmin();
    const signIn = async (name: string, role: Role, more: object = {}) => {
      const organization = acme(role);
      const person = { provider: 'fake', providerUserId: `id-of-${name}`, email: `${name}@example.com` };
      const caller = parts.callerFor({ ...person, emailVerified: true, name, organization, ...more });
      const { tenants, user } = await caller.ask('reqEnsureUser', {});
      return { ...caller, userId: user.userId, roles: tenants.map((one) => one.role), tenants };
    };
    const ada = await signIn('ada', 'admin');
    return { ...parts, signIn, ada, tenantId: ada.tenants[0]?.tenantId ?? '' };
  }

  test("doesn't readmit a removed member until an admin invites them", async () => {
    const { ada, tenantId, signIn } = await openOrganization();
    const bob = await signIn('bob', 'admin');
    expect(bob.roles).toEqual(['admin']);
    await ada.ask('reqRemoveMember', { tenantId, userId: bob.userId });
    expect((await signIn('bob', 'admin')).roles).toEqual([]);
    const other = { providerUserId: 'another account', email: 'bob@example.com' };
    expect((await signIn('bob', 'admin', other)).roles).toEqual([]);
    await bringIn(ada, tenantId, bob);
    expect((await signIn('bob', 'admin')).roles).toEqual(['member']);
  });

  test("doesn't make a guest a member again after an admin removed them as a member", async () => {
    const { ada, tenantId, signIn } = await openOrganization();
    const bob = await signIn('bob', 'member');
    const ledgerId = await makeLedger(ada, tenantId);
    await ada.ask('reqRemoveMember', { tenantId, userId: bob.userId });
    const invitedParams = { ledger: { id: ledgerId, right: 'read' as const } };
    await ada.ask('reqInviteUser', { ticket: { query: { existingUserId: bob.userId }, invitedParams } });
    await bob.ask('reqRedeemInvite', {});
    await signIn('bob', 'admin');
    const { members } = (await ada.ask('reqListTenantsByUser', {})).tenants[0] ?? {};
    expect(members?.map(({ userId }) => userId)).toEqual([ada.userId]);
  });

  test("keeps a role that an admin of the tenant set, and doesn't readmit a member who left", async () => {
    const { ada, tenantId, signIn } = await openOrganization();
    const bob = await signIn('bob', 'admin');
    await ada.ask('reqUpdateUserTenant', { tenantId, userId: bob.userId, role: 'member' });
    expect((await signIn('bob', 'admin')).roles).toEqual(['member']);
    await bob.ask('reqRemoveMember', { tenantId });
    expect((await signIn('bob', 'admin')).roles).toEqual([]);
  });

  test('revokes the invites that an admin sent, when the provider demotes that admin', async () => {
    const { tenantId, signIn, signUp } = await openOrganization();
    const bob = await signIn('bob', 'admin');
    const eve = await signUp('eve');
    await bob.ask('reqInviteUser', {
      ticket: {
        query: { existingUserId: eve.userId },
        invitedParams: { tenant: { id: tenantId, role: 'admin' } },
      },
    });
    expect((await signIn('bob', 'member')).roles).toEqual(['member']);
    expect((await eve.ask('reqRedeemInvite', {})).invites).toEqual([]);
  });

  test('transfers the tenant to the admin who joined first, when the provider demotes the owner', async () => {
    const { ada, db, signIn } = await openOrganization();
    expect((await signIn('ada', 'member')).roles).toEqual(['admin']);
    const bob = await signIn('bob', 'admin');
    await signIn('max', 'admin');
    expect((await signIn('ada', 'member')).roles).toEqual(['member']);
    const [tenant] = await db.selectFrom('Tenants').select('ownerUserId').execute();
    expect(tenant?.ownerUserId).toBe(bob.userId);
    expect((await signIn('ada', 'admin')).roles).toEqual(['admin']);
    expect(ada.userId).not.toBe(bob.userId);
  });

  test('lets an admin of the organisation transfer the tenant to themselves', async () => {
    const { ada, tenantId, signIn, callerFor } = await openOrganization();
    const bob = await signIn('bob', 'admin');
    const take = { tenantId, userId: bob.userId };
    const outside = callerFor({ ...bob.person, organization: { id: 'org_2', role: 'admin' } });
    expect(await outside.refused('reqTransferTenant', take)).toMatchObject({ code: 'FORBIDDEN' });
    await bob.ask('reqTransferTenant', take);
    await bob.ask('reqRemoveMember', { tenantId, userId: ada.userId });
  });
});
