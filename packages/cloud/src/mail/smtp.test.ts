import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inviteLetter, verifyLetter } from './letters.ts';
import type { Mail } from './mailer.ts';
import { smtpMailer } from './smtp.ts';

interface Received {
  readonly to: readonly string[];
  readonly raw: string;
  readonly user: string | undefined;
}

/**
 * Starts a local mail server that requires a password. It rejects the first `refusals` mails, and
 * accepts all later ones.
 */
async function mailServer({ refusals = 0 } = {}) {
  const received: Received[] = [];
  let left = refusals;
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'pass word' ? done(null, { user: username ?? '' }) : done(new Error('wrong password')),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (left-- > 0) return done(new Error('not now'));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, raw: Buffer.concat(chunks).toString('utf8'), user: session.user });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://fixpoint:pass%20word@127.0.0.1:${port}`, received };
}

function mailerFor(url: string) {
  const [kept, faults]: [Mail[], unknown[]] = [[], []];
  const fallback = { send: async (mail: Mail) => void kept.push(mail) };
  const report = (error: unknown) => void faults.push(error);
  const outcomes: string[] = [];
  const onMail = (outcome: string) => void outcomes.push(outcome);
  const failures: unknown[] = [];
  const onFailure = async ({ to }: Mail, cause: unknown) => void failures.push([to, cause]);
  const from = 'Fixpoint <no-reply@example.com>';
  const mailer = smtpMailer({ url, from, fallback, report, onMail, onFailure });
  onTestFinished(() => mailer.close());
  return { mailer, kept, faults, outcomes, failures };
}

const link = 'https://fixpoint.example/auth/verify-email?token=abc&callbackURL=%2Ffp%2Fcloud';
const unfolded = (raw: string) => raw.replace(/=\r\n/g, '').replace(/=3D/g, '=');

describe('mail through a mail server', () => {
  test('signs in, and delivers text and HTML with the same content and the link', async () => {
    const { url, received } = await mailServer();
    const { mailer, faults } = mailerFor(url);
    await mailer.send(verifyLetter('ada@example.com', link));
    expect(faults).toEqual([]);
    const [mail] = received;
    expect(mail).toMatchObject({ to: ['ada@example.com'], user: 'fixpoint' });
    const raw = unfolded(mail?.raw ?? '');
    expect(raw).toContain('From: Fixpoint <no-reply@example.com>');
    expect(raw).toContain('Subject: Verify your email address');
    const [, text = '', html = ''] = raw.split(/^Content-Type: text\//m);
    expect(text).toMatch(/^plain/);
    expect(text).toContain(link);
    expect(html).toMatch(/^html/);
    expect(html).toContain(`href="${link.replace('&', '&amp;')}"`);
    for (const part of [text, html]) expect(part).toContain('The link expires in 24 hours.');
  });

  test('retries a rejected mail once, then passes it to the fallback and reports it', async () => {
    const once = await mailServer({ refusals: 1 });
    const first = mailerFor(once.url);
    await first.mailer.send(verifyLetter('ada@example.com', link));
    expect([once.received.length, first.kept.length, first.faults.length]).toEqual([1, 0, 0]);
    const never = await mailServer({ refusals: 9 });
    const second = mailerFor(never.url);
    await second.mailer.send(verifyLetter('ada@example.com', link));
    expect([never.received.length, second.kept.length, second.faults.length]).toEqual([0, 1, 1]);
    const gone = mailerFor('smtp://fixpoint:pass%20word@127.0.0.1:1');
    await gone.mailer.send(verifyLetter('ada@example.com', link));
    expect(gone.kept).toHaveLength(1);
    expect([first, second, gone].map(({ outcomes }) => outcomes)).toEqual([['sent'], ['failed'], ['failed']]);
    const failed = ['ada@example.com', expect.any(Error)];
    expect([first, second, gone].map(({ failures }) => failures)).toEqual([[], [failed], [failed]]);
  });

  test('[S15] reports a failure without the password or the link', async () => {
    const { url } = await mailServer();
    const { mailer, faults } = mailerFor(url.replace('pass%20word', 'canary-password'));
    await mailer.send(verifyLetter('ada@example.com', `${link}canary-link`));
    const told = faults.map((fault) => `${String(fault)} ${JSON.stringify(fault)}`).join();
    expect(told).toContain('wrong password');
    expect(told).not.toContain('canary');
  });

  test('creates no markup, links, headers or receivers from names that users wrote', async () => {
    const { url, received } = await mailServer();
    const { mailer } = mailerFor(url);
    const letter = inviteLetter({
      to: 'eve@example.com\r\nBcc: all@example.com',
      inviter: '<img src=x onerror=alert(1)> & "co"',
      place: 'https://evil.example/x\r\nBcc: more@example.com',
      kind: 'tenant',
      may: 'admin',
      url: link,
      proves: true,
      expiresAfter: '2026-11-28T12:00:00.000Z',
    });
    expect(letter.html).not.toMatch(/<img|evil\.example/);
    expect(letter.html).toContain('&lt;img');
    expect(letter.text).not.toContain('evil.example');
    expect(letter.text).toContain('expires on 2026-11-28');
    await mailer.send({ ...letter, to: 'eve@example.com' });
    expect(received[0]?.to).toEqual(['eve@example.com']);
    expect(received[0]?.raw).not.toMatch(/^Bcc:/m);
    await mailer.send(letter);
    expect(received.slice(1).flatMap(({ to }) => to)).not.toContain('all@example.com');
  });
});
