import { describe, expect, test } from 'vitest';
import { makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

async function openWithInvites() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada', { emailVerified: true });
  const bob = await parts.signUp('bob');
  const [acme, other] = [await makeTenant(ada, 'Acme'), await makeTenant(ada, 'Other')];
  const ledger = await makeLedger(ada, other);
  const byEmail = { byEmail: bob.person.email };
  for (const invitedParams of [
    { tenant: { id: acme, role: 'member' as const } },
    { ledger: { id: ledger, right: 'write' as const } },
  ])
    await ada.ask('reqInviteUser', { ticket: { query: byEmail, invitedParams } });
  const proved = parts.callerFor({ ...bob.person, emailVerified: true });
  const waiting = async (caller = proved) => (await caller.ask('reqListInvites', { toMe: true })).tickets;
  return { ...parts, ada, bob, proved, waiting, acme, other };
}

test('shows an invite, with its inviter and its tenant or ledger, only to the invited user after they verified the address', async () => {
  const { ada, bob, waiting } = await openWithInvites();
  expect(await waiting()).toMatchObject([
    {
      place: 'Acme',
      inviter: 'ada@example.com',
      status: 'pending',
      invitedParams: { tenant: { role: 'member' } },
    },
    { place: 'notes', inviter: 'ada@example.com', invitedParams: { ledger: { right: 'write' } } },
  ]);
  expect(await waiting(bob)).toEqual([]);
  expect(await waiting(ada)).toEqual([]);
});

test('accepts one invite and rejects another; neither stays pending', async () => {
  const { ada, proved, waiting, acme } = await openWithInvites();
  const [toAcme, toNotes] = await waiting();
  const { invites } = await proved.ask('reqRedeemInvite', { inviteId: toAcme?.inviteId });
  expect(invites).toMatchObject([{ inviteId: toAcme?.inviteId, status: 'accepted' }]);
  expect(await waiting()).toMatchObject([{ inviteId: toNotes?.inviteId }]);
  await proved.ask('reqRejectInvite', { inviteId: toNotes?.inviteId ?? '' });
  expect(await waiting()).toEqual([]);
  expect((await proved.ask('reqListTenantsByUser', {})).tenants).toMatchObject([{ tenantId: acme }]);
  const { tickets } = await ada.ask('reqListInvites', {});
  expect(tickets.map(({ status }) => status).sort()).toEqual(['accepted', 'rejected']);
});

test("[S1] doesn't accept somebody else's invite by its id", async () => {
  const { signUp, waiting } = await openWithInvites();
  const eve = await signUp('eve', { emailVerified: true });
  const [first] = await waiting();
  const unknown = await eve.refused('reqRedeemInvite', { inviteId: 'zNone' });
  expect(unknown).toEqual({ status: 404, code: 'NOT_FOUND', message: 'Not found' });
  expect(await eve.refused('reqRedeemInvite', { inviteId: first?.inviteId })).toEqual(unknown);
  expect(await waiting()).toHaveLength(2);
});

describe('accepting one invite by its id', () => {
  const refusal = async (parts: Awaited<ReturnType<typeof openWithInvites>>, caller = parts.proved) => {
    const [first] = await parts.db.selectFrom('InviteTickets').selectAll().orderBy('createdAt').execute();
    const { code, status } = await caller.refused('reqRedeemInvite', { inviteId: first?.inviteId });
    return [status, code];
  };

  test('requires that the address is verified', async () => {
    const parts = await openWithInvites();
    expect(await refusal(parts, parts.bob)).toEqual([403, 'EMAIL_UNVERIFIED']);
  });

  test('reports an expired invite, whether or not its row already has the status expired', async () => {
    const parts = await openWithInvites();
    parts.clock.ms += 8 * 86_400_000;
    expect(await refusal(parts)).toEqual([409, 'INVITE_EXPIRED']);
    await parts.waiting();
    expect(await refusal(parts)).toEqual([409, 'INVITE_EXPIRED']);
  });

  test('reports an invite that was accepted, rejected or revoked', async () => {
    const parts = await openWithInvites();
    const [first, second] = await parts.waiting();
    await parts.proved.ask('reqRedeemInvite', { inviteId: first?.inviteId });
    expect(await refusal(parts)).toEqual([409, 'INVITE_ENDED']);
    await parts.ada.ask('reqDeleteInvite', { inviteId: second?.inviteId ?? '' });
    const ofSecond = await parts.proved.refused('reqRedeemInvite', { inviteId: second?.inviteId });
    expect(ofSecond).toMatchObject({ status: 409, code: 'INVITE_ENDED' });
  });

  test('reports a full tenant, and leaves the invite pending', async () => {
    const parts = await openWithInvites();
    await parts.db.updateTable('Tenants').set({ maxMemberUsers: 0 }).execute();
    expect(await refusal(parts)).toEqual([409, 'LIMIT_REACHED']);
    expect(await parts.waiting()).toHaveLength(2);
    expect((await parts.proved.ask('reqRedeemInvite', {})).invites).toHaveLength(1);
  });
});
