import { describe, expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin, personNamed } from './admin.fixture.ts';

const NOT_FOUND = { status: 404, code: 'NOT_FOUND', message: 'Not found' };

describe('reqEnsureUser', () => {
  test('creates an active user with the limits of the specification and no tenant', async () => {
    const { callerFor, signUp } = await openAdmin();
    const ada = await signUp('ada');
    const { user, tenants } = await callerFor(ada.person).ask('reqEnsureUser', {});
    expect(user).toMatchObject({ status: 'active', maxTenants: 5, userId: ada.userId });
    expect(user.byProviders).toMatchObject([{ queryProvider: 'fake', cleanEmail: 'ada@example.com' }]);
    expect(tenants).toEqual([]);
  });

  test('[S4] creates only one user when it is sent twice, even in parallel', async () => {
    const { callerFor, db } = await openAdmin();
    const ada = callerFor(personNamed('ada'));
    const answers = await Promise.all(Array.from({ length: 20 }, () => ada.ask('reqEnsureUser', {})));
    expect(new Set(answers.map(({ user }) => user.userId)).size).toBe(1);
    expect(await db.selectFrom('Users').selectAll().execute()).toHaveLength(1);
    expect(await db.selectFrom('UserByProviders').selectAll().execute()).toHaveLength(1);
  });

  test('treats the same id at another provider as another user, and never identifies a user by address', async () => {
    const { db, signUp, callerFor } = await openAdmin();
    const ada = await signUp('ada');
    const impostor = callerFor({ ...ada.person, provider: 'other' });
    expect(await impostor.refused('reqListTenantsByUser', {})).toMatchObject({ code: 'NOT_SIGNED_IN' });
    const namesake = await signUp('eve', { email: 'ada@example.com' });
    expect(namesake.userId).not.toBe(ada.userId);
    expect(await db.selectFrom('Users').selectAll().execute()).toHaveLength(2);
  });

  test('[3] keeps ids unique among all providers, and reports an id that is taken, even in parallel', async () => {
    const { db, signUp, callerFor, faults, admin } = await openAdmin();
    const ada = await signUp('ada');
    const other = { ...ada.person, provider: 'other' };
    expect(await callerFor(other).refused('reqEnsureUser', {})).toEqual({
      status: 409,
      code: 'CONFLICT',
      message: 'conflict: this id belongs to a user of another sign-in provider',
    });
    const people = ['fake', 'other'].map((provider) => personNamed('bob', { provider }));
    const answers = await Promise.all(
      people.map((person) =>
        admin({ type: 'reqEnsureUser', auth: { type: 'fake', token: JSON.stringify(person) } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await db.selectFrom('Users').selectAll().execute()).toHaveLength(2);
    expect(faults).toEqual([]);
  });

  test('updates the user when the provider reports a changed or verified address', async () => {
    const { signUp, callerFor } = await openAdmin();
    const ada = await signUp('ada');
    const now = callerFor({ ...ada.person, emailVerified: true, email: 'Ada.New@example.com' });
    const { user } = await now.ask('reqEnsureUser', {});
    expect(user).toMatchObject({
      userId: ada.userId,
      byProviders: [{ cleanEmail: 'adanew@example.com', params: { email_verified: true } }],
    });
  });

  test('[4.1] returns the status and no tenants to a banned user, and rejects their other requests', async () => {
    const { signUp, db, callerFor } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', ada.userId).execute();
    const { user, tenants } = await callerFor(ada.person).ask('reqEnsureUser', {});
    expect(user.status).toBe('banned');
    expect(tenants).toEqual([]);
    const refusal = { status: 401, code: 'NOT_SIGNED_IN' };
    expect(await ada.refused('reqListTenantsByUser', {})).toMatchObject(refusal);
    expect(await ada.refused('reqDeleteTenant', { tenantId })).toMatchObject(refusal);
    expect(await ada.refused('reqCloudSessionToken', {})).toMatchObject(refusal);
  });
});

describe('tenants', () => {
  test('makes the creator of a tenant its owner and an admin', async () => {
    const { signUp } = await openAdmin();
    const ada = await signUp('ada');
    const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: '  Acme  ' } });
    expect(tenant).toMatchObject({
      name: 'Acme',
      ownerUserId: ada.userId,
      status: 'active',
      statusReason: 'just created',
      maxAdminUsers: 5,
      maxMemberUsers: 5,
      maxInvites: 10,
      maxLedgers: 5,
    });
    const { tenants, userId } = await ada.ask('reqListTenantsByUser', {});
    expect(userId).toBe(ada.userId);
    expect(tenants).toMatchObject([
      { tenantId: tenant.tenantId, role: 'admin', tenant: { name: 'Acme' }, adminUserIds: [ada.userId] },
    ]);
  });

  test('[5.1] requires a name', async () => {
    const { signUp } = await openAdmin();
    const ada = await signUp('ada');
    for (const tenant of [{}, { name: '' }, { name: '  ' }])
      expect(await ada.refused('reqCreateTenant', { tenant })).toEqual({
        status: 400,
        code: 'REQUEST_INVALID',
        message: 'request is not valid: Name is required',
      });
  });

  test('[9.1] allows a user five tenants; deleting a tenant frees its slot', async () => {
    const { signUp } = await openAdmin();
    const ada = await signUp('ada');
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push(await makeTenant(ada, `T${i}`));
    expect(await ada.refused('reqCreateTenant', { tenant: { name: 'T6' } })).toEqual({
      status: 409,
      code: 'LIMIT_REACHED',
      message: 'limit reached: 5 tenants',
    });
    await ada.ask('reqDeleteTenant', { tenantId: ids[0] ?? '' });
    await makeTenant(ada, 'T6');
  });

  test('lets an admin rename a tenant without changing its limits', async () => {
    const { signUp, db } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    const asked = { tenantId, name: 'New', maxLedgers: 999, maxAdminUsers: 999 };
    const { tenant } = await ada.ask('reqUpdateTenant', { tenant: asked });
    expect(tenant).toMatchObject({ tenantId, name: 'New', maxLedgers: 5, maxAdminUsers: 5 });
    expect(await db.selectFrom('Tenants').select(['name', 'maxLedgers']).execute()).toEqual([
      { name: 'New', maxLedgers: 5 },
    ]);
  });

  test('deletes a tenant with its ledgers, metas, members and invites, and nothing else', async () => {
    const { signUp, db } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const kept = await makeTenant(ada, 'Kept');
    await makeLedger(ada, kept);
    const tenantId = await makeTenant(ada);
    const ledgerId = await makeLedger(ada, tenantId);
    await bringIn(ada, tenantId, bob);
    const invitedParams = { tenant: { id: tenantId } };
    await ada.ask('reqInviteUser', { ticket: { query: { byEmail: 'c@example.com' }, invitedParams } });
    const meta = { tenantId, ledgerId, seq: 1, cid: 'c', entry: '{}', writer: 'w', createdAt: '' };
    await db.insertInto('Metas').values(meta).execute();
    await db
      .insertInto('LedgerKeys')
      .values({ ledgerId, keyHash: 'h', keyText: 'z', createdAt: '' })
      .execute();
    expect(await ada.ask('reqDeleteTenant', { tenantId })).toMatchObject({ tenantId });
    const left = async (
      table: 'Metas' | 'LedgerKeys' | 'InviteTickets' | 'Ledgers' | 'TenantUsers' | 'LedgerUsers',
    ) => (await db.selectFrom(table).selectAll().execute()).length;
    expect(await left('Metas')).toBe(0);
    expect(await left('LedgerKeys')).toBe(0);
    expect(await left('InviteTickets')).toBe(0);
    expect(await left('Ledgers')).toBe(1);
    expect(await left('LedgerUsers')).toBe(1);
    expect(await left('TenantUsers')).toBe(1);
    expect(await ada.refused('reqDeleteTenant', { tenantId })).toEqual(NOT_FOUND);
    expect((await bob.ask('reqListTenantsByUser', {})).tenants).toEqual([]);
  });

  test('[6.4] shows a member only the tenant and themselves, not the other members', async () => {
    const { signUp } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const tenantId = await makeTenant(ada);
    await bringIn(ada, tenantId, bob);
    const { tenants: ofBob } = await bob.ask('reqListTenantsByUser', {});
    expect(ofBob).toMatchObject([{ tenantId, role: 'member' }]);
    for (const hidden of ['members', 'adminUserIds', 'memberUserIds'])
      expect(ofBob[0]).not.toHaveProperty(hidden);
    const { tenants: ofAda } = await ada.ask('reqListTenantsByUser', {});
    const joinedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(ofAda[0]?.members).toEqual([
      { userId: ada.userId, role: 'admin', name: 'ada', email: 'ada@example.com', joinedAt },
      { userId: bob.userId, role: 'member', name: 'bob', email: 'bob@example.com', joinedAt },
    ]);
  });

  test("[2] shows a member's name in the tenant, else the name from their provider, else no name", async () => {
    const { signUp } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob', { name: 'Bob Builder' })];
    const cy = await signUp('cy', { name: '' });
    const tenantId = await makeTenant(ada);
    for (const one of [bob, cy]) await bringIn(ada, tenantId, one);
    const names = async () => {
      const [{ members = [] } = {}] = (await ada.ask('reqListTenantsByUser', {})).tenants;
      return members.map(({ name }) => name);
    };
    expect(await names()).toEqual(['ada', 'Bob Builder', undefined]);
    await bob.ask('reqUpdateUserTenant', { tenantId, name: 'Bobby' });
    expect(await names()).toEqual(['ada', 'Bobby', undefined]);
  });

  test('lets an operator raise the limits of a tenant, and shows the new limits in lists', async () => {
    const { db, signUp } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    const limits = async () => (await ada.ask('reqListTenantsByUser', {})).tenants[0]?.tenant.limits;
    expect(await limits()).toEqual({ maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 5 });
    const raised = { maxAdminUsers: 6, maxMemberUsers: 70, maxInvites: 80, maxLedgers: 90 };
    await db.updateTable('Tenants').set(raised).where('tenantId', '=', tenantId).execute();
    expect(await limits()).toEqual(raised);
  });

  test('counts the tenants that a user owns, but not other tenants in which they are an admin', async () => {
    const { signUp, callerFor } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const [first] = [await makeTenant(ada, 'A'), await makeTenant(ada, 'B')];
    await bringIn(ada, first, bob, 'admin');
    const ownedBy = async ({ person }: typeof ada) =>
      (await callerFor(person).ask('reqEnsureUser', {})).user.ownedTenants;
    expect([await ownedBy(ada), await ownedBy(bob)]).toEqual([2, 0]);
    await ada.ask('reqTransferTenant', { tenantId: first, userId: bob.userId });
    expect([await ownedBy(ada), await ownedBy(bob)]).toEqual([1, 1]);
    await ada.ask('reqRemoveMember', { tenantId: first });
    expect([await ownedBy(ada), await ownedBy(bob)]).toEqual([1, 1]);
    await bob.ask('reqDeleteTenant', { tenantId: first });
    expect([await ownedBy(ada), await ownedBy(bob)]).toEqual([1, 0]);
  });
});

describe('reqUpdateUserTenant', () => {
  test('lets members change their own name and their default tenant', async () => {
    const { signUp } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const [first, second] = [await makeTenant(ada, 'A'), await makeTenant(ada, 'B')];
    await bringIn(ada, first, bob);
    await bringIn(ada, second, bob);
    const answer = await bob.ask('reqUpdateUserTenant', { tenantId: first, name: 'Bobby', default: true });
    expect(answer).toMatchObject({
      tenantId: first,
      userId: bob.userId,
      role: 'member',
      name: 'Bobby',
      default: true,
    });
    await bob.ask('reqUpdateUserTenant', { tenantId: second, default: true });
    const { tenants } = await bob.ask('reqListTenantsByUser', {});
    expect(tenants.map((one) => [one.tenantId, one.default, one.user.name])).toEqual([
      [first, false, 'Bobby'],
      [second, true, undefined],
    ]);
  });

  test("[S6] doesn't let a member change any role, not even their own", async () => {
    const { signUp } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const tenantId = await makeTenant(ada);
    await bringIn(ada, tenantId, bob);
    const forbidden = {
      status: 403,
      code: 'FORBIDDEN',
      message: 'Only admins of this tenant may manage its members',
    };
    expect(await bob.refused('reqUpdateUserTenant', { tenantId, role: 'admin' })).toEqual(forbidden);
    const demotion = { tenantId, userId: ada.userId, role: 'member' };
    expect(await bob.refused('reqUpdateUserTenant', demotion)).toEqual(forbidden);
    const renaming = { tenantId, userId: ada.userId, name: 'x' };
    expect(await bob.refused('reqUpdateUserTenant', renaming)).toEqual(forbidden);
  });

  test('lets admins change roles, except that of the last admin', async () => {
    const { signUp } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const tenantId = await makeTenant(ada);
    const lastOne = { status: 409, code: 'CONFLICT' };
    expect(await ada.refused('reqUpdateUserTenant', { tenantId, role: 'member' })).toMatchObject(lastOne);
    await bringIn(ada, tenantId, bob);
    await ada.ask('reqUpdateUserTenant', { tenantId, userId: bob.userId, role: 'admin' });
    await ada.ask('reqTransferTenant', { tenantId, userId: bob.userId });
    await bob.ask('reqUpdateUserTenant', { tenantId, userId: ada.userId, role: 'member' });
    expect(await bob.refused('reqUpdateUserTenant', { tenantId, role: 'member' })).toMatchObject(lastOne);
    expect(await ada.refused('reqUpdateTenant', { tenant: { tenantId, name: 'x' } })).toMatchObject({
      status: 403,
      message: 'Only admins of this tenant may rename it',
    });
  });

  test('[9.2] rejects a role whose limit is reached', async () => {
    const { signUp, db } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const tenantId = await makeTenant(ada);
    await bringIn(ada, tenantId, bob);
    await db.updateTable('Tenants').set({ maxAdminUsers: 1 }).execute();
    const promotion = { tenantId, userId: bob.userId, role: 'admin' };
    expect(await ada.refused('reqUpdateUserTenant', promotion)).toMatchObject({ code: 'LIMIT_REACHED' });
  });

  test("doesn't find a user who isn't a member of the tenant", async () => {
    const { signUp } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const tenantId = await makeTenant(ada);
    const change = { tenantId, userId: bob.userId, role: 'admin' };
    expect(await ada.refused('reqUpdateUserTenant', change)).toEqual(NOT_FOUND);
    expect(await bob.refused('reqUpdateUserTenant', { tenantId, name: 'x' })).toEqual(NOT_FOUND);
  });
});
