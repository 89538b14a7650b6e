/** Tests the page on which a receiver stops mail without signing in, and mails that failed. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addOperator } from '../src/tables/operators/operator-rows.ts';
import { testCloud } from './cloud.fixture.ts';
import { newPerson } from './person.fixture.ts';

test('stops and allows mail through the link in an invite, but changes nothing when the link is opened', async () => {
  const { url, data } = await testCloud();
  const ada = await newPerson(url);
  const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
  const invite = (byEmail: string) =>
    ada.ask('reqInviteUser', {
      ticket: { query: { byEmail }, invitedParams: { tenant: { id: tenant.tenantId } } },
    });
  await invite('bob@example.org');
  const [mail = ''] = await expect
    .poll(() => mailsTo(data, 'bob@example.org'))
    .toHaveLength(1)
    .then(() => mailsTo(data, 'bob@example.org'));
  const [, link = ''] = /^List-Unsubscribe: <(.+)>$/m.exec(mail) ?? [];
  expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  expect(mail).toContain(`open: ${link}`);
  const asked = await fetch(link);
  expect([asked.status, asked.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  const page = await asked.text();
  expect(page).toContain('Stop mail from this server?');
  const style = /<style>([^<]+)<\/style>/.exec(page)?.[1] ?? '';
  const allowed = createHash('sha256').update(style).digest('base64');
  expect(asked.headers.get('content-security-policy')).toContain(`style-src 'sha256-${allowed}';`);
  expect((await invite('bob+1@example.org')).invite.mailed).toBeUndefined();
  const oneClick = { 'content-type': 'application/x-www-form-urlencoded' };
  const stopped = await fetch(link, {
    method: 'POST',
    headers: oneClick,
    body: 'List-Unsubscribe=One-Click',
  });
  expect(await stopped.text()).toContain('Mail is stopped');
  expect((await invite('bob+2@example.org')).invite.mailed).toBe(false);
  expect(await (await fetch(link)).text()).toContain('Allow mail again');
  await fetch(`${link}?mail=allow`, { method: 'POST' });
  expect((await invite('bob+3@example.org')).invite.mailed).toBeUndefined();
  expect((await fetch(`${link}x`, { method: 'POST' })).status).toBe(404);
});

async function mailsTo(data: string, address: string): Promise<string[]> {
  const folder = join(data, 'outbox');
  const names = await readdir(folder).catch(() => []);
  const mails = await Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')));
  return mails.filter((mail) => mail.startsWith(`To: ${address}\n`));
}

test('[S15] lists a mail that the mail server did not accept for operators, without its text', async () => {
  const smtp = {
    url: 'smtp://fixpoint:canary-password@127.0.0.1:1',
    from: 'Fixpoint <no-reply@example.com>',
  };
  const cloud = await testCloud({ smtp });
  const ada = await newPerson(cloud.url);
  await addOperator(cloud.db, ada.userId, 'now');
  const mails = async () => (await ada.ask('reqListFailedMails')).mails;
  await expect
    .poll(mails)
    .toMatchObject([
      { receiver: 'ada@example.com', subject: 'Verify your email address', reason: expect.any(String) },
    ]);
  expect(await ada.ask('reqDescribeServer')).toMatchObject({ failedMails: 1 });
  expect(JSON.stringify(await mails())).not.toMatch(/canary|https?:/);
});
