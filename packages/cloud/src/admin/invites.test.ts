import { describe, expect, test } from 'vitest';
import type { Mail } from '../mail/mailer.ts';
import { bringIn, makeTenant, openAdmin, type SignedUp } from './admin.fixture.ts';

const DAY_MS = 86_400_000;
const invitedTo = (id: string, role: 'admin' | 'member' = 'admin') => ({ tenant: { id, role } });
const byEmail = (tenantId: string, email: string) => ({
  ticket: { query: { byEmail: email }, invitedParams: invitedTo(tenantId) },
});
const byId = (tenantId: string, { userId }: SignedUp) => ({
  ticket: { query: { existingUserId: userId }, invitedParams: invitedTo(tenantId) },
});

async function openWithTenant() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  return { ...parts, ada, tenantId: await makeTenant(ada) };
}

describe('inviting', () => {
  test('[7.2] shows the person and the role of an invite, which expires after seven days', async () => {
    const { ada, tenantId, clock } = await openWithTenant();
    const { invite } = await ada.ask('reqInviteUser', byEmail(tenantId, ' Bob@Example.com '));
    expect(invite).toMatchObject({
      inviterUserId: ada.userId,
      query: { byEmail: 'bob@example.com' },
      invitedParams: { tenant: { id: tenantId, role: 'admin' } },
      sendEmailCount: 1,
      status: 'pending',
      statusReason: 'just invited',
    });
    expect(Date.parse(invite.expiresAfter) - clock.ms).toBeGreaterThan(7 * DAY_MS - 1000);
    expect(Date.parse(invite.expiresAfter) - clock.ms).toBeLessThanOrEqual(7 * DAY_MS);
    const { tickets } = await ada.ask('reqListInvites', { tenantIds: [tenantId] });
    expect(tickets).toEqual([invite]);
  });

  test('defaults to the role member', async () => {
    const { ada, tenantId } = await openWithTenant();
    const ticket = { query: { byEmail: 'b@example.com' }, invitedParams: { tenant: { id: tenantId } } };
    const { invite } = await ada.ask('reqInviteUser', { ticket });
    expect(invite.invitedParams.tenant?.role).toBe('member');
  });

  test('requires a user or an address, and rejects an invite to the inviter', async () => {
    const { ada, tenantId } = await openWithTenant();
    const invitedParams = invitedTo(tenantId);
    for (const query of [{}, { byEmail: '' }, { byEmail: 'bob' }, { byEmail: 'a@b' }, { byString: 'b@c.de' }])
      expect(await ada.refused('reqInviteUser', { ticket: { query, invitedParams } })).toMatchObject({
        status: 400,
        message: 'request is not valid: an invite needs an email address or a user',
      });
    const self = { status: 400, message: "request is not valid: you can't invite yourself" };
    expect(await ada.refused('reqInviteUser', byId(tenantId, ada))).toMatchObject(self);
    expect(await ada.refused('reqInviteUser', byEmail(tenantId, 'ADA@example.com'))).toMatchObject(self);
    const unknown = { ...ada, userId: 'nobody' };
    expect(await ada.refused('reqInviteUser', byId(tenantId, unknown))).toMatchObject({ status: 404 });
  });

  test('[S4] rejects a repeated invite, and an invite for a member, as a conflict', async () => {
    const { ada, tenantId, signUp } = await openWithTenant();
    const bob = await signUp('bob');
    await ada.ask('reqInviteUser', byId(tenantId, bob));
    expect(await ada.refused('reqInviteUser', byId(tenantId, bob))).toMatchObject({ code: 'CONFLICT' });
    await ada.ask('reqInviteUser', byEmail(tenantId, 'carl@example.com'));
    const again = byEmail(tenantId, 'Carl@EXAMPLE.com');
    expect(await ada.refused('reqInviteUser', again)).toMatchObject({ code: 'CONFLICT' });
    await bob.ask('reqRedeemInvite', {});
    expect(await ada.refused('reqInviteUser', byId(tenantId, bob))).toMatchObject({ code: 'CONFLICT' });
  });

  test('[9.2] allows a tenant ten pending invites', async () => {
    const { ada, tenantId } = await openWithTenant();
    const ids = [];
    for (let i = 0; i < 10; i += 1)
      ids.push((await ada.ask('reqInviteUser', byEmail(tenantId, `u${i}@example.com`))).invite.inviteId);
    expect(await ada.refused('reqInviteUser', byEmail(tenantId, 'one@more.com'))).toEqual({
      status: 409,
      code: 'LIMIT_REACHED',
      message: 'limit reached: 10 invites',
    });
    await ada.ask('reqDeleteInvite', { inviteId: ids[0] ?? '' });
    await ada.ask('reqInviteUser', byEmail(tenantId, 'one@more.com'));
  });

  test('changes the role of a pending invite and counts its mails, but rejects changes of an accepted invite', async () => {
    const { ada, tenantId, signUp } = await openWithTenant();
    const bob = await signUp('bob');
    const { invite } = await ada.ask('reqInviteUser', byId(tenantId, bob));
    const change = (role: 'admin' | 'member') => ({
      ticket: {
        inviteId: invite.inviteId,
        incSendEmailCount: true,
        query: {},
        invitedParams: invitedTo(tenantId, role),
      },
    });
    const { invite: changed } = await ada.ask('reqInviteUser', change('member'));
    expect(changed).toMatchObject({
      inviteId: invite.inviteId,
      sendEmailCount: 2,
      query: { existingUserId: bob.userId },
      invitedParams: { tenant: { role: 'member' } },
      expiresAfter: invite.expiresAfter,
    });
    await bob.ask('reqRedeemInvite', {});
    expect(await ada.refused('reqInviteUser', change('admin'))).toMatchObject({ code: 'CONFLICT' });
  });

  test("[S1] doesn't move an invite from one tenant to another", async () => {
    const { ada, tenantId, signUp } = await openWithTenant();
    const eve = await signUp('eve');
    const own = await makeTenant(eve);
    const { invite } = await ada.ask('reqInviteUser', byEmail(tenantId, 'bob@example.com'));
    const theft = { ticket: { inviteId: invite.inviteId, query: {}, invitedParams: invitedTo(own) } };
    expect(await eve.refused('reqInviteUser', theft)).toMatchObject({ status: 404 });
  });
});

describe('redeeming', () => {
  test('adds the invited user with the role of the invite', async () => {
    const { ada, tenantId, signUp } = await openWithTenant();
    const bob = await signUp('bob');
    await ada.ask('reqInviteUser', byId(tenantId, bob));
    const { invites } = await bob.ask('reqRedeemInvite', {});
    expect(invites).toMatchObject([
      { status: 'accepted', statusReason: `accepted: ${bob.userId}`, invitedUserId: bob.userId },
    ]);
    expect((await bob.ask('reqListTenantsByUser', {})).tenants).toMatchObject([{ tenantId, role: 'admin' }]);
  });

  test('[S4] accepts an invite once, even when it is redeemed many times in parallel', async () => {
    const { ada, tenantId, signUp, db } = await openWithTenant();
    const bob = await signUp('bob');
    await ada.ask('reqInviteUser', byId(tenantId, bob));
    const answers = await Promise.all(Array.from({ length: 10 }, () => bob.ask('reqRedeemInvite', {})));
    expect(answers.flatMap(({ invites }) => invites)).toHaveLength(1);
    expect(
      await db.selectFrom('TenantUsers').selectAll().where('userId', '=', bob.userId).execute(),
    ).toHaveLength(1);
  });

  test('[S1] leaves invites pending at sign-in, until the person accepts or rejects them', async () => {
    const { ada, tenantId, callerFor, signUp } = await openWithTenant();
    await ada.ask('reqInviteUser', byEmail(tenantId, 'bob@example.com'));
    const bob = await signUp('bob', { emailVerified: true });
    const { tenants } = await callerFor(bob.person).ask('reqEnsureUser', {});
    expect(tenants).toEqual([]);
    expect((await ada.ask('reqListInvites', {})).tickets).toMatchObject([{ status: 'pending' }]);
    expect((await bob.ask('reqListInvites', { toMe: true })).tickets).toHaveLength(1);
  });

  test('[S1] requires a verified address to redeem an invite to an address', async () => {
    const { ada, tenantId, signUp, callerFor } = await openWithTenant();
    await ada.ask('reqInviteUser', byEmail(tenantId, 'bob@example.com'));
    const squatter = await signUp('bob', { emailVerified: false });
    expect((await squatter.ask('reqRedeemInvite', {})).invites).toEqual([]);
    expect((await squatter.ask('reqListTenantsByUser', {})).tenants).toEqual([]);
    const proved = callerFor({ ...squatter.person, emailVerified: true });
    expect((await proved.ask('reqRedeemInvite', {})).invites).toHaveLength(1);
    expect((await proved.ask('reqListTenantsByUser', {})).tenants).toMatchObject([{ tenantId }]);
  });

  test.each([
    'b.ob@example.com',
    'bob+x@example.com',
    'bo-b@example.com',
    'böb@example.com',
    'bob@example.co',
  ])("[S1] doesn't treat %s as bob@example.com", async (email) => {
    const { ada, tenantId, signUp } = await openWithTenant();
    await ada.ask('reqInviteUser', byEmail(tenantId, 'bob@example.com'));
    const other = await signUp('other', { email, emailVerified: true });
    expect((await other.ask('reqRedeemInvite', {})).invites).toEqual([]);
  });

  test("doesn't let another user with the same address redeem an invite to a user's id", async () => {
    const { ada, tenantId, signUp } = await openWithTenant();
    const bob = await signUp('bob');
    await ada.ask('reqInviteUser', byId(tenantId, bob));
    const namesake = await signUp('eve', { email: bob.person.email, emailVerified: true });
    expect((await namesake.ask('reqRedeemInvite', {})).invites).toEqual([]);
  });

  test('expires an invite after seven days', async () => {
    const { ada, tenantId, signUp, clock } = await openWithTenant();
    const bob = await signUp('bob');
    await ada.ask('reqInviteUser', byId(tenantId, bob));
    clock.ms += 7 * DAY_MS;
    expect((await bob.ask('reqRedeemInvite', {})).invites).toEqual([]);
    expect((await ada.ask('reqListInvites', {})).tickets).toMatchObject([{ status: 'expired' }]);
  });

  test('[9.2] leaves an invite to a full tenant pending, and accepts the invite once the limit is raised', async () => {
    const { ada, tenantId, signUp, db } = await openWithTenant();
    const bob = await signUp('bob');
    await ada.ask('reqInviteUser', byId(tenantId, bob));
    await db.updateTable('Tenants').set({ maxAdminUsers: 1 }).execute();
    expect((await bob.ask('reqRedeemInvite', {})).invites).toEqual([]);
    expect((await ada.ask('reqListInvites', {})).tickets).toMatchObject([{ status: 'pending' }]);
    await db.updateTable('Tenants').set({ maxAdminUsers: 2 }).execute();
    expect((await bob.ask('reqRedeemInvite', {})).invites).toHaveLength(1);
  });

  test("accepts an invite to an address that a member verified later, without changing the member's role", async () => {
    const { ada, tenantId, signUp, callerFor } = await openWithTenant();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob, 'member');
    await ada.ask('reqInviteUser', byEmail(tenantId, bob.person.email));
    const proved = callerFor({ ...bob.person, emailVerified: true });
    expect((await proved.ask('reqRedeemInvite', {})).invites).toHaveLength(1);
    expect((await bob.ask('reqListTenantsByUser', {})).tenants).toMatchObject([{ tenantId, role: 'member' }]);
    const { tickets } = await ada.ask('reqListInvites', {});
    expect(tickets.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
  });
});

describe('[6.4] invites by admins only', () => {
  test("doesn't let a member invite, see invites or revoke them", async () => {
    const { ada, tenantId, signUp } = await openWithTenant();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob, 'member');
    const { invite } = await ada.ask('reqInviteUser', byEmail(tenantId, 'c@example.com'));
    expect(await bob.refused('reqInviteUser', byEmail(tenantId, 'd@example.com'))).toMatchObject({
      status: 403,
    });
    expect((await bob.ask('reqListInvites', { tenantIds: [tenantId] })).tickets).toEqual([]);
    expect(await bob.refused('reqDeleteInvite', { inviteId: invite.inviteId })).toMatchObject({
      status: 403,
    });
    expect((await ada.ask('reqListInvites', {})).tickets).toHaveLength(2);
  });

  test('admits nobody through a revoked invite, and lists it until an admin also deletes it', async () => {
    const { ada, tenantId, signUp } = await openWithTenant();
    const bob = await signUp('bob');
    const { invite } = await ada.ask('reqInviteUser', byId(tenantId, bob));
    const { inviteId } = invite;
    expect(await ada.ask('reqDeleteInvite', { inviteId })).toMatchObject({ inviteId });
    expect((await bob.ask('reqRedeemInvite', {})).invites).toEqual([]);
    const { tickets } = await ada.ask('reqListInvites', {});
    expect(tickets).toMatchObject([{ status: 'revoked', statusReason: `revoked: ${ada.userId}` }]);
    await ada.ask('reqDeleteInvite', { inviteId });
    expect((await ada.ask('reqListInvites', {})).tickets).toEqual([]);
    expect(await ada.refused('reqDeleteInvite', { inviteId })).toMatchObject({ status: 404 });
  });

  test('lists only invites to the given tenants and ledgers', async () => {
    const { ada, tenantId } = await openWithTenant();
    const second = await makeTenant(ada, 'Second');
    await ada.ask('reqInviteUser', byEmail(tenantId, 'b@example.com'));
    await ada.ask('reqInviteUser', byEmail(second, 'b@example.com'));
    const count = async (payload: object) => (await ada.ask('reqListInvites', payload)).tickets.length;
    expect(await count({})).toBe(2);
    expect(await count({ tenantIds: [second] })).toBe(1);
    expect(await count({ tenantIds: [] })).toBe(0);
    expect(await count({ ledgerIds: ['z1'] })).toBe(0);
  });
});

describe('the link in the mail of an invite', () => {
  const secretIn = ({ text }: Mail) => /\/invite#(\S+)/.exec(text)?.[1] ?? '';
  async function invited() {
    const parts = await openWithTenant();
    const { invite } = await parts.ada.ask('reqInviteUser', byEmail(parts.tenantId, 'bob@example.com'));
    await parts.background.settled();
    const describeLink = (secret: string) => parts.admin({ type: 'reqDescribeInvite', secret }, '10.0.0.1');
    return { ...parts, invite, describeLink, secret: secretIn(parts.mails[0] as Mail) };
  }

  test('[S4] shows the invite to people with the link who are not signed in', async () => {
    const { invite, secret, describeLink, signUp } = await invited();
    const described = {
      inviteId: invite.inviteId,
      email: 'bob@example.com',
      kind: 'tenant',
      place: 'Acme',
      may: 'admin',
      inviter: 'ada@example.com',
      expiresAfter: invite.expiresAfter,
    };
    expect((await describeLink(secret)).body).toMatchObject({ ...described, hasAccount: false });
    await signUp('bob', { emailVerified: true });
    expect((await describeLink(secret)).body).toMatchObject({ ...described, hasAccount: true });
  });

  test('[S4] stores only a hash, and sends the secret to nobody but the invited address', async () => {
    const { ada, db, secret, tenantId, invite } = await invited();
    expect(secret.length).toBeGreaterThanOrEqual(43);
    const rows = await db.selectFrom('InviteLinks').selectAll().execute();
    const { tickets } = await ada.ask('reqListInvites', { tenantIds: [tenantId] });
    const { records } = await ada.ask('reqListAudit', { tenantId });
    expect(rows).toHaveLength(1);
    for (const shown of [rows, tickets, records, invite]) expect(JSON.stringify(shown)).not.toContain(secret);
  });

  test('[S4] ends when the invite expires or is revoked, and when a newer mail replaces it', async () => {
    const { ada, tenantId, invite, secret, describeLink, mails, background, clock } = await invited();
    const { inviteId } = invite;
    const ticket = { inviteId, query: {}, incSendEmailCount: true, invitedParams: invitedTo(tenantId) };
    await ada.ask('reqInviteUser', { ticket });
    await background.settled();
    const newer = secretIn(mails[1] as Mail);
    expect((await describeLink(secret)).status).toBe(404);
    expect((await describeLink(newer)).status).toBe(200);
    clock.ms += 7 * DAY_MS;
    expect((await describeLink(newer)).status).toBe(404);
    clock.ms -= 7 * DAY_MS;
    await ada.ask('reqDeleteInvite', { inviteId });
    expect((await describeLink(newer)).status).toBe(404);
  });

  test('[S6] allows one network 30 guesses a minute', async () => {
    const { describeLink } = await invited();
    const statuses: number[] = [];
    for (let count = 0; count < 31; count += 1)
      statuses.push((await describeLink(`${count}`.padStart(43, 'x'))).status);
    expect([statuses.slice(0, 30).every((status) => status === 404), statuses[30]]).toEqual([true, 429]);
  });
});

describe('the mail of an invite', () => {
  test('is sent when the invite is created and when it is requested again, at most five times', async () => {
    const { ada, tenantId, mails, background } = await openWithTenant();
    const { invite } = await ada.ask('reqInviteUser', byEmail(tenantId, 'bob@example.com'));
    await background.settled();
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ to: 'bob@example.com', subject: 'ada invites you to Acme' });
    expect(mails[0]?.text).toContain('https://console.example/fp/cloud');
    const { inviteId } = invite;
    const again = {
      ticket: { inviteId, query: {}, incSendEmailCount: true, invitedParams: invitedTo(tenantId) },
    };
    for (let count = 2; count <= 5; count += 1)
      expect((await ada.ask('reqInviteUser', again)).invite.sendEmailCount).toBe(count);
    expect(await ada.refused('reqInviteUser', again)).toMatchObject({
      code: 'LIMIT_REACHED',
      message: 'limit reached: 5 mails for one invite',
    });
    await ada.ask('reqInviteUser', { ticket: { ...again.ticket, incSendEmailCount: false } });
    await background.settled();
    expect(mails).toHaveLength(5);
  });

  test('goes to the account address of an existing user, and contains the name of the database', async () => {
    const { ada, tenantId, signUp, mails, background } = await openWithTenant();
    const bob = await signUp('bob');
    const { ledger } = await ada.ask('reqCreateLedger', { ledger: { tenantId, name: 'notes' } });
    const gift = { id: ledger.ledgerId, right: 'write' as const };
    const { invite } = await ada.ask('reqInviteUser', {
      ticket: { query: { existingUserId: bob.userId }, invitedParams: { ledger: gift } },
    });
    const { inviteId } = invite;
    const invitedParams = { ledger: { id: ledger.ledgerId } };
    const again = { inviteId, query: {}, incSendEmailCount: true, invitedParams };
    // A request that specifies no right leaves the right unchanged.
    expect((await ada.ask('reqInviteUser', { ticket: again })).invite).toMatchObject({
      sendEmailCount: 2,
      invitedParams: { ledger: gift },
    });
    await background.settled();
    const letter = { to: 'bob@example.com', subject: 'ada invites you to notes' };
    expect(mails).toMatchObject([letter, letter]);
    for (const { text } of mails)
      expect(text).toContain('the database "notes" on Fixpoint, to read and write it');
  });

  test("isn't sent for a rejected request, and doesn't fail the request if it can't be sent", async () => {
    const { ada, tenantId, mails, background, faults } = await openWithTenant();
    await ada.refused('reqInviteUser', byEmail('zNone', 'bob@example.com'));
    await background.settled();
    expect(mails).toEqual([]);
    mails.push = () => {
      throw new Error('no mail server');
    };
    await ada.ask('reqInviteUser', byEmail(tenantId, 'bob@example.com'));
    await background.settled();
    expect(faults).toMatchObject([{ message: 'no mail server' }]);
  });
});
