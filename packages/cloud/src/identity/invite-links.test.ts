import { expect, test } from 'vitest';
import { makeTenant, openAdmin } from '../admin/admin.fixture.ts';
import { openIdentity, PASSWORD } from './builtin.fixture.ts';

/** Opens a server where Ada invited Bob by mail. */
async function openWithInvite() {
  const admin = await openAdmin();
  const ada = await admin.signUp('ada');
  const tenantId = await makeTenant(ada);
  const invitedParams = { tenant: { id: tenantId, role: 'member' as const } };
  const { invite } = await ada.ask('reqInviteUser', {
    ticket: { query: { byEmail: 'bob@example.com' }, invitedParams },
  });
  await admin.background.settled();
  const secret = /\/invite#(\S+)/.exec(admin.mails[0]?.text ?? '')?.[1] ?? '';
  const provider = await openIdentity({ db: admin.db, now: () => admin.clock.ms });
  const signUp = (email: string, invited: unknown) => {
    const page = provider.browser();
    const sent = { email, password: PASSWORD, name: 'Bob', invite: invited };
    return { page, reply: page.post('/auth/sign-up/email', sent) };
  };
  const isVerified = async (page: ReturnType<typeof provider.browser>) =>
    (await page.get('/auth/get-session')).body.user.emailVerified;
  return { ...provider, ada, admin, inviteId: invite.inviteId, secret, signUpWith: signUp, isVerified };
}

test('[S4] verifies the address of an account that the link creates, without another mail', async () => {
  const { secret, signUpWith, isVerified, noted } = await openWithInvite();
  const { page, reply } = signUpWith('Bob@example.com', secret);
  expect((await reply).status).toBe(200);
  expect(await isVerified(page)).toBe(true);
  await page.post('/auth/send-verification-email', { email: 'bob@example.com' });
  expect(noted).toEqual([]);
});

test('[S4] rejects a sign-up with the link of another address, a made-up secret, or a wrong type', async () => {
  const { secret, signUpWith, db } = await openWithInvite();
  for (const [email, given] of [
    ['eve@example.com', secret],
    ['bob@example.com', `${secret}x`],
    ['bob@example.com', ''],
    ['bob@example.com', null],
    ['bob@example.com', { $ne: '' }],
  ] as const) {
    const reply = await signUpWith(email, given).reply;
    expect([reply.status, reply.body.code], String(given)).toEqual([400, 'INVITE_ENDED']);
  }
  expect(await db.selectFrom('InviteLinks').selectAll().execute()).toHaveLength(1);
  // The failed attempts created no account.
  expect((await signUpWith('bob@example.com', secret).reply).status).toBe(200);
});

test('[S4] works once, even if two browsers use the link at the same time', async () => {
  const { secret, signUpWith, db } = await openWithInvite();
  const replies = await Promise.all([1, 2].map(() => signUpWith('bob@example.com', secret).reply));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await db.selectFrom('InviteLinks').selectAll().execute()).toEqual([]);
});

test.each(['expired', 'revoked'])('[S4] rejects the link of an invite that was %s', async (how) => {
  const { secret, signUpWith, ada, admin, inviteId } = await openWithInvite();
  if (how === 'revoked') await ada.ask('reqDeleteInvite', { inviteId });
  else admin.clock.ms += 7 * 86_400_000;
  expect((await signUpWith('bob@example.com', secret).reply).body.code).toBe('INVITE_ENDED');
});

test('sends the usual mail after a sign-up without a link', async () => {
  const { signUpWith, isVerified, mails } = await openWithInvite();
  const { page, reply } = signUpWith('bob@example.com', undefined);
  expect((await reply).status).toBe(200);
  expect([await isVerified(page), mails().length]).toEqual([false, 1]);
});
