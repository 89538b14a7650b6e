import { describe, expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin, type SignedUp } from './admin.fixture.ts';
import { accessTo } from './sharing.fixture.ts';

async function openWithLedger() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const tenantId = await makeTenant(ada);
  const ledgerId = await makeLedger(ada, tenantId);
  const access = (user: SignedUp, ledger = ledgerId) => accessTo(parts.db, user.userId, tenantId, ledger);
  const named = { tenantId, ledgerId };
  const inviteToLedger = (email: string, right: 'read' | 'write' = 'read') =>
    ada.ask('reqInviteUser', {
      ticket: { query: { byEmail: email }, invitedParams: { ledger: { id: ledgerId, right } } },
    });
  return { ...parts, ada, tenantId, ledgerId, named, access, inviteToLedger };
}

describe('sharing a ledger', () => {
  test('gives a member a right, which can be changed and removed', async () => {
    const { ada, named, access, signUp, tenantId } = await openWithLedger();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob);
    expect(await access(bob)).toBe('write');
    const { share } = await ada.ask('reqShareLedger', { ledger: named, userId: bob.userId });
    expect(share).toMatchObject({
      userId: bob.userId,
      role: 'member',
      right: 'read',
      email: 'bob@example.com',
    });
    expect(await access(bob)).toBe('read');
    await ada.ask('reqShareLedger', { ledger: named, userId: bob.userId, right: 'write' });
    expect(await access(bob)).toBe('write');
    await ada.ask('reqUnshareLedger', { ledger: named, userId: bob.userId });
    expect(await access(bob)).toBe('none');
    expect((await bob.ask('reqListLedgersByUser', {})).ledgers).toEqual([]);
    expect((await ada.ask('reqListShares', { ledger: named })).shares).toEqual([]);
  });

  test('lists ended shares only if the request asks for them, and never lists members who had no share', async () => {
    const { ada, named, signUp, tenantId } = await openWithLedger();
    const [bob, max] = [await signUp('bob'), await signUp('max')];
    for (const one of [bob, max]) await bringIn(ada, tenantId, one);
    await ada.ask('reqShareLedger', { ledger: named, userId: bob.userId });
    const listed = async (ended?: boolean) =>
      (await ada.ask('reqListShares', { ledger: named, ended })).shares.map(({ userId, status }) => [
        userId,
        status,
      ]);
    expect(await listed(true)).toEqual([[bob.userId, 'active']]);
    await ada.ask('reqUnshareLedger', { ledger: named, userId: bob.userId });
    expect(await listed()).toEqual([]);
    expect(await listed(false)).toEqual([]);
    expect(await listed(true)).toEqual([[bob.userId, 'inactive']]);
  });

  test('[S1] gives a guest only the ledger that was shared with them, and nothing else of the tenant', async () => {
    const { ada, named, access, inviteToLedger, signUp, tenantId, ledgerId } = await openWithLedger();
    const other = await makeLedger(ada, tenantId, 'other');
    const { invite } = await inviteToLedger('gus@example.com', 'write');
    expect(invite).toMatchObject({
      status: 'pending',
      invitedParams: { ledger: { id: ledgerId, role: 'member', right: 'write' } },
    });
    const gus = await signUp('gus', { emailVerified: true });
    expect(await access(gus)).toBe('none');
    await gus.ask('reqRedeemInvite', {});
    expect(await access(gus)).toBe('write');
    expect(await access(gus, other)).toBe('none');
    const { ledgers } = await gus.ask('reqListLedgersByUser', {});
    expect(ledgers.map((one) => one.ledgerId)).toEqual([ledgerId]);
    const [seen] = (await gus.ask('reqListTenantsByUser', {})).tenants;
    expect(seen).toMatchObject({ tenantId, role: 'member' });
    expect(seen).not.toHaveProperty('members');
    expect(await gus.refused('reqShareLedger', { ledger: named, userId: gus.userId })).toMatchObject({
      status: 403,
    });
    const [adas] = (await ada.ask('reqListTenantsByUser', {})).tenants;
    expect(adas?.members?.map(({ userId }) => userId)).toEqual([ada.userId]);
    await ada.ask('reqUnshareLedger', { ledger: named, userId: gus.userId });
    expect(await access(gus)).toBe('none');
    expect((await gus.ask('reqListTenantsByUser', {})).tenants).toEqual([]);
  });

  test('lists invited people by the invited address, and also by name once they accepted', async () => {
    const { ada, named, inviteToLedger, signUp, tenantId } = await openWithLedger();
    const gus = await signUp('gus', { name: 'Gustav', emailVerified: true });
    await inviteToLedger('gus@example.com');
    const told = async () => [
      await ada.ask('reqListShares', { ledger: named }),
      await ada.ask('reqListInvites', { tenantIds: [tenantId] }),
      await ada.ask('reqFindUser', { query: { byString: 'gus@example.com' } }),
    ];
    expect(JSON.stringify(await told())).not.toContain('Gustav');
    await gus.ask('reqRedeemInvite', {});
    const { shares } = await ada.ask('reqListShares', { ledger: named });
    expect(shares).toMatchObject([{ userId: gus.userId, name: 'Gustav', email: 'gus@example.com' }]);
    const changed = await ada.ask('reqShareLedger', { ledger: named, userId: gus.userId, right: 'write' });
    expect(changed.share).toMatchObject({ name: 'Gustav', right: 'write' });
  });

  test('lists the address of a user who was invited by id, while they are active', async () => {
    const { ada, db, signUp, tenantId } = await openWithLedger();
    const gus = await signUp('gus', { name: 'Gustav', email: 'Gus.Tav+x@example.com' });
    const ticket = {
      query: { existingUserId: gus.userId },
      invitedParams: { tenant: { id: tenantId, role: 'member' } },
    } as const;
    await ada.ask('reqInviteUser', { ticket });
    const listed = async () => (await ada.ask('reqListInvites', { tenantIds: [tenantId] })).tickets;
    const { results } = await ada.ask('reqFindUser', { query: { existingUserId: gus.userId } });
    expect((await listed()).map(({ invitee }) => invitee)).toEqual([results[0]?.byProviders[0]?.cleanEmail]);
    expect(JSON.stringify(await listed())).not.toContain('Gustav');
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', gus.userId).execute();
    expect((await listed())[0]).not.toHaveProperty('invitee');
  });

  test('makes a guest a member when they accept an invite to the tenant', async () => {
    const { ada, access, inviteToLedger, signUp, tenantId } = await openWithLedger();
    const other = await makeLedger(ada, tenantId, 'other');
    await inviteToLedger('gus@example.com');
    const gus = await signUp('gus', { emailVerified: true });
    await gus.ask('reqRedeemInvite', {});
    await bringIn(ada, tenantId, gus);
    expect(await access(gus, other)).toBe('write');
    expect(await access(gus)).toBe('read');
  });

  test('lets the only admin of a tenant make a guest a member', async () => {
    const { ada, access, inviteToLedger, signUp, tenantId } = await openWithLedger();
    const other = await makeLedger(ada, tenantId, 'other');
    await inviteToLedger('gus@example.com');
    const gus = await signUp('gus', { emailVerified: true });
    await gus.ask('reqRedeemInvite', {});
    const change = { tenantId, userId: gus.userId, role: 'member' } as const;
    expect(await ada.ask('reqUpdateUserTenant', change)).toMatchObject({ role: 'member' });
    expect(await access(gus, other)).toBe('write');
  });

  test('[9.3][S6] limits a ledger to five shares including invites, even for parallel requests', async () => {
    const { ada, named, inviteToLedger, signUp } = await openWithLedger();
    const emails = Array.from({ length: 20 }, (_, index) => `u${index}@example.com`);
    const outcomes = await Promise.allSettled(emails.map((email) => inviteToLedger(email)));
    const made = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? [index] : []));
    expect(made).toHaveLength(5);
    for (const index of made) {
      const guest = await signUp(`u${index}`, { emailVerified: true });
      await guest.ask('reqRedeemInvite', {});
    }
    const listed = await ada.ask('reqListShares', { ledger: named });
    expect(listed).toMatchObject({ maxShares: 5 });
    expect(listed.shares).toHaveLength(5);
    expect(listed.tickets.map(({ status }) => status)).toEqual(Array(5).fill('accepted'));
    const [ticket] = [
      { query: { byEmail: 'm@example.com' }, invitedParams: { ledger: { id: named.ledgerId } } },
    ];
    expect(await ada.refused('reqInviteUser', { ticket })).toEqual({
      status: 409,
      code: 'LIMIT_REACHED',
      message: 'limit reached: 5 shares',
    });
  });

  test("[9.3] reserves one of the ledger's shares for a pending invite", async () => {
    const { ada, db, ledgerId, named, inviteToLedger, access, signUp, tenantId } = await openWithLedger();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob);
    await db.updateTable('Ledgers').set({ maxShares: 1 }).where('ledgerId', '=', ledgerId).execute();
    await inviteToLedger('gus@example.com');
    expect(await ada.refused('reqShareLedger', { ledger: named, userId: bob.userId })).toMatchObject({
      code: 'LIMIT_REACHED',
    });
    const gus = await signUp('gus', { emailVerified: true });
    await gus.ask('reqRedeemInvite', {});
    expect(await access(gus)).toBe('read');
  });

  test('rejects an invite to both a tenant and a ledger, or to neither', async () => {
    const { ada, tenantId, ledgerId } = await openWithLedger();
    for (const invitedParams of [{}, { tenant: { id: tenantId }, ledger: { id: ledgerId } }])
      expect(
        await ada.refused('reqInviteUser', { ticket: { query: { byEmail: 'a@b.cc' }, invitedParams } }),
      ).toMatchObject({ status: 400, message: 'request is not valid: either ledger or tenant must be set' });
  });

  test("rejects a change of an admin's share, because admins have full access", async () => {
    const { ada, named } = await openWithLedger();
    for (const type of ['reqShareLedger', 'reqUnshareLedger'] as const)
      expect(await ada.refused(type, { ledger: named, userId: ada.userId })).toMatchObject({
        code: 'CONFLICT',
      });
  });

  test('lets admins change or end the share of a creator who is no longer an admin, even when all shares are taken', async () => {
    const { ada, db, ledgerId, named, access, signUp, tenantId } = await openWithLedger();
    const [bob, eve] = [await signUp('bob'), await signUp('eve')];
    await bringIn(ada, tenantId, bob, 'admin');
    await bringIn(ada, tenantId, eve);
    const listed = async () =>
      (await bob.ask('reqListShares', { ledger: named })).shares.map(({ userId, right }) => [userId, right]);
    expect(await listed()).toEqual([]);
    await ada.ask('reqTransferTenant', { tenantId, userId: bob.userId });
    await bob.ask('reqUpdateUserTenant', { tenantId, userId: ada.userId, role: 'member' });
    expect(await listed()).toEqual([[ada.userId, 'write']]);
    await db.updateTable('Ledgers').set({ maxShares: 1 }).where('ledgerId', '=', ledgerId).execute();
    await bob.ask('reqShareLedger', { ledger: named, userId: ada.userId, right: 'read' });
    expect(await access(ada)).toBe('read');
    expect(await bob.refused('reqShareLedger', { ledger: named, userId: eve.userId })).toMatchObject({
      code: 'LIMIT_REACHED',
    });
    await bob.ask('reqUnshareLedger', { ledger: named, userId: ada.userId });
    expect([await access(ada), await listed()]).toEqual(['none', []]);
  });

  test('deletes the shares of a ledger and the invites to it together with the ledger', async () => {
    const { ada, db, named, inviteToLedger } = await openWithLedger();
    await inviteToLedger('gus@example.com');
    await ada.ask('reqDeleteLedger', { ledger: named });
    for (const table of ['InviteTickets', 'LedgerUsers', 'Ledgers'] as const)
      expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
  });
});

describe('leaving', () => {
  test("ends a removed member's access, and deletes their rights to write to ledgers", async () => {
    const { ada, db, named, access, signUp, tenantId } = await openWithLedger();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob);
    await ada.ask('reqShareLedger', { ledger: named, userId: bob.userId, right: 'write' });
    expect(await ada.ask('reqRemoveMember', { tenantId, userId: bob.userId })).toMatchObject({
      tenantId,
      userId: bob.userId,
    });
    expect(await access(bob)).toBe('none');
    for (const table of ['TenantUsers', 'LedgerUsers'] as const)
      expect(await db.selectFrom(table).selectAll().where('userId', '=', bob.userId).execute()).toEqual([]);
  });

  test('is rejected for the last admin, even if the last two admins leave at once', async () => {
    const { ada, signUp, tenantId } = await openWithLedger();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob, 'admin');
    const both = await Promise.allSettled([ada, bob].map((one) => one.ask('reqRemoveMember', { tenantId })));
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const stayed = both[0]?.status === 'rejected' ? ada : bob;
    expect(await stayed.refused('reqRemoveMember', { tenantId })).toEqual({
      status: 409,
      code: 'CONFLICT',
      message: 'conflict: a tenant needs an admin',
    });
  });

  test('[S5] removes all rights of a member whose rights are changed at the same time, without a server fault', async () => {
    const { ada, db, faults, named, signUp, tenantId } = await openWithLedger();
    for (const name of ['bob', 'eve', 'max']) {
      const person = await signUp(name);
      const { userId, ask } = person;
      await bringIn(ada, tenantId, person);
      await Promise.allSettled([
        ada.ask('reqShareLedger', { ledger: named, userId, right: 'write' }),
        ada.ask('reqRemoveMember', { tenantId, userId }),
        ada.ask('reqUpdateUserTenant', { tenantId, userId, role: 'admin' }),
        ask('reqUpdateUserTenant', { tenantId, name: 'still here' }),
      ]);
      const rows = await db.selectFrom('LedgerUsers').select('role').where('userId', '=', userId).execute();
      expect(rows).toEqual([]);
      expect((await ask('reqListTenantsByUser', {})).tenants).toEqual([]);
    }
    expect(faults).toEqual([]);
  });

  test("doesn't let members remove others", async () => {
    const { ada, signUp, tenantId } = await openWithLedger();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob);
    expect(await bob.refused('reqRemoveMember', { tenantId, userId: ada.userId })).toMatchObject({
      status: 403,
    });
  });
});

describe('rejecting', () => {
  test('lets only the invited user reject the invite, which then admits nobody', async () => {
    const { ada, signUp, tenantId } = await openWithLedger();
    const [bob, eve] = [await signUp('bob'), await signUp('eve')];
    const { invite } = await ada.ask('reqInviteUser', {
      ticket: { query: { existingUserId: bob.userId }, invitedParams: { tenant: { id: tenantId } } },
    });
    const { inviteId } = invite;
    expect(await eve.refused('reqRejectInvite', { inviteId })).toMatchObject({ status: 404 });
    expect((await bob.ask('reqRejectInvite', { inviteId })).invite).toMatchObject({ status: 'rejected' });
    expect((await bob.ask('reqRedeemInvite', {})).invites).toEqual([]);
    expect(await bob.refused('reqRejectInvite', { inviteId })).toMatchObject({ status: 404 });
    expect((await ada.ask('reqListInvites', {})).tickets).toMatchObject([
      { status: 'rejected', statusReason: `rejected: ${bob.userId}` },
    ]);
  });
});
