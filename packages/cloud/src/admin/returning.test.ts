/** Tests that people who lost a right can't get it back without an admin. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { testDatabaseKind } from '../tables/postgres.fixture.ts';
import { bringIn, makeLedger, makeTenant, openAdmin, type SignedUp } from './admin.fixture.ts';
import { accessTo } from './sharing.fixture.ts';

const DAY_MS = 86_400_000;
const PROVEN = { emailVerified: true };
type Role = 'admin' | 'member';
type Who = { readonly byEmail: string } | { readonly existingUserId: string };

async function openWithTenant() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada', PROVEN);
  const tenantId = await makeTenant(ada);
  const ledgerId = await makeLedger(ada, tenantId);
  const ledger = { tenantId, ledgerId };
  const invite = (query: Who, role: Role = 'member', by: SignedUp = ada) =>
    by.ask('reqInviteUser', { ticket: { query, invitedParams: { tenant: { id: tenantId, role } } } });
  const inviteToLedger = (query: Who, right: 'read' | 'write' = 'write') =>
    ada.ask('reqInviteUser', { ticket: { query, invitedParams: { ledger: { id: ledgerId, right } } } });
  const refusedInvite = (query: Who, role: Role = 'member') =>
    ada.refused('reqInviteUser', { ticket: { query, invitedParams: { tenant: { id: tenantId, role } } } });
  const remove = ({ userId }: SignedUp, by: SignedUp = ada) =>
    by.ask('reqRemoveMember', { tenantId, userId });
  const access = ({ userId }: SignedUp) => accessTo(parts.db, userId, tenantId, ledgerId);
  const tenantsOf = async (one: Pick<SignedUp, 'ask'>) =>
    (await one.ask('reqListTenantsByUser', {})).tenants.map(({ role }) => role);
  const redeemed = async (one: Pick<SignedUp, 'ask'>) =>
    (await one.ask('reqRedeemInvite', {})).invites.length;
  const statuses = async () =>
    (await ada.ask('reqListInvites', {})).tickets.map(({ status }) => status).toSorted();
  return {
    ...parts,
    ada,
    tenantId,
    ledgerId,
    ledger,
    invite,
    inviteToLedger,
    refusedInvite,
    remove,
    access,
    tenantsOf,
    redeemed,
    statuses,
  };
}

const byId = ({ userId }: SignedUp): Who => ({ existingUserId: userId });
const byEmail = ({ person }: Pick<SignedUp, 'person'>): Who => ({ byEmail: person.email });

describe('[S5] one pending invite per person and tenant', () => {
  test('rejects a second invite to the same person, by address or by id', async () => {
    const { signUp, invite, refusedInvite } = await openWithTenant();
    const [bob, eve] = [await signUp('bob', PROVEN), await signUp('eve', PROVEN)];
    await invite(byId(bob));
    expect(await refusedInvite(byEmail(bob))).toMatchObject({ code: 'CONFLICT' });
    await invite(byEmail(eve));
    expect(await refusedInvite(byId(eve))).toMatchObject({ code: 'CONFLICT' });
  });

  test('rejects an invite to a member, by their verified address or by any account with that address', async () => {
    const { ada, tenantId, signUp, refusedInvite } = await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    await bringIn(ada, tenantId, bob);
    const other = await signUp('bob again', { email: bob.person.email, emailVerified: true });
    for (const query of [byEmail(bob), byId(bob), byId(other)])
      expect(await refusedInvite(query)).toMatchObject({ code: 'CONFLICT' });
  });

  test('revokes the invite to the address of a person who verifies it and then accepts the invite to their id', async () => {
    const { signUp, callerFor, invite, redeemed, statuses } = await openWithTenant();
    const bob = await signUp('bob');
    const { invite: first } = await invite(byId(bob));
    await invite(byEmail(bob), 'admin');
    const proved = callerFor({ ...bob.person, ...PROVEN });
    await proved.ask('reqRedeemInvite', { inviteId: first.inviteId });
    expect(await statuses()).toEqual(['accepted', 'revoked']);
    expect(await redeemed(proved)).toBe(0);
  });
});

describe('[S5] a removed member', () => {
  test.each([
    ['their address', byEmail],
    ['their id', byId],
  ])("can't return by a pending invite to a database, sent to %s", async (_, query) => {
    const { signUp, invite, inviteToLedger, remove, access, redeemed, statuses, tenantsOf } =
      await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    await inviteToLedger(query(bob));
    const { invite: toTenant } = await invite(byId(bob), 'admin');
    await bob.ask('reqRedeemInvite', { inviteId: toTenant.inviteId });
    await remove(bob);
    expect(await redeemed(bob)).toBe(0);
    expect([await access(bob), await tenantsOf(bob)]).toEqual(['none', []]);
    expect(await statuses()).not.toContain('pending');
  });

  test("can't return by an invite to an address that they verify later", async () => {
    const { ada, tenantId, signUp, callerFor, invite, remove, redeemed, tenantsOf } = await openWithTenant();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob);
    const { invite: pending } = await invite(byEmail(bob), 'admin');
    await remove(bob);
    const proved = callerFor({ ...bob.person, ...PROVEN });
    await proved.ask('reqEnsureUser', {});
    expect(await redeemed(proved)).toBe(0);
    const { inviteId } = pending;
    expect(await proved.refused('reqRedeemInvite', { inviteId })).toMatchObject({ code: 'INVITE_ENDED' });
    expect(await tenantsOf(proved)).toEqual([]);
  });

  test("can't return with another account that has the same verified address, except by a new invite", async () => {
    const { ada, tenantId, signUp, inviteToLedger, invite, remove, redeemed } = await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    const other = await signUp('robert', { email: bob.person.email, provider: 'other', ...PROVEN });
    await inviteToLedger(byId(other));
    const { invite: toTenant } = await invite(byEmail(bob));
    await bob.ask('reqRedeemInvite', { inviteId: toTenant.inviteId });
    await remove(bob);
    expect(await redeemed(other)).toBe(0);
    await bringIn(ada, tenantId, other);
  });

  test('can return by a later invite', async () => {
    const { ada, tenantId, signUp, invite, remove, redeemed, tenantsOf } = await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    await bringIn(ada, tenantId, bob, 'admin');
    await remove(bob);
    await invite(byEmail(bob));
    expect(await redeemed(bob)).toBe(1);
    expect(await tenantsOf(bob)).toEqual(['member']);
  });

  test("can't return by accepting an invite while they are removed", async () => {
    const { ada, tenantId, signUp, inviteToLedger, access, db, faults } = await openWithTenant();
    for (const name of ['bob', 'eve', 'max']) {
      const person = await signUp(name, PROVEN);
      await inviteToLedger(byEmail(person));
      const { userId } = person;
      await Promise.allSettled([
        person.ask('reqRedeemInvite', {}),
        ada.ask('reqRemoveMember', { tenantId, userId }),
        person.ask('reqRedeemInvite', {}),
      ]);
      await Promise.allSettled([ada.ask('reqRemoveMember', { tenantId, userId })]);
      expect(await access(person)).toBe('none');
    }
    expect(await db.selectFrom('InviteTickets').select('status').execute()).not.toContainEqual({
      status: 'pending',
    });
    expect(faults).toEqual([]);
  });

  // A SQLite trigger simulates another server that ends the invite between two statements.
  test.runIf(testDatabaseKind === 'sqlite')(
    "can't return by an invite that ends while they accept it",
    async () => {
      const { db, signUp, invite, tenantsOf } = await openWithTenant();
      const bob = await signUp('bob', PROVEN);
      await invite(byEmail(bob));
      await sql`create trigger "ended" after insert on "TenantUsers" begin
      update "InviteTickets" set "status" = 'revoked'; end`.execute(db);
      expect(await bob.refused('reqRedeemInvite', {})).toMatchObject({ code: 'CONFLICT' });
      expect(await tenantsOf(bob)).toEqual([]);
    },
  );

  test("can't use their earlier API tokens, even after they return", async () => {
    const { ada, admin, tenantId, signUp, remove } = await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    await bringIn(ada, tenantId, bob, 'admin');
    const { token } = await bob.ask('reqCreateApiToken', { tenantId, name: 'ci', right: 'admin' });
    await remove(bob);
    await bringIn(ada, tenantId, bob, 'admin');
    const asked = { type: 'reqListTenantsByUser', auth: { type: 'api-token', token } };
    expect((await admin(asked)).status).toBe(401);
  });

  test("can't extend their cloud token or get a new one", async () => {
    const { ada, admin, tenantId, ledgerId, signUp, remove, access } = await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    await bringIn(ada, tenantId, bob);
    const selected = { tenant: tenantId, ledger: ledgerId };
    const { token } = await bob.ask('reqCloudSessionToken', { selected });
    await remove(bob);
    expect(await access(bob)).toBe('none');
    expect((await admin({ type: 'reqExtendToken', token })).status).toBe(404);
    expect(await bob.refused('reqCloudSessionToken', { selected })).toMatchObject({ status: 404 });
    expect(
      await bob.refused('reqEnsureCloudToken', { appId: 'x', tenant: tenantId, ledger: ledgerId }),
    ).toMatchObject({ status: 404 });
  });

  test("can't access a later tenant or database with the same name", async () => {
    const { ada, tenantId, ledger, ledgerId, signUp, remove, access, tenantsOf } = await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    await bringIn(ada, tenantId, bob);
    const selected = { tenant: tenantId, ledger: ledgerId };
    await bob.ask('reqCloudSessionToken', { selected });
    await remove(bob);
    await ada.ask('reqDeleteLedger', { ledger });
    await makeLedger(ada, tenantId);
    await ada.ask('reqDeleteTenant', { tenantId });
    await makeLedger(ada, await makeTenant(ada));
    expect([await access(bob), await tenantsOf(bob)]).toEqual(['none', []]);
  });
});

describe('[S5] a pending invite of a person who may no longer invite', () => {
  async function openWithAdmin() {
    const parts = await openWithTenant();
    const [bob, eve] = [await parts.signUp('bob', PROVEN), await parts.signUp('eve', PROVEN)];
    await bringIn(parts.ada, parts.tenantId, bob, 'admin');
    const { invite } = await parts.invite(byEmail(eve), 'admin', bob);
    return { ...parts, bob, eve, inviteId: invite.inviteId };
  }

  test('is revoked when the inviter is removed', async () => {
    const { bob, eve, remove, redeemed, statuses } = await openWithAdmin();
    await remove(bob);
    expect([await redeemed(eve), await statuses()]).toEqual([0, ['accepted', 'revoked']]);
  });

  test('is revoked when the inviter leaves', async () => {
    const { bob, eve, remove, redeemed } = await openWithAdmin();
    await remove(bob, bob);
    expect(await redeemed(eve)).toBe(0);
  });

  test('is revoked when the inviter becomes a member', async () => {
    const { ada, tenantId, bob, eve, redeemed, statuses } = await openWithAdmin();
    await ada.ask('reqUpdateUserTenant', { tenantId, userId: bob.userId, role: 'member' });
    expect([await redeemed(eve), await statuses()]).toEqual([0, ['accepted', 'revoked']]);
  });

  test('is revoked when an admin who changed the role of the invite is removed', async () => {
    const { tenantId, signUp, invite, bob, remove, redeemed } = await openWithAdmin();
    const max = await signUp('max', PROVEN);
    const { inviteId } = (await invite(byEmail(max))).invite;
    const invitedParams = { tenant: { id: tenantId, role: 'admin' as const } };
    await bob.ask('reqInviteUser', { ticket: { inviteId, query: byEmail(max), invitedParams } });
    await remove(bob);
    expect(await redeemed(max)).toBe(0);
  });

  test("can't be accepted while the inviter is banned, but stays pending", async () => {
    const { db, bob, eve, inviteId, redeemed } = await openWithAdmin();
    const setStatus = (status: string) =>
      db.updateTable('Users').set({ status }).where('userId', '=', bob.userId).execute();
    await setStatus('banned');
    expect(await redeemed(eve)).toBe(0);
    expect(await eve.refused('reqRedeemInvite', { inviteId })).toMatchObject({ code: 'INVITE_ENDED' });
    await setStatus('active');
    expect(await redeemed(eve)).toBe(1);
  });

  test("admits nobody, even if an older server didn't revoke it", async () => {
    const { db, bob, eve, redeemed } = await openWithAdmin();
    await db.updateTable('TenantUsers').set({ role: 'member' }).where('userId', '=', bob.userId).execute();
    expect(await redeemed(eve)).toBe(0);
  });
});

describe('[S5] a restriction of a member', () => {
  test.each([
    ['no access', 'none'],
    ['only reading', 'read'],
  ])('applies again when the member returns: %s', async (how, expected) => {
    const { ada, tenantId, ledger, signUp, remove, access } = await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    const { userId } = bob;
    await bringIn(ada, tenantId, bob);
    await ada.ask('reqShareLedger', { ledger, userId, right: 'read' });
    if (how === 'no access') await ada.ask('reqUnshareLedger', { ledger, userId });
    await remove(bob, bob);
    expect((await ada.ask('reqListShares', { ledger, ended: true })).shares).toEqual([]);
    await bringIn(ada, tenantId, bob);
    expect(await access(bob)).toBe(expected);
    await ada.ask('reqShareLedger', { ledger, userId, right: 'write' });
    expect(await access(bob)).toBe('write');
  });

  test('counts as a share again when the member returns, or denies access if all shares are taken', async () => {
    const { ada, db, tenantId, ledger, signUp, remove, access } = await openWithTenant();
    const bob = await signUp('bob', PROVEN);
    const { userId } = bob;
    await bringIn(ada, tenantId, bob);
    await ada.ask('reqShareLedger', { ledger, userId, right: 'read' });
    await remove(bob);
    await db.updateTable('Ledgers').set({ maxShares: 0 }).execute();
    await bringIn(ada, tenantId, bob);
    expect(await access(bob)).toBe('none');
    await remove(bob);
    await db.updateTable('Ledgers').set({ maxShares: 1 }).execute();
    await bringIn(ada, tenantId, bob);
    expect(await access(bob)).toBe('read');
    expect((await ada.ask('reqListShares', { ledger })).shares).toHaveLength(1);
  });

  test("doesn't end for a former guest who returns as a guest of another database", async () => {
    const { ada, tenantId, signUp, inviteToLedger, redeemed, remove, access } = await openWithTenant();
    const gus = await signUp('gus', PROVEN);
    await inviteToLedger(byEmail(gus), 'read');
    await redeemed(gus);
    expect(await access(gus)).toBe('read');
    await remove(gus);
    const other = await makeLedger(ada, tenantId, 'other');
    await ada.ask('reqInviteUser', {
      ticket: { query: byEmail(gus), invitedParams: { ledger: { id: other, right: 'write' } } },
    });
    expect(await redeemed(gus)).toBe(1);
    expect(await access(gus)).toBe('none');
  });
});

describe('[S5] a guest whose share ended', () => {
  test("can't use an older invite to the database, even to an address that they verify later", async () => {
    const { ada, ledger, signUp, callerFor, inviteToLedger, redeemed, access } = await openWithTenant();
    const gus = await signUp('gus');
    const { invite } = await inviteToLedger(byId(gus));
    await inviteToLedger(byEmail(gus));
    await gus.ask('reqRedeemInvite', { inviteId: invite.inviteId });
    await ada.ask('reqUnshareLedger', { ledger, userId: gus.userId });
    const proved = callerFor({ ...gus.person, ...PROVEN });
    await proved.ask('reqEnsureUser', {});
    expect([await redeemed(proved), await access(gus)]).toEqual([0, 'none']);
    // The invite to an unverified address stays in the list until an admin removes it.
    const { tickets } = await ada.ask('reqListInvites', {});
    for (const { inviteId, status } of tickets)
      if (status === 'pending') await ada.ask('reqDeleteInvite', { inviteId });
    await inviteToLedger(byEmail(gus));
    expect([await redeemed(proved), await access(gus)]).toEqual([1, 'write']);
  });
});

test('[S5] admits nobody by an expired or rejected invite', async () => {
  const { clock, invite, signUp, redeemed } = await openWithTenant();
  const [bob, eve] = [await signUp('bob', PROVEN), await signUp('eve', PROVEN)];
  const { invite: toEve } = await invite(byId(eve));
  await eve.ask('reqRejectInvite', { inviteId: toEve.inviteId });
  await invite(byId(bob));
  clock.ms += 8 * DAY_MS;
  expect([await redeemed(bob), await redeemed(eve)]).toEqual([0, 0]);
});
