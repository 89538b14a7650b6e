/** An application with its own users: its back end, its issuer, and pages of its users. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '@fixpoint/server';
import { fixpoint, toCloud } from 'fixpoint';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { type TestCloud, temporaryFolder, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import { mailedLink } from '../../packages/cloud/tests/page.fixture.ts';
import { newPerson, personAgain } from '../../packages/cloud/tests/person.fixture.ts';

const ORIGIN = 'https://app.example';

/** Serves the keys of an issuer, and signs tokens of its users. */
async function openIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' }];
  const http = createHttpServer((_, answer) => answer.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const jwksUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/keys`;
  const tokenOf = (subject: string, rights: object) =>
    new SignJWT({ name: subject, fixpoint_rights: rights })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer('https://id.app.example')
      .setAudience('fixpoint')
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  return { issuer: { issuer: 'https://id.app.example', jwksUrl, audience: 'fixpoint' }, tokenOf };
}

/** A started cloud with an application, and the back end of the application. */
async function openApplication() {
  const cloud = await testCloud();
  const { issuer, tokenOf } = await openIssuer();
  const ada = await newPerson(cloud.url);
  const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
  const { tenantId } = tenant;
  const settings = { name: 'Notes', origins: [ORIGIN], redirectUrls: [`${ORIGIN}/`], issuer };
  const { application } = await ada.ask('reqCreateApplication', { tenantId, ...settings });
  const { token } = await ada.ask('reqCreateApiToken', { tenantId, name: 'back end', right: 'admin' });
  const server = createServer({ base: cloud.url, tenant: tenantId, token });
  return { cloud, ada, tenantId, app: application.applicationId, server, tokenOf };
}

/** Opens a database as the page of a user does. */
async function page(cloud: TestCloud, tenant: string, ledger: string, token: () => Promise<string>) {
  const db = fixpoint('notes', { directory: await temporaryFolder() });
  const attached = await db.attach(toCloud({ base: cloud.url, tenant, ledger, token, kind: 'open-key' }));
  onTestFinished(async () => {
    await attached.detach();
    await db.close();
  });
  return { db, attached };
}

/** Gets cloud tokens as a session of the page does. */
function tokensOf(cloud: TestCloud, app: string, ledgerId: string, ownToken: string) {
  const post = async (type: string, payload: object) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify({ type, applicationId: app, ...payload }),
    };
    return (await (await fetch(`${cloud.url}/api/app`, init)).json()) as Record<string, string>;
  };
  const part = (char: string, length: number) => char.repeat(length);
  return async () => {
    const refreshToken = `${crypto.randomUUID().replaceAll('-', '')}.${part('r', 43)}`;
    const { accessToken } = await post('reqExchangeApplicationToken', { token: ownToken, refreshToken });
    const { token } = await post('reqApplicationCloudToken', { accessToken, ledgerId });
    return String(token);
  };
}

test('syncs a user of the issuer with a user whom the back end names, until the back end removes one', async () => {
  const { cloud, tenantId, app, server, tokenOf } = await openApplication();
  const { ledgerId } = await server.createDatabase({ name: 'shopping', kind: 'open-key' });
  expect(await server.databases()).toEqual([{ ledgerId, name: 'shopping', kind: 'open-key' }]);
  const bea = await page(
    cloud,
    tenantId,
    ledgerId,
    tokensOf(cloud, app, ledgerId, await tokenOf('bea', { [ledgerId]: 'write' })),
  );
  const max = await server.putUser({ app, subject: 'max', name: 'Max', rights: { [ledgerId]: 'write' } });
  const ofMax = await page(cloud, tenantId, ledgerId, async () => {
    const { token } = await server.createUserToken({ app, userId: max.userId, ledgerId });
    return token;
  });
  await bea.db.put({ _id: 'milk', by: 'bea' });
  await bea.attached.synced();
  await expect.poll(async () => (await ofMax.db.allDocs()).rows.length).toBe(1);
  await ofMax.db.put({ _id: 'bread', by: 'max' });
  await ofMax.attached.synced();
  await expect.poll(async () => (await bea.db.allDocs()).rows.length).toBe(2);

  await server.removeUser({ app, userId: max.userId });
  await expect.poll(() => ofMax.attached.status().state).toBe('refused');
  await bea.db.put({ _id: 'eggs', by: 'bea' });
  await bea.attached.synced();
  expect((await ofMax.db.allDocs()).rows).toHaveLength(2);
});

/** Returns a person who has verified their address. */
async function bobOf({ url, data }: TestCloud) {
  await newPerson(url, 'bob');
  await fetch(await mailedLink(data, 'Verify your email address', 'bob@example.com'));
  return personAgain(url, 'bob');
}

test('shares a database with a person of the cloud, who accepts an invite, until the back end ends the share', async () => {
  const { cloud, app, server } = await openApplication();
  const { ledgerId } = await server.createDatabase({ name: 'shopping', kind: 'open-key' });
  const bob = await bobOf(cloud);
  const share = (right: 'read' | 'write') =>
    server.shareDatabase({ ledgerId, email: ' Bob@example.com', right });
  const invited = { email: 'bob@example.com', right: 'read', status: 'invited' };
  expect(await share('read')).toEqual(invited);
  expect(await share('write')).toEqual({ ...invited, right: 'write' });
  expect(await server.databaseShares(ledgerId)).toEqual([{ ...invited, right: 'write' }]);
  await bob.ask('reqRedeemInvite', {});
  expect(await server.databaseShares(ledgerId)).toEqual([{ ...invited, right: 'write', status: 'active' }]);
  expect(await share('read')).toEqual({ ...invited, status: 'active' });
  expect((await bob.ask('reqListLedgersByUser', {})).ledgers).toMatchObject([{ ledgerId }]);

  await server.unshareDatabase({ ledgerId, email: 'bob@example.com' });
  expect((await bob.ask('reqListLedgersByUser', {})).ledgers).toEqual([]);
  expect(await server.databaseShares(ledgerId)).toEqual([]);
  await expect(server.unshareDatabase({ ledgerId, email: 'bob@example.com' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const blank = server.unshareDatabase({ ledgerId, email: ' ' });
  await expect(blank).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  await server.shareDatabase({ ledgerId, email: 'eve@example.com', right: 'read' });
  await server.unshareDatabase({ ledgerId, email: 'eve@example.com' });
  expect(await server.databaseShares(ledgerId)).toEqual([]);
  // Users of the application aren't people of the cloud.
  await server.putUser({ app, subject: 'max', email: 'max@app.example', rights: { [ledgerId]: 'write' } });
  expect(await server.databaseShares(ledgerId)).toEqual([]);
});

test('gives a member of the tenant the right at once, and rejects a share with an admin', async () => {
  const { cloud, ada, tenantId, server } = await openApplication();
  const { ledgerId } = await server.createDatabase({ name: 'shopping', kind: 'open-key' });
  const bob = await bobOf(cloud);
  const invitedParams = { tenant: { id: tenantId, role: 'member' as const } };
  await ada.ask('reqInviteUser', { ticket: { query: { byEmail: 'bob@example.com' }, invitedParams } });
  await bob.ask('reqRedeemInvite', {});
  const share = { ledgerId, email: 'bob@example.com', right: 'read' } as const;
  expect(await server.shareDatabase(share)).toEqual({
    ...{ email: 'bob@example.com', right: 'read', status: 'active' },
  });
  await expect(server.shareDatabase({ ...share, email: ada.email })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
});

test('lets a user with the right `read` read, and keeps what they write on their device', async () => {
  const { cloud, tenantId, app, server, tokenOf } = await openApplication();
  const { ledgerId } = await server.createDatabase({ name: 'shopping', kind: 'open-key' });
  const bea = await page(
    cloud,
    tenantId,
    ledgerId,
    tokensOf(cloud, app, ledgerId, await tokenOf('bea', { [ledgerId]: 'write' })),
  );
  await bea.db.put({ _id: 'milk' });
  await bea.attached.synced();
  const reader = await page(
    cloud,
    tenantId,
    ledgerId,
    tokensOf(cloud, app, ledgerId, await tokenOf('rea', { [ledgerId]: 'read' })),
  );
  await expect.poll(async () => (await reader.db.allDocs()).rows.length).toBe(1);
  await reader.db.put({ _id: 'own' });
  await expect.poll(() => reader.attached.status().state).toBe('refused');
  expect((await bea.db.allDocs()).rows).toHaveLength(1);
});

test('rejects with the code of the server', async () => {
  const { ada, cloud, tenantId, app, server } = await openApplication();
  const { ledgerId } = await server.createDatabase({ name: 'shopping', kind: 'open-key' });
  await expect(server.createDatabase({ name: 'shopping', kind: 'open-key' })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  await expect(server.putUser({ app, subject: '' })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  await expect(server.createUserToken({ app, userId: ada.userId, ledgerId })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const stranger = createServer({ base: cloud.url, tenant: tenantId, token: 'fp_made_up' });
  await expect(stranger.databases()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  const nowhere = createServer({ base: 'http://127.0.0.1:9', tenant: tenantId, token: 'x' });
  await expect(nowhere.databases()).rejects.toMatchObject({ code: 'FETCH' });
  await server.deleteDatabase(ledgerId);
  expect(await server.databases()).toEqual([]);
});

test('rejects wrong options at once', () => {
  for (const [options, why] of [
    [{ base: 'cloud.example', tenant: 't', token: 'x' }, 'base'],
    [{ base: 'https://cloud.example', tenant: undefined, token: 'x' }, 'tenant'],
    [{ base: 'https://cloud.example', tenant: 't', token: '' }, 'token'],
  ] as const)
    expect(() => createServer(options), why).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(why) }),
    );
});
