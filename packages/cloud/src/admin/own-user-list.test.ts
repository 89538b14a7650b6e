import type { RequestType } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { getApplication } from '../tables/applications/application-rows.ts';
import { putRights } from '../tables/applications/application-user-rows.ts';
import { inTransaction } from '../tables/connection.ts';
import { bringIn, makeTenant } from './admin.fixture.ts';
import { openOwnUsers } from './own-users.fixture.ts';
import { putUser } from './parts/application-user.ts';

/** An application whose back end has an API token with the right `users`. */
async function openBackEnd() {
  const parts = await openOwnUsers();
  const { ada, admin, tenantId, applicationId } = parts;
  const { token } = await ada.ask('reqCreateApiToken', { tenantId, name: 'back end', right: 'users' });
  const ask = async (type: RequestType, payload: object = {}) => {
    const auth = { type: 'api-token', token };
    const { status, body } = await admin({ type, auth, tenantId, applicationId, ...payload });
    return { httpStatus: status, ...body } as Record<string, unknown> & { httpStatus: number };
  };
  const put = async (payload: object) =>
    ((await ask('reqPutApplicationUser', payload))['user'] as { userId: string }).userId;
  const list = (payload: object = {}) => ada.ask('reqListApplicationUsers', { tenantId, ...payload });
  const subjects = async (payload: object = {}) => (await list(payload)).users.map(({ subject }) => subject);
  return { ...parts, ask, put, list, subjects };
}

describe('the list of the own users of applications', () => {
  test('shows who they are, their rights, their status and when they last signed in', async () => {
    const { clock, applicationId, ledgerId, openKey, put, ask, writer, list } = await openBackEnd();
    const other = await openKey('second');
    const named = await put({
      subject: 'u1',
      name: 'Bea',
      rights: { [ledgerId]: 'write', [other]: 'read' },
    });
    clock.ms += 1000;
    const removed = await put({ subject: 'u2', rights: { [ledgerId]: 'read' } });
    await ask('reqRemoveApplicationUser', { userId: removed });
    clock.ms += 1000;
    const at = expect.stringContaining(new Date(clock.ms).toISOString().slice(0, 19));
    const { userId } = (await writer({ email: 'c@app.example' })).user;
    const dates = { createdAt: expect.any(String) };
    const { users, next } = await list();
    expect(next).toBeUndefined();
    expect(users).toEqual([
      {
        ...{ userId, subject: 'user-1', email: 'c@app.example', applicationId, ...dates },
        ...{ status: 'active', rights: 1, lastSignInAt: at },
      },
      { userId: removed, subject: 'u2', applicationId, status: 'removed', rights: 0, ...dates },
      { userId: named, subject: 'u1', name: 'Bea', applicationId, status: 'active', rights: 2, ...dates },
    ]);
    clock.ms += 120_000;
    await ask('reqCreateUserToken', { userId: named, ledgerId });
    const when = new Date(clock.ms).toISOString().slice(0, 19);
    expect((await list({ search: 'u1' })).users[0]?.lastSignInAt).toContain(when);
  });

  test('returns pages without gaps or repetition, newest first', async () => {
    const { clock, put, list } = await openBackEnd();
    for (let n = 0; n < 7; n += 1) {
      await put({ subject: `u${n}` });
      // Several users may have the same time.
      if (n % 2 === 0) clock.ms += 1000;
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await list({ limit: 2, ...(after && { after }) });
      expect(page.users.length).toBeLessThanOrEqual(2);
      seen.push(...page.users.map(({ subject }) => subject));
      after = page.next;
    } while (after !== undefined);
    expect(seen.toSorted()).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6']);
    expect([seen[0], seen[6]]).toEqual([expect.stringMatching(/u[56]/), 'u0']);
    expect((await list({ after: 'zUnknown' })).users).toEqual([]);
  });

  test('searches subject, name, address and id, and takes signs literally', async () => {
    const { put, subjects } = await openBackEnd();
    const id = await put({ subject: 'auth0|7', name: 'Änne Weiß', email: 'anne@app.example' });
    await put({ subject: '100%_sure', name: 'Bob' });
    await put({ subject: 'back\\slash', name: "O'Neil" });
    for (const [search, found] of [
      ['AUTH0|', ['auth0|7']],
      ['Änne', ['auth0|7']],
      ['ANNE@', ['auth0|7']],
      [id, ['auth0|7']],
      [id.slice(0, -1), []],
      ['bob', ['100%_sure']],
      ['%', ['100%_sure']],
      ['_', ['100%_sure']],
      ['\\', ['back\\slash']],
      ["'n", ['back\\slash']],
      ["' or 1=1 --", []],
      ['', ['100%_sure', 'auth0|7', 'back\\slash']],
    ] as const)
      expect((await subjects({ search })).toSorted(), search).toEqual(found);
  });

  test('narrows to an application and a status', async () => {
    const { ada, db, tenantId, applicationId, settings, put, ask, subjects } = await openBackEnd();
    const { application } = await ada.ask('reqCreateApplication', { tenantId, ...settings, name: 'Other' });
    await put({ subject: 'u1' });
    const removed = await put({ subject: 'u2' });
    await ask('reqRemoveApplicationUser', { userId: removed });
    const banned = await put({ subject: 'u3' });
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', banned).execute();
    await put({ subject: 'u4', applicationId: application.applicationId });
    expect((await subjects({ applicationId })).toSorted()).toEqual(['u1', 'u2', 'u3']);
    expect(await subjects({ applicationId: application.applicationId })).toEqual(['u4']);
    expect(await subjects({ status: 'removed' })).toEqual(['u2']);
    expect(await subjects({ status: 'banned' })).toEqual(['u3']);
    expect((await subjects({ status: 'active' })).toSorted()).toEqual(['u1', 'u4']);
  });

  test('[S11] shows nothing of other tenants, and nothing to members', async () => {
    const { ada, tenantId, signUp, put, ask } = await openBackEnd();
    await put({ subject: 'u1' });
    const own = await makeTenant(ada, 'Own');
    expect((await ada.ask('reqListApplicationUsers', { tenantId: own })).users).toEqual([]);
    expect(await ask('reqListApplicationUsers', { tenantId: own })).toMatchObject({ httpStatus: 404 });
    const bob = await signUp('bob');
    expect(await bob.refused('reqListApplicationUsers', { tenantId })).toMatchObject({ status: 404 });
    await bringIn(ada, tenantId, bob);
    expect(await bob.refused('reqListApplicationUsers', { tenantId })).toMatchObject({ status: 403 });
  });

  test('shows a readmitted user as active, without rights', async () => {
    const { ada, tenantId, applicationId, ledgerId, put, list } = await openBackEnd();
    const userId = await put({ subject: 'u1', rights: { [ledgerId]: 'read' } });
    await ada.ask('reqRemoveApplicationUser', { tenantId, applicationId, userId });
    await ada.ask('reqPutApplicationUser', { tenantId, applicationId, subject: 'u1' });
    expect((await list()).users).toMatchObject([{ userId, status: 'active', rights: 0 }]);
  });
});

describe('the limit of users', () => {
  test('[S6] counts users who come back, and keeps those out who find no room', async () => {
    const { db, clock, ada, tenantId, applicationId, ledgerId, put, ask, list, rightsOf } =
      await openBackEnd();
    const ids: string[] = [];
    for (const subject of ['u1', 'u2', '__proto__']) ids.push(await put({ subject }));
    for (const userId of ids.slice(0, 2)) await ask('reqRemoveApplicationUser', { userId });
    const application = await getApplication(db, applicationId);
    if (application === undefined) throw new Error('no application');
    const limits = { perTenantMax: 9, perUserMax: 9, sessionDaysMax: 30, usersPerTenantMax: 2 };
    const applications = { ...limits, refusedOrigins: [] };
    const putHere = (subject: string) =>
      inTransaction(db, (tx) => {
        const parts = { db: tx, now: clock.ms, applications };
        const rights = { [ledgerId]: 'write' } as const;
        return putUser(parts, application, { subject, rights, atMs: clock.ms });
      });
    const statuses = async () =>
      Object.fromEntries((await list()).users.map(({ subject, status }) => [subject, status]));
    // One of the two finds room.
    const both = await Promise.allSettled(['u1', 'u2'].map(putHere));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'LIMIT_REACHED' },
    });
    const out = both[0]?.status === 'rejected' ? 0 : 1;
    expect(Object.values(await statuses()).toSorted()).toEqual(['active', 'active', 'removed']);
    expect(await rightsOf(ids[out] ?? '')).toEqual({});
    // Users who are here can change without room.
    await putHere('__proto__');
    expect(await rightsOf(ids[2] ?? '')).toEqual({ [ledgerId]: 'write' });
    await expect(putHere('new')).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    await ada.ask('reqRemoveApplicationUser', { tenantId, applicationId, userId: ids[2] ?? '' });
    await putHere(`u${out + 1}`);
    expect(await rightsOf(ids[out] ?? '')).toEqual({ [ledgerId]: 'write' });
  });
});

describe('an API token with the right `users`', () => {
  test('[S2] manages users and their rights, lists databases, and may do nothing else', async () => {
    const { ada, admin, tenantId, applicationId, ledgerId, ask, put } = await openBackEnd();
    const userId = await put({ subject: 'u1', rights: { [ledgerId]: 'write' } });
    expect(await ask('reqListApplicationUsers')).toMatchObject({ httpStatus: 200 });
    expect(await ask('reqCreateUserToken', { userId, ledgerId })).toMatchObject({ httpStatus: 200 });
    expect(await ask('reqListLedgersByUser')).toMatchObject({ httpStatus: 200 });
    expect(await ask('reqRemoveApplicationUser', { userId })).toMatchObject({ httpStatus: 200 });
    for (const [type, payload] of [
      ['reqCreateLedger', { ledger: { tenantId, name: 'more' } }],
      ['reqDeleteLedger', { ledger: { tenantId, ledgerId } }],
      ['reqCloudSessionToken', { selected: { tenant: tenantId, ledger: ledgerId } }],
      ['reqListTenantsByUser', {}],
      ['reqListApplications', {}],
      ['reqDeleteApplication', {}],
      ['reqListApiTokens', {}],
      ['reqListAudit', {}],
      ['reqShareLedger', { ledger: { tenantId, ledgerId }, userId: ada.userId }],
    ] as const)
      expect(await ask(type, payload), type).toMatchObject({ httpStatus: 403, code: 'FORBIDDEN' });
    const weak = await ada.ask('reqCreateApiToken', { tenantId, name: 'weak', right: 'write' });
    const auth = { type: 'api-token', token: weak.token };
    const { status } = await admin({ type: 'reqListApplicationUsers', auth, tenantId, applicationId });
    expect(status).toBe(403);
  });
});

describe('an exchange of a token of the issuer', () => {
  test('records rights that change in the audit log, with the user and the databases', async () => {
    const { ada, tenantId, applicationId, ledgerId, openKey, enter } = await openBackEnd();
    const second = await openKey('second');
    const recordsOf = async () =>
      (await ada.ask('reqListAudit', { tenantId })).records.filter(
        ({ action }) => action === 'reqExchangeApplicationToken',
      );
    const { userId } = (await enter({ fixpoint_rights: { [ledgerId]: 'write' } })).user;
    await enter({ fixpoint_rights: { [ledgerId]: 'write' } });
    await enter();
    expect(await recordsOf()).toHaveLength(1);
    await enter({ fixpoint_rights: { [second]: 'read', zForeign: 'write' } });
    const [last, first] = await recordsOf();
    expect(first).toMatchObject({ userId, tenantId });
    const of = { applicationId, subject: 'user-1' };
    expect(JSON.parse(first?.detail ?? '')).toEqual({ ...of, rights: [{ ledgerId, right: 'write' }] });
    const { rights, ...others } = JSON.parse(last?.detail ?? '');
    expect(others).toEqual(of);
    expect(rights).toHaveLength(2);
    expect(rights).toEqual(
      expect.arrayContaining([
        { ledgerId, right: 'none' },
        { ledgerId: second, right: 'read' },
      ]),
    );
    expect(JSON.stringify([last, first])).not.toContain('eyJ');
  });

  test('[S11] records the changed rights of a banned user, who gets no session', async () => {
    const { db, ada, tenantId, ledgerId, enter } = await openBackEnd();
    const { userId } = (await enter({ fixpoint_rights: { [ledgerId]: 'read' } })).user;
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', userId).execute();
    expect(await enter({ fixpoint_rights: { [ledgerId]: 'write' } })).toMatchObject({ status: 'ended' });
    const { records } = await ada.ask('reqListAudit', { tenantId });
    const [last] = records.filter(({ action }) => action === 'reqExchangeApplicationToken');
    expect(last?.userId).toBe(userId);
    expect(JSON.parse(last?.detail ?? '')).toMatchObject({ rights: [{ ledgerId, right: 'write' }] });
  });

  test('reads only the databases that the claim names or that the user had', async () => {
    const { db, tenantId, ledgerId, openKey, enter } = await openBackEnd();
    const others = [];
    for (const name of ['aaa', 'bbb', 'ccc']) others.push(await openKey(name));
    const { userId } = (await enter({ fixpoint_rights: { [ledgerId]: 'write' } })).user;
    const read: unknown[] = [];
    const noting = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        read.push(...result.rows.flatMap((row) => row['kind'] !== undefined && row['ledgerId']));
        return result;
      },
    });
    const named = others[1] ?? '';
    await putRights(noting, { tenantId, userId }, { [named]: 'read' }, new Date().toISOString());
    expect(read.toSorted()).toEqual([ledgerId, named].toSorted());
  });
});
