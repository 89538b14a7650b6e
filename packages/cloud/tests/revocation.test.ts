import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { changeUsers, defaultConfig, knownUsers } from '../src/index.ts';
import { insertApplicationSession } from '../src/tables/applications/application-session-rows.ts';
import { testDatabaseKind, testDatabaseUrl } from '../src/tables/postgres.fixture.ts';
import {
  about,
  commit,
  httpClient,
  putJson,
  socketClient,
  type TestCloud,
  testCloud,
} from './cloud.fixture.ts';
import { newPage, PASSWORD, PATIENCE, type Page, verifiedPage } from './page.fixture.ts';
import { newPerson, ownLedger } from './person.fixture.ts';

/** Returns the names of the product tables in which a row contains one of the ids. */
async function tablesNaming({ db }: TestCloud, ids: readonly string[]): Promise<string[]> {
  const tables = [
    'Tenants',
    'TenantUsers',
    'Ledgers',
    'LedgerUsers',
    'InviteTickets',
    'Metas',
    'LedgerKeys',
    'TokenByResultId',
    'AppBindings',
    'ApiTokens',
  ];
  const found = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(db);
      const text = JSON.stringify(rows);
      return ids.some((id) => text.includes(id)) ? [table] : [];
    }),
  );
  return found.flat();
}

const sessionRow = (userId: string) => ({
  sessionId: `session of ${userId}`,
  applicationId: 'zApp',
  tenantId: 'zT',
  userId,
  origin: 'https://app.example',
  familyHash: userId,
  refreshHash: userId,
  createdAt: '2026-11-20T12:00:00.000Z',
  expiresAt: '9999-11-20T12:00:00.000Z',
  endsAt: null,
});

const objectFiles = async (data: string) =>
  (await readdir(join(data, 'objects'), { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );

describe('operator commands on users', () => {
  test('[S5] rejects all sessions, tokens and sockets of a banned user within seconds, until the user is unbanned', async () => {
    const cloud = await testCloud();
    const config = { ...defaultConfig(cloud.data), databaseUrl: await testDatabaseUrl(cloud.data) };
    const ada = await newPerson(cloud.url);
    const notes = await ownLedger(ada);
    const socket = await socketClient(cloud, notes);
    await socket.request('bindGetMeta', about(notes, 'meta', 'GET'));
    const { token: secret } = await ada.ask('reqCreateApiToken', { tenantId: notes.tenant, name: 'ci' });
    const byToken = () =>
      putJson(`${cloud.url}/api`, {
        type: 'reqListTenantsByUser',
        auth: { type: 'api-token', token: secret },
      });
    expect((await byToken()).status).toBe(200);
    const other = await newPerson(cloud.url, 'max');
    for (const { userId } of [ada, other]) await insertApplicationSession(cloud.db, sessionRow(userId), 20);
    const [banned] = await changeUsers(config, 'ban', ['ADA@example.com']);
    const sessions = await cloud.db.selectFrom('ApplicationSessions').select('userId').execute();
    expect(sessions).toEqual([{ userId: other.userId }]);
    expect(banned).toMatchObject({ userId: ada.userId, email: ada.email });
    expect(await ada.send('reqListTenantsByUser')).toMatchObject({ status: 401 });
    expect((await byToken()).status).toBe(401);
    expect((await socket.closed).code).toBe(1008);
    const page = newPage(cloud.url);
    expect((await fetch(`${cloud.url}/auth/sessions`, { headers: { cookie: ada.cookie } })).status).toBe(401);
    expect((await page.signIn(ada.email)).status).toBe(403);
    expect((await knownUsers(config)).map(({ status }) => status)).toEqual(['banned', 'active']);
    await changeUsers(config, 'unban', [ada.userId]);
    expect((await page.signIn(ada.email)).status).toBe(200);
    // The session ended, and its identity token with it.
    expect(await ada.send('reqListTenantsByUser')).toMatchObject({ status: 401 });
    const auth = { type: 'fixpoint', token: await page.token() };
    const { body } = await putJson(`${cloud.url}/api`, { type: 'reqListTenantsByUser', auth });
    expect(body.tenants).toHaveLength(1);
  });

  test('removes and readmits users of applications, and nobody else', async () => {
    const cloud = await testCloud();
    const config = { ...defaultConfig(cloud.data), databaseUrl: await testDatabaseUrl(cloud.data) };
    const ada = await newPerson(cloud.url);
    const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
    const { tenantId } = tenant;
    const settings = { name: 'Notes', origins: ['https://a.example'], redirectUrls: ['https://a.example/'] };
    const { application } = await ada.ask('reqCreateApplication', { tenantId, ...settings });
    const { applicationId } = application;
    const kind = 'open-key' as const;
    const { ledger } = await ada.ask('reqCreateLedger', { ledger: { tenantId, name: 'notes', kind } });
    const rights = { [ledger.ledgerId]: 'read' as const };
    const { user } = await ada.ask('reqPutApplicationUser', {
      tenantId,
      applicationId,
      subject: 'u1',
      rights,
    });
    const { userId } = user;
    const shown = async () => (await knownUsers(config)).find((one) => one.userId === userId);
    expect(await shown()).toMatchObject({
      ...{ status: 'active', provider: 'application', providerUserId: 'u1' },
      own: { application: 'Notes', rights: 1, lastSignInAt: null },
    });
    await expect(changeUsers(config, 'remove', [ada.email])).rejects.toThrow(/ban them instead/);
    await changeUsers(config, 'remove', [userId]);
    expect(await shown()).toMatchObject({ status: 'removed', own: { rights: 0 } });
    await changeUsers(config, 'readmit', [userId]);
    expect(await shown()).toMatchObject({ status: 'active', own: { rights: 0 } });
  });

  test('ends the sessions of one user or of all users, and removes a lost second factor', async () => {
    const cloud = await testCloud();
    const config = { ...defaultConfig(cloud.data), databaseUrl: await testDatabaseUrl(cloud.data) };
    const [ada, eve] = [await verifiedPage(cloud), await verifiedPage(cloud, 'eve')];
    const max = await newPerson(cloud.url, 'max');
    const { token: ofMax } = await max.ask('reqCloudSessionToken');
    await changeUsers(config, 'sign-out', undefined);
    expect(await putJson(`${cloud.url}/api`, { type: 'reqExtendToken', token: ofMax })).toMatchObject({
      status: 401,
    });
    expect((await ada.get('/auth/sessions')).status).toBe(401);
    // Someone who never called the admin API is not yet a user of the product.
    expect((await knownUsers(config)).map(({ email }) => email)).toEqual(['max@example.com']);
    const asked = async (page: Page) => {
      await page.signIn(`${page === ada ? 'ada' : 'eve'}@example.com`);
      await putJson(`${cloud.url}/api`, {
        type: 'reqEnsureUser',
        auth: { type: 'fixpoint', token: await page.token() },
      });
    };
    for (const page of [ada, eve]) await asked(page);
    await ada.post('/auth/two-factor/enable', { password: PASSWORD });
    await sql`update "user" set "twoFactorEnabled" = ${testDatabaseKind === 'sqlite' ? 1 : true}`.execute(
      cloud.db,
    );
    const stopped = newPage(cloud.url);
    expect((await stopped.signIn(ada.email)).body).toMatchObject({ twoFactorRedirect: true });
    const sessionsOf = async () => {
      const rows = await cloud.db.selectFrom('ApplicationSessions').select('userId').execute();
      return rows.map(({ userId }) => userId);
    };
    const ids = new Map((await knownUsers(config)).map(({ email, userId }) => [email, userId]));
    for (const userId of ids.values()) await insertApplicationSession(cloud.db, sessionRow(userId), 20);
    await changeUsers(config, 'reset-factors', [ada.email]);
    expect(await sessionsOf()).not.toContain(ids.get(ada.email));
    expect((await sessionsOf()).length).toBe(ids.size - 1);
    expect((await ada.get('/auth/sessions')).status).toBe(401);
    expect((await eve.get('/auth/sessions')).status).toBe(200);
    expect((await stopped.signIn(ada.email)).body).toMatchObject({ user: { email: ada.email } });
    await changeUsers(config, 'sign-out', undefined);
    expect((await eve.get('/auth/sessions')).status).toBe(401);
    await expect(changeUsers(config, 'ban', [ada.email, 'nobody@example.com'])).rejects.toThrow('Not found');
    expect((await knownUsers(config)).map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  });
});

describe('deleting a tenant or ledger', () => {
  test('[S5] makes a deleted ledger unavailable to the next message, and closes its sockets at once', async () => {
    const cloud = await testCloud({ bucket: undefined });
    const ada = await newPerson(cloud.url);
    const notes = await ownLedger(ada);
    const [http, socket] = [await httpClient(cloud, notes), await socketClient(cloud, notes)];
    for (const client of [http, socket])
      expect(await client.request('bindGetMeta', about(notes, 'meta', 'GET'))).toMatchObject({
        type: 'eventGetMeta',
      });
    await ada.ask('reqDeleteLedger', { ledger: { tenantId: notes.tenant, ledgerId: notes.ledger } });
    // Without invalidation, the recent lookup would still be cached.
    const get = http.request('reqGetData', about(notes, 'car', 'GET', 'k'));
    expect(await get).toMatchObject({ code: 'NOT_FOUND' });
    expect((await socket.closed).code).toBe(1008);
  });

  test('[S5] ends ledgers, members, invites, tokens and sockets of a deleted tenant, and removes its objects and rows', async () => {
    const cloud = await testCloud({ bucket: undefined });
    const [ada, bob] = [await newPerson(cloud.url, 'ada'), await newPerson(cloud.url, 'bob')];
    const notes = await ownLedger(ada);
    const [tenantId, ledgerId] = [notes.tenant, notes.ledger];
    const kept = await ownLedger(bob, 'kept');
    const member = { query: { existingUserId: bob.userId }, invitedParams: { tenant: { id: tenantId } } };
    await ada.ask('reqInviteUser', { ticket: member });
    await bob.ask('reqRedeemInvite');
    for (const invitedParams of [{ tenant: { id: tenantId } }, { ledger: { id: ledgerId } }])
      await ada.ask('reqInviteUser', { ticket: { query: { byEmail: 'eve@example.com' }, invitedParams } });
    const { token } = await bob.ask('reqCloudSessionToken', {
      selected: { tenant: tenantId, ledger: ledgerId },
    });
    const bobs = { ...notes, token };
    await commit(await httpClient(cloud, notes), notes, 'an archive');
    await commit(await httpClient(cloud, kept), kept, 'of another tenant');
    expect(await objectFiles(cloud.data)).toHaveLength(2);
    const sockets = [await socketClient(cloud, notes), await socketClient(cloud, bobs)];
    for (const socket of sockets) await socket.request('bindGetMeta', about(notes, 'meta', 'GET'));

    await ada.ask('reqDeleteTenant', { tenantId });

    for (const socket of sockets) expect((await socket.closed).code).toBe(1008);
    for (const client of [await httpClient(cloud, notes), await httpClient(cloud, bobs)])
      for (const [type, method] of [
        ['reqGetData', 'GET'],
        ['reqPutData', 'PUT'],
      ] as const)
        expect(await client.request(type, about(notes, 'car', method, 'k'))).toMatchObject({
          code: 'NOT_FOUND',
        });
    for (const person of [ada, bob])
      expect(await person.send('reqCloudSessionToken', { selected: { tenant: tenantId } })).toMatchObject({
        status: 404,
      });
    expect(await tablesNaming(cloud, [tenantId, ledgerId])).toEqual([]);
    await vi.waitFor(async () => expect(await objectFiles(cloud.data)).toHaveLength(1), PATIENCE);
    expect((await bob.ask('reqListLedgersByUser')).ledgers).toMatchObject([{ ledgerId: kept.ledger }]);
  });

  test('[S5] applies the removal of a member, or a lowered right, to open connections at once', async () => {
    const cloud = await testCloud({ bucket: undefined });
    const [ada, bob] = [await newPerson(cloud.url, 'ada'), await newPerson(cloud.url, 'bob')];
    const notes = await ownLedger(ada);
    const ledger = { tenantId: notes.tenant, ledgerId: notes.ledger };
    const member = { query: { existingUserId: bob.userId }, invitedParams: { tenant: { id: notes.tenant } } };
    await ada.ask('reqInviteUser', { ticket: member });
    await bob.ask('reqRedeemInvite');
    const { token } = await bob.ask('reqCloudSessionToken', { selected: { tenant: notes.tenant } });
    const bobs = { ...notes, token };
    const [http, socket] = [await httpClient(cloud, bobs), await socketClient(cloud, bobs)];
    await socket.request('bindGetMeta', about(notes, 'meta', 'GET'));
    const [put, get] = [about(notes, 'car', 'PUT', 'k'), about(notes, 'car', 'GET', 'k')];
    expect(await http.request('reqPutData', put)).toMatchObject({ type: 'resPutData' });
    await ada.ask('reqShareLedger', { ledger, userId: bob.userId, right: 'read' });
    expect(await http.request('reqPutData', put)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await http.request('reqGetData', get)).toMatchObject({ type: 'resGetData' });
    await ada.ask('reqRemoveMember', { tenantId: notes.tenant, userId: bob.userId });
    expect(await http.request('reqGetData', get)).toMatchObject({ code: 'NOT_FOUND' });
    expect((await socket.closed).code).toBe(1008);
  });
});

test('[S5] closes connections of a revoked API token at once', async () => {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const notes = await ownLedger(ada);
  const { apiToken, token } = await ada.ask('reqCreateApiToken', {
    tenantId: notes.tenant,
    name: 'build',
    right: 'write',
  });
  const auth = { type: 'api-token', token };
  const { body } = await putJson(`${cloud.url}/api`, { type: 'reqCloudSessionToken', auth });
  const byToken = { ...notes, token: body.token };
  const [http, socket] = [await httpClient(cloud, byToken), await socketClient(cloud, byToken)];
  await socket.request('bindGetMeta', about(notes, 'meta', 'GET'));
  const put = about(notes, 'car', 'PUT', 'k');
  expect(await http.request('reqPutData', put)).toMatchObject({ type: 'resPutData' });
  await ada.ask('reqRevokeApiToken', { tokenId: apiToken.tokenId });
  expect(await http.request('reqPutData', put)).toMatchObject({ code: 'NOT_FOUND' });
  expect((await socket.closed).code).toBe(1008);
  expect(await (await httpClient(cloud, notes)).request('reqPutData', put)).toMatchObject({
    type: 'resPutData',
  });
});
