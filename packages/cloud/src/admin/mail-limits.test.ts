import { describe, expect, test } from 'vitest';
import { limitedAccountMailer } from '../mail/account-mailer.ts';
import { MAIL_LIMITS } from '../mail/admit-mail.ts';
import { mailboxOf } from '../mail/mailbox.ts';
import type { Mail } from '../mail/mailer.ts';
import { createMailRefusals } from '../mail/refusal.ts';
import { type Caller, makeTenant, openAdmin, openTestDatabase } from './admin.fixture.ts';

const DAY_MS = 86_400_000;
const STRANGER = 'stranger@example.org';

const invitation = (tenantId: string, byEmail: string) => ({
  ticket: { query: { byEmail }, invitedParams: { tenant: { id: tenantId } } },
});

async function openWithTenant() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const tenantId = await makeTenant(ada);
  const mailsTo = async (address: string) => {
    await parts.background.settled();
    return parts.mails.filter(({ to }) => to.startsWith(address)).length;
  };
  /** Invites an address, then removes the invite from the list. */
  const inviteAndDelete = async (caller: Caller, tenant: string, email = STRANGER) => {
    const { invite } = await caller.ask('reqInviteUser', invitation(tenant, email));
    for (let times = 0; times < 2; times += 1)
      await caller.ask('reqDeleteInvite', { inviteId: invite.inviteId });
    return invite;
  };
  return { ...parts, ada, tenantId, mailsTo, inviteAndDelete };
}

describe('[S6] the mail of an invite', () => {
  test('is sent by one user to one address at most five times a day, even if they delete and repeat invites', async () => {
    const { ada, tenantId, mailsTo, inviteAndDelete, clock } = await openWithTenant();
    for (let count = 0; count < MAIL_LIMITS.invitesBetween; count += 1) await inviteAndDelete(ada, tenantId);
    for (const spelling of [
      STRANGER,
      'Stranger@Example.ORG',
      'stranger+2@example.org',
      's.tranger@example.org',
    ])
      expect(await ada.refused('reqInviteUser', invitation(tenantId, spelling))).toMatchObject({
        status: 429,
        code: 'RATE_LIMITED',
      });
    expect((await ada.ask('reqListInvites', {})).tickets).toEqual([]);
    expect(await mailsTo('')).toBe(5);
    clock.ms += DAY_MS;
    await inviteAndDelete(ada, tenantId);
  });

  test("isn't sent to an address that got ten such mails that day; the invite is still created, and the answer reports this", async () => {
    const { signUp, mailsTo, inviteAndDelete } = await openWithTenant();
    const mailed: unknown[] = [];
    for (const name of ['eve', 'max', 'zoe']) {
      const sender = await signUp(name);
      const tenant = await makeTenant(sender);
      for (let count = 0; count < 4; count += 1)
        mailed.push((await inviteAndDelete(sender, tenant)).mailed ?? true);
    }
    expect(mailed).toEqual([...Array(10).fill(true), false, false]);
    expect(await mailsTo(STRANGER)).toBe(MAIL_LIMITS.invitesToMailbox);
  });

  test('is limited per sender and day, across all tenants and gateways', async () => {
    const { ada, db, tenantId, inviteAndDelete, mailsTo, clock, callerFor } = await openWithTenant();
    const second = await makeTenant(ada, 'Second');
    for (let count = 0; count < MAIL_LIMITS.invitesFromSender; count += 1) {
      // These requests stay below the limit of sixty a minute, so only the limit of mails applies.
      clock.ms += 1000;
      await inviteAndDelete(callerFor(ada.person), count % 2 ? tenantId : second, `u${count}@example.org`);
    }
    const more = invitation(tenantId, 'more@example.org');
    const refused = await ada.refused('reqInviteUser', more);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED' });
    expect(await mailsTo('')).toBe(MAIL_LIMITS.invitesFromSender);
    const subjects = await db.selectFrom('MailCounts').select('subject').execute();
    expect(JSON.stringify(subjects)).not.toContain('example.org');
  });

  test("isn't sent to recipients who refused mail, even at another spelling of their address", async () => {
    const { ada, db, tenantId, mailsTo, clock } = await openWithTenant();
    const refusals = createMailRefusals(db, Buffer.from('secret'), 'https://x.example', () => clock.ms);
    await refusals.set(mailboxOf(STRANGER), true);
    await refusals.set(mailboxOf('stranger@gmail.com'), true);
    for (const address of [
      STRANGER,
      'stranger+news@example.org',
      'stran.ger@gmail.com',
      's.tranger+news@googlemail.com',
    ]) {
      const { invite } = await ada.ask('reqInviteUser', invitation(tenantId, address));
      expect(invite).toMatchObject({ status: 'pending', mailed: false });
    }
    expect(await mailsTo('stranger')).toBe(0);
    await refusals.set(mailboxOf(STRANGER), false);
    await ada.ask('reqInviteUser', invitation(tenantId, 'stranger+3@example.org'));
    expect(await mailsTo('stranger')).toBe(1);
  });
});

describe('[S6] a mail about an account', () => {
  const mail = (to: string): Mail => ({ to, subject: 's', text: 't', html: 'h' });

  async function openMailer() {
    const db = await openTestDatabase();
    const clock = { ms: Date.parse('2026-11-20T12:00:00Z') };
    const [sent, noted]: [Mail[], unknown[]] = [[], []];
    const inner = { send: async (one: Mail) => void sent.push(one) };
    /** Opens another gateway on the same tables. */
    const gateway = () =>
      limitedAccountMailer(
        db,
        inner,
        () => clock.ms,
        (event) => noted.push(event),
      );
    return { db, clock, sent, noted, gateway };
  }

  test('is limited per address, hour and day, across all gateways', async () => {
    const { clock, sent, noted, gateway } = await openMailer();
    for (let hour = 0; hour < 10; hour += 1) {
      for (let count = 0; count < 10; count += 1)
        await gateway().send(mail(STRANGER), `net ${hour} ${count}`);
      clock.ms += DAY_MS / 24;
    }
    expect(sent).toHaveLength(MAIL_LIMITS.accountToMailbox);
    expect(noted).toContainEqual({ event: 'mail withheld', why: 'receiver' });
    expect(JSON.stringify(noted)).not.toContain('stranger');
  });

  test("isn't sent if the requesting network reached its limit, whatever the address", async () => {
    const { sent, gateway } = await openMailer();
    for (let count = 0; count < MAIL_LIMITS.accountFromNetwork + 20; count += 1)
      await gateway().send(mail(`u${count}@example.org`), '192.0.2.1');
    expect(sent).toHaveLength(MAIL_LIMITS.accountFromNetwork);
  });

  test('is still sent to a user who refused mail, but only at the verified address of their account', async () => {
    const { signUp, db } = await openAdmin();
    const sent: Mail[] = [];
    const inner = { send: async (one: Mail) => void sent.push(one) };
    const now = () => Date.parse('2026-11-20T12:00:00Z');
    const mailer = limitedAccountMailer(db, inner, now, () => undefined);
    const refusals = createMailRefusals(db, Buffer.from('secret'), 'https://x.example', now);
    await signUp('bob', { emailVerified: true });
    await signUp('typed', { emailVerified: false });
    for (const name of ['bob', 'typed', 'nobody']) {
      await refusals.set(`${name}@example.com`, true);
      await mailer.send(mail(`${name}@example.com`), undefined);
    }
    expect(sent.map(({ to }) => to)).toEqual(['bob@example.com']);
  });
});

test('[S1] accepts a refusal of mail only by a link that this server signed', async () => {
  const db = await openTestDatabase();
  const open = (secret: string) =>
    createMailRefusals(db, Buffer.from(secret), 'https://x.example/base', () => 0);
  const ours = open('secret');
  const link = ours.linkFor(' Bob+news@Example.com ');
  expect(link).toMatch(/^https:\/\/x\.example\/base\/mail\/[\w-]+\.[\w-]+$/);
  const token = link.split('/').at(-1) ?? '';
  expect(ours.read(token)).toBe('bob@example.com');
  const [text = '', signature = ''] = token.split('.');
  const other = Buffer.from('eve@example.com').toString('base64url');
  for (const wrong of ['', '.', text, `${text}.`, `${other}.${signature}`, `${text}.${'A'.repeat(43)}`])
    expect(ours.read(wrong)).toBeUndefined();
  expect(open('another secret').read(token)).toBeUndefined();
});
