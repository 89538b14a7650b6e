import { describe, expect, test } from 'vitest';
import {
  accessLetter,
  approvedLetter,
  type InviteLetter,
  inviteLetter,
  passwordLetter,
  resetLetter,
  signInLetter,
  verifyLetter,
  withRefusal,
} from './letters.ts';

const TO = 'ada@example.com';
const LINK = 'https://fixpoint.example/x?token=a&next=b';
const INVITE: InviteLetter = {
  to: TO,
  inviter: 'Bob',
  place: 'Acme',
  kind: 'tenant',
  may: 'admin',
  url: LINK,
  proves: true,
  expiresAfter: '2026-11-27T12:00:00.000Z',
};

const LETTERS = {
  verify: verifyLetter(TO, LINK),
  reset: resetLetter(TO, LINK),
  'sign-in': signInLetter(TO, LINK),
  password: passwordLetter(TO, LINK),
  approved: approvedLetter(TO, LINK),
  access: accessLetter(TO, { kind: 'device', name: 'laptop' }, LINK),
  invite: inviteLetter(INVITE),
};

describe.each(Object.entries(LETTERS))('the %s mail', (_, mail) => {
  test('has one receiver, and a subject of one line', () => {
    expect(mail.to).toBe(TO);
    expect(mail.subject).toMatch(/^[^\r\n]{10,}$/);
  });

  test('contains one link, as text and as the only button', () => {
    expect(mail.text.split(LINK)).toHaveLength(2);
    const targets = [...mail.html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
    expect(targets).toEqual([LINK.replace('&', '&amp;')]);
  });

  test('has the same content as text and as HTML', () => {
    const plain = (html: string) =>
      html.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    for (const line of mail.text.split('\n\n')) expect(plain(mail.html)).toContain(line);
  });

  test('tells receivers who expected no mail what to do', () => {
    expect(mail.text).toMatch(/ignore this mail|change your password/);
  });
});

describe('names that users chose', () => {
  const nasty = 'Bob\r\nBcc: eve@example.com <b> https://evil.example';

  test('turns a name into one line without links and markup', () => {
    const { subject, text, html } = inviteLetter({ ...INVITE, inviter: nasty, place: nasty });
    expect(subject).not.toMatch(/[\r\n]/);
    for (const part of [subject, text, html]) expect(part).not.toMatch(/https:\/\/evil|evil\.example/);
    expect(html).not.toContain('<b>');
  });

  test('truncates a name after 60 characters', () => {
    const { text } = accessLetter(TO, { kind: 'token', name: 'x'.repeat(500) }, LINK);
    expect(text).toContain(`"${'x'.repeat(60)}"`);
  });
});

describe('the invitation', () => {
  test.each([
    ['tenant', 'admin', 'the tenant "Acme" on Fixpoint, as an admin.'],
    ['tenant', 'member', 'the tenant "Acme" on Fixpoint, as a member.'],
    ['ledger', 'read', 'the database "Acme" on Fixpoint, to read it.'],
    ['ledger', 'write', 'the database "Acme" on Fixpoint, to read and write it.'],
  ] as const)('contains what the receiver may do: %s, %s', (kind, may, words) =>
    expect(inviteLetter({ ...INVITE, kind, may }).text).toContain(words),
  );

  test('says that the link proves the address only if it does', () => {
    expect(inviteLetter(INVITE).text).toContain("proves that this address is yours, so don't forward it.");
    expect(inviteLetter({ ...INVITE, proves: false }).text).not.toMatch(/proves|create one there/);
  });

  test('contains the day on which the invitation expires', () => {
    expect(inviteLetter(INVITE).text).toContain('expires on 2026-11-27.');
  });
});

test('appends a link for refusing further mail', () => {
  const refuse = 'https://fixpoint.example/mail/abc?x=1&y=2';
  const mail = withRefusal(LETTERS.invite, refuse);
  expect(mail.refuseUrl).toBe(refuse);
  expect(mail.text.endsWith(`: ${refuse}`)).toBe(true);
  expect(mail.html).toContain(`href="${refuse.replace('&', '&amp;')}"`);
  expect(mail.html.trimEnd().endsWith('</html>')).toBe(true);
});
