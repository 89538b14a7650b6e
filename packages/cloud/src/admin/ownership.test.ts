import { describe, expect, test } from 'vitest';
import { bringIn, makeTenant, openAdmin } from './admin.fixture.ts';

async function openWithAdmins() {
  const parts = await openAdmin();
  const [ada, bob] = [await parts.signUp('ada'), await parts.signUp('bob')];
  const tenantId = await makeTenant(ada);
  await bringIn(ada, tenantId, bob, 'admin');
  const ownedBy = async ({ person }: typeof ada) =>
    (await parts.callerFor(person).ask('reqEnsureUser', {})).user.ownedTenants;
  return { ...parts, ada, bob, tenantId, ownedBy };
}

const CONFLICT = { status: 409, code: 'CONFLICT' };

describe('[6.3] the owner of a tenant', () => {
  test("can't be removed or demoted by another admin", async () => {
    const { ada, bob, tenantId } = await openWithAdmins();
    const { userId } = ada;
    expect(await bob.refused('reqRemoveMember', { tenantId, userId })).toMatchObject(CONFLICT);
    const demotion = { tenantId, userId, role: 'member' as const };
    expect(await bob.refused('reqUpdateUserTenant', demotion)).toMatchObject(CONFLICT);
    expect(await ada.refused('reqUpdateUserTenant', demotion)).toMatchObject(CONFLICT);
    await bob.ask('reqUpdateUserTenant', { tenantId, userId, role: 'admin', name: 'Ada' });
  });

  test("can't leave before they transfer the tenant", async () => {
    const { ada, bob, tenantId, ownedBy } = await openWithAdmins();
    expect(await ada.refused('reqRemoveMember', { tenantId })).toEqual({
      ...CONFLICT,
      message: 'conflict: the owner must transfer or delete the tenant first',
    });
    const { tenant } = await ada.ask('reqTransferTenant', { tenantId, userId: bob.userId });
    expect(tenant).toMatchObject({ tenantId, ownerUserId: bob.userId });
    expect([await ownedBy(ada), await ownedBy(bob)]).toEqual([0, 1]);
    await ada.ask('reqRemoveMember', { tenantId });
    const [listed] = (await bob.ask('reqListTenantsByUser', {})).tenants;
    expect(listed?.tenant.ownerUserId).toBe(bob.userId);
    const { records } = await bob.ask('reqListAudit', { tenantId });
    expect(records.map(({ action }) => action)).toContain('reqTransferTenant');
  });

  test('is the only user who can transfer the tenant, and only to an active admin who may own another tenant', async () => {
    const { ada, bob, tenantId, db, signUp } = await openWithAdmins();
    const give = (userId: string) => ({ tenantId, userId });
    expect(await bob.refused('reqTransferTenant', give(bob.userId))).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    });
    const max = await signUp('max');
    expect(await ada.refused('reqTransferTenant', give(max.userId))).toMatchObject(CONFLICT);
    await bringIn(ada, tenantId, max);
    expect(await ada.refused('reqTransferTenant', give(max.userId))).toMatchObject(CONFLICT);
    const setStatus = (status: string) =>
      db.updateTable('Users').set({ status }).where('userId', '=', bob.userId).execute();
    await setStatus('banned');
    expect(await ada.refused('reqTransferTenant', give(bob.userId))).toMatchObject(CONFLICT);
    await setStatus('active');
    await db.updateTable('Users').set({ maxTenants: 0 }).where('userId', '=', bob.userId).execute();
    expect(await ada.refused('reqTransferTenant', give(bob.userId))).toMatchObject({ code: 'LIMIT_REACHED' });
    await ada.ask('reqTransferTenant', give(ada.userId));
  });

  test("can't be replaced by somebody who has a leaked API token", async () => {
    const { ada, admin, bob, tenantId } = await openWithAdmins();
    const { token } = await ada.ask('reqCreateApiToken', { tenantId, name: 'ci', right: 'admin' });
    const auth = { type: 'api-token', token };
    const { status } = await admin({ type: 'reqTransferTenant', auth, tenantId, userId: bob.userId });
    expect(status).toBe(403);
  });

  test('[S6] owns at most five tenants, even if a transfer and new tenants are requested in parallel', async () => {
    const { ada, bob, tenantId, ownedBy } = await openWithAdmins();
    for (let count = 0; count < 4; count += 1) await makeTenant(bob, `own ${count}`);
    await Promise.allSettled([
      ada.ask('reqTransferTenant', { tenantId, userId: bob.userId }),
      makeTenant(bob, 'fifth'),
      makeTenant(bob, 'sixth'),
    ]);
    expect(await ownedBy(bob)).toBe(5);
  });
});

test("doesn't let an admin leave if only a banned admin would remain", async () => {
  const { ada, bob, tenantId, db } = await openWithAdmins();
  await ada.ask('reqTransferTenant', { tenantId, userId: bob.userId });
  await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', bob.userId).execute();
  expect(await ada.refused('reqRemoveMember', { tenantId })).toMatchObject({
    message: 'conflict: a tenant needs an admin',
  });
});
