import type { RequestType } from '@fixpoint/protocol/admin';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createLedgerRights } from '../rights/rights.ts';
import { listAllUsers } from '../tables/accounts/user-rows.ts';
import { bringIn, makeLedger, makeTenant } from './admin.fixture.ts';
import { familyOf, newRefreshToken } from './applications.fixture.ts';
import { ISSUER, newIssuerKey, openOwnUsers, tokenBy } from './own-users.fixture.ts';

const REFUSED = { httpStatus: 401, code: 'NOT_SIGNED_IN' };
const DAY_MS = 86_400_000;

describe('a token of the application’s issuer', () => {
  test('becomes a session with the rights of its claim, and with no others', async () => {
    const { tenantId, ledgerId, openKey, enter, databases, byPage } = await openOwnUsers();
    await openKey('other');
    const rights = { [ledgerId]: 'read', zForeign: 'write' };
    const { accessToken, user } = await enter({
      name: 'Bea',
      email: 'bea@app.example',
      fixpoint_rights: rights,
    });
    expect(user).toEqual({ userId: expect.any(String), name: 'Bea', email: 'bea@app.example' });
    expect(await databases(accessToken)).toMatchObject({ databases: [{ ledgerId, right: 'read' }] });
    const minted = await byPage('reqApplicationCloudToken', { accessToken, ledgerId });
    expect(decodeJwt(String(minted['token']))).toMatchObject({
      tenants: [{ id: tenantId }],
      ledgers: [{ id: ledgerId, right: 'read' }],
    });
  });

  test('names the same user each time, and other users for other subjects', async () => {
    const { enter, writer } = await openOwnUsers();
    const ids = [await writer(), await enter(), await writer({ sub: 'user-2' })].map(
      ({ user }) => user.userId,
    );
    expect([ids[0] === ids[1], new Set(ids).size]).toEqual([true, 2]);
  });

  test('takes rights away that the claim no longer contains, and keeps them without a claim', async () => {
    const { tenantId, ledgerId, openKey, db, clock, enter, rightsOf } = await openOwnUsers();
    const second = await openKey('second');
    const first = await enter({ fixpoint_rights: { [ledgerId]: 'write', [second]: 'read' } });
    const { userId } = first.user;
    await enter();
    expect(await rightsOf(userId)).toEqual({ [ledgerId]: 'write', [second]: 'read' });
    await enter({ fixpoint_rights: { [ledgerId]: 'read' } });
    expect(await rightsOf(userId)).toEqual({ [ledgerId]: 'read' });
    await enter({ fixpoint_rights: {} });
    expect(await rightsOf(userId)).toEqual({});
    const rights = createLedgerRights(db, () => clock.ms);
    expect(await rights.accessTo(userId, tenantId, ledgerId)).toBe('none');
  });

  test('gives no right in a database of another tenant', async () => {
    const { ada, ledgerId, writer, rightsOf } = await openOwnUsers();
    const own = await makeTenant(ada, 'Own');
    const { ledger } = await ada.ask('reqCreateLedger', {
      ledger: { tenantId: own, name: 'foreign', kind: 'open-key' },
    });
    const rights = { [ledger.ledgerId]: 'write', [ledgerId]: 'read' };
    const { user } = await writer({ fixpoint_rights: rights });
    expect(await rightsOf(user.userId)).toEqual({ [ledgerId]: 'read' });
  });

  test('ends the session when the token expires, also if the session was refreshed', async () => {
    const { clock, writer, refresh, databases } = await openOwnUsers();
    const { refreshToken, accessToken } = await writer();
    clock.ms += 3_000_000;
    const next = newRefreshToken(familyOf(refreshToken));
    expect(await refresh(refreshToken, next)).toMatchObject({ status: 'open' });
    clock.ms += 601_000;
    expect(await refresh(next)).toMatchObject({ status: 'ended' });
    expect(await databases(accessToken)).toMatchObject(REFUSED);
  });

  test('ends the session after a day, even if the token is valid longer', async () => {
    const { clock, writer, refresh } = await openOwnUsers();
    const { refreshToken } = await writer({ exp: Math.floor((clock.ms + 90 * DAY_MS) / 1000) });
    clock.ms += DAY_MS + 1000;
    expect(await refresh(refreshToken)).toMatchObject({ status: 'ended' });
  });
});

describe('[S11] the server', () => {
  test.each([
    ['another issuer', { iss: 'https://evil.example/' }],
    ['a longer issuer', { iss: `${ISSUER.issuer}x` }],
    ['another audience', { aud: 'another service' }],
    ['an expired token', { exp: 1_700_000_000 }],
    ['a token that isn’t valid yet', { nbf: 4_000_000_000 }],
    ['an empty subject', { sub: '' }],
    ['a subject of several lines', { sub: 'user\n1' }],
    ['a long subject', { sub: 'x'.repeat(256) }],
    ['rights that aren’t an object', { fixpoint_rights: 'write' }],
    ['an unknown right', { fixpoint_rights: { zL: 'admin' } }],
    [
      'rights in too many databases',
      { fixpoint_rights: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`z${at}`, 'read'])) },
    ],
  ])('rejects %s', async (_, claims) => {
    const { tokenOf, exchange, db } = await openOwnUsers();
    expect(await exchange(await tokenOf(claims))).toMatchObject(REFUSED);
    expect(await db.selectFrom('ApplicationUsers').selectAll().execute()).toEqual([]);
  });

  test('rejects a token without an end, a subject, an issuer or an audience', async () => {
    const { tokenOf, exchange } = await openOwnUsers();
    for (const claim of ['exp', 'iat', 'sub', 'iss', 'aud'])
      expect(await exchange(await tokenOf({ [claim]: undefined })), claim).toMatchObject(REFUSED);
  });

  test('rejects tokens without a signature, with the public key as a secret, and with a key in the header', async () => {
    const { clock, key, exchange } = await openOwnUsers();
    const seconds = Math.floor(clock.ms / 1000);
    const claims = { iss: ISSUER.issuer, aud: ISSUER.audience, sub: 'user-1', exp: seconds + 3600 };
    expect(await exchange(new UnsecuredJWT(claims).encode())).toMatchObject(REFUSED);
    const secret = new TextEncoder().encode(JSON.stringify(key.published).padEnd(64, ' '));
    for (const kid of ['k1', undefined]) {
      const header = { alg: 'HS256', ...(kid && { kid }) };
      expect(await exchange(await new SignJWT(claims).setProtectedHeader(header).sign(secret))).toMatchObject(
        REFUSED,
      );
    }
    const thief = await newIssuerKey('k1');
    const header = {
      alg: 'ES256',
      kid: 'k1',
      jwk: thief.published as never,
      jku: 'https://evil.example/keys',
    };
    const own = await new SignJWT(claims).setProtectedHeader(header).sign(thief.privateKey);
    expect(await exchange(own)).toMatchObject(REFUSED);
  });

  test('rejects a token that was signed with a secret that the issuer publishes by mistake', async () => {
    const { clock, published, exchange } = await openOwnUsers();
    const k = Buffer.from('s'.repeat(32)).toString('base64url');
    published.set(ISSUER.jwksUrl, { keys: [{ kty: 'oct', kid: 'shared', k, alg: 'HS256' }] });
    clock.ms += 301_000;
    const claims = { iss: ISSUER.issuer, aud: ISSUER.audience, sub: 'user-1', exp: 2_000_000_000 };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .sign(Buffer.from('s'.repeat(32)));
    expect(await exchange(token)).toMatchObject(REFUSED);
  });

  test('rejects a page of another origin, and a request without one', async () => {
    const { admin, applicationId, tokenOf, exchange } = await openOwnUsers();
    const token = await tokenOf();
    expect(await exchange(token, newRefreshToken(), 'https://evil.example')).toMatchObject({
      httpStatus: 403,
    });
    const request = {
      type: 'reqExchangeApplicationToken',
      applicationId,
      token,
      refreshToken: newRefreshToken(),
    };
    expect(await admin(request, '192.0.2.1')).toMatchObject({ status: 403 });
  });

  test('rejects a refresh token whose first part belongs to another session', async () => {
    const { tokenOf, writer, exchange, refresh, ledgerId } = await openOwnUsers();
    const { refreshToken } = await writer();
    const rights = { fixpoint_rights: { [ledgerId]: 'write' } };
    const other = newRefreshToken(familyOf(refreshToken));
    expect(await exchange(await tokenOf({ sub: 'user-2', ...rights }), other)).toMatchObject({
      status: 'ended',
    });
    expect(await refresh(refreshToken)).toMatchObject({ status: 'open' });
  });

  test('rejects every token once the application has another issuer or none', async () => {
    const { ada, tenantId, applicationId, settings, writer, refresh, tokenOf, exchange } =
      await openOwnUsers();
    const { refreshToken } = await writer();
    const update = (issuer: typeof ISSUER | null) =>
      ada.ask('reqUpdateApplication', { tenantId, applicationId, ...settings, issuer });
    await update({ ...ISSUER, issuer: 'https://new.example/' });
    expect(await refresh(refreshToken)).toMatchObject({ status: 'ended' });
    expect(await exchange(await tokenOf())).toMatchObject(REFUSED);
    await update(null);
    expect(await exchange(await tokenOf())).toMatchObject({ httpStatus: 400, code: 'REQUEST_INVALID' });
  });
});

describe('the table of own users', () => {
  test('keeps users of each issuer apart, even with the same subject', async () => {
    const { ada, clock, key, tenantId, applicationId, settings, writer, exchange, ledgerId, db } =
      await openOwnUsers();
    const { user } = await writer();
    const issuer = { ...ISSUER, issuer: 'https://new.example/' };
    await ada.ask('reqUpdateApplication', { tenantId, applicationId, ...settings, issuer });
    const token = await tokenBy(key, clock.ms, {
      iss: issuer.issuer,
      fixpoint_rights: { [ledgerId]: 'read' },
    });
    const answer = await exchange(token);
    expect(answer).toMatchObject({ status: 'open' });
    expect((answer['user'] as { userId: string }).userId).not.toBe(user.userId);
    const rows = await db
      .selectFrom('LedgerUsers')
      .select('userId')
      .where('ledgerId', '=', ledgerId)
      .execute();
    expect(rows.map(({ userId }) => userId)).not.toContain(user.userId);
  });

  test('[S1] hides from searches, invites and shares the address that the application chose', async () => {
    const { ada, tenantId, ledgerId, enter, signUp } = await openOwnUsers();
    const eve = await signUp('eve');
    await enter({ email: 'victim@example.com', email_verified: true });
    for (const caller of [ada, eve]) {
      const { results } = await caller.ask('reqFindUser', { query: { byString: 'victim@example.com' } });
      expect(results).toEqual([]);
    }
    const { shares } = await ada.ask('reqListShares', { ledger: { tenantId, ledgerId } });
    expect(shares).toEqual([]);
  });

  test('takes no share and no seat of people', async () => {
    const { ada, tenantId, ledgerId, enter, signUp } = await openOwnUsers();
    for (let at = 0; at < 7; at += 1)
      await enter({ sub: `u${at}`, fixpoint_rights: { [ledgerId]: 'write' } });
    const grace = await signUp('grace');
    const invitedParams = { ledger: { id: ledgerId, role: 'member', right: 'read' } } as const;
    await ada.ask('reqInviteUser', { ticket: { query: { existingUserId: grace.userId }, invitedParams } });
    const { tenants } = await ada.ask('reqListTenantsByUser', {});
    expect(tenants.find((one) => one.tenantId === tenantId)?.members).toHaveLength(1);
  });

  test('limits the number of users as the operator says', async () => {
    const { db, applicationId, tenantId, tokenOf, exchange, writer, ledgerId } = await openOwnUsers();
    await writer();
    const rows = Array.from({ length: 9999 }, (_, at) => ({
      userId: `u${at}`,
      applicationId,
      tenantId,
      issuer: ISSUER.issuer,
      subject: `s${at}`,
      name: '',
      email: '',
      rightsAt: '',
      removedAt: null,
      createdAt: 'x',
      updatedAt: 'x',
    }));
    const dates = { createdAt: 'x', updatedAt: 'x' };
    for (let from = 0; from < rows.length; from += 500) {
      const some = rows.slice(from, from + 500);
      await db
        .insertInto('Users')
        .values(some.map(({ userId }) => ({ userId, maxTenants: 0, ...dates })))
        .execute();
      await db.insertInto('ApplicationUsers').values(some).execute();
    }
    expect(
      await exchange(await tokenOf({ sub: 'one too many', fixpoint_rights: { [ledgerId]: 'read' } })),
    ).toMatchObject({ code: 'LIMIT_REACHED' });
    expect(await writer()).toMatchObject({ status: 'open' });
  });

  test('[S11] ends the access of a banned user, who gets no new session', async () => {
    const { db, tokenOf, exchange, writer, refresh } = await openOwnUsers();
    const { user, refreshToken } = await writer();
    const { userId } = user;
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', userId).execute();
    expect(await refresh(refreshToken)).toMatchObject({ status: 'ended' });
    expect(await exchange(await tokenOf())).toMatchObject({ status: 'ended' });
  });

  test('[S11] keeps its users out of the hands of members, and lets operators ban them by their id', async () => {
    const { ada, db, tenantId, ledgerId, writer } = await openOwnUsers();
    const { userId } = (await writer({ email: 'ada@example.com' })).user;
    const ledger = { tenantId, ledgerId };
    const query = { existingUserId: userId };
    for (const [type, payload] of [
      ['reqUpdateUserTenant', { tenantId, userId, role: 'admin' }],
      ['reqRemoveMember', { tenantId, userId }],
      ['reqShareLedger', { ledger, userId }],
      ['reqUnshareLedger', { ledger, userId }],
      ['reqInviteUser', { ticket: { query, invitedParams: { tenant: { id: tenantId } } } }],
    ] as const)
      expect(await ada.refused(type, payload), type).toMatchObject({ code: 'NOT_FOUND' });
    const listed = (await listAllUsers(db)).filter((one) => one.userId === userId);
    expect(listed).toMatchObject([{ provider: 'application', providerUserId: 'user-1', email: null }]);
  });

  test('[S11] gives no right in a database that is sealed or undecided', async () => {
    const { ada, tenantId, ledgerId, writer, rightsOf } = await openOwnUsers();
    const undecided = await makeLedger(ada, tenantId, 'undecided');
    const { ledger } = await ada.ask('reqCreateLedger', {
      ledger: { tenantId, name: 'sealed', kind: 'sealed' },
    });
    const rights = { [undecided]: 'write', [ledger.ledgerId]: 'write', [ledgerId]: 'read' };
    const { user } = await writer({ fixpoint_rights: rights });
    expect(await rightsOf(user.userId)).toEqual({ [ledgerId]: 'read' });
  });

  test('adds nobody who has no right in any database, so that strangers don’t use up the limit', async () => {
    const { db, tokenOf, exchange } = await openOwnUsers();
    for (const rights of [undefined, {}, { zForeign: 'write' }])
      expect(await exchange(await tokenOf({ fixpoint_rights: rights }))).toMatchObject({ status: 'ended' });
    expect(await db.selectFrom('ApplicationUsers').selectAll().execute()).toEqual([]);
  });

  test('removes the users with their application and with the tenant', async () => {
    for (const type of ['reqDeleteApplication', 'reqDeleteTenant'] as const) {
      const { ada, db, clock, tenantId, ledgerId, applicationId, enter } = await openOwnUsers();
      const { user } = await enter({ fixpoint_rights: { [ledgerId]: 'write' } });
      const { userId } = user;
      await ada.ask(type, { tenantId, applicationId });
      for (const table of [
        'ApplicationUsers',
        'ApplicationSessions',
        'LedgerUsers',
        'TenantUsers',
      ] as const) {
        const rows = await db.selectFrom(table).selectAll().where('userId', '=', userId).execute();
        expect(rows, `${type} ${table}`).toEqual([]);
      }
      const rights = createLedgerRights(db, () => clock.ms);
      expect(await rights.accessTo(userId, tenantId, ledgerId)).toBe('none');
    }
  });
});

describe('the back end of an application', () => {
  async function openBackEnd() {
    const parts = await openOwnUsers();
    const { ada, admin, tenantId, applicationId } = parts;
    const { token, apiToken } = await ada.ask('reqCreateApiToken', {
      tenantId,
      name: 'back end',
      right: 'admin',
    });
    const ask = async (type: RequestType, payload: object, with_ = token) => {
      const auth = { type: 'api-token', token: with_ };
      const { status, body } = await admin({ type, auth, tenantId, applicationId, ...payload });
      return { httpStatus: status, ...body } as Record<string, unknown> & { httpStatus: number };
    };
    const put = async (payload: object) =>
      (await ask('reqPutApplicationUser', payload))['user'] as { userId: string };
    return { ...parts, apiToken, ask, put };
  }

  test('adds users, changes them, and gets tokens that open one database for them', async () => {
    const { ledgerId, ask, put, rightsOf, tokens } = await openBackEnd();
    const added = await put({ subject: 'u1', name: 'Bea', rights: { [ledgerId]: 'write' } });
    expect(added).toEqual({ userId: expect.any(String), subject: 'u1', name: 'Bea' });
    const { userId } = added;
    expect(await put({ subject: 'u1', email: 'b@app.example' })).toEqual({
      ...added,
      email: 'b@app.example',
    });
    expect(await rightsOf(userId)).toEqual({ [ledgerId]: 'write' });
    const answer = await ask('reqCreateUserToken', { userId, ledgerId });
    expect(answer).toMatchObject({ httpStatus: 200, expiresInSec: 600 });
    const { selected, ledgers, userId: named } = await tokens.verify(String(answer['token']));
    expect([named, ledgers, selected.ledger]).toEqual([
      userId,
      [{ id: ledgerId, role: 'member', right: 'write' }],
      ledgerId,
    ]);
  });

  test('names the same user as the issuer does', async () => {
    const { put, enter } = await openBackEnd();
    const { userId } = await put({ subject: 'user-1' });
    expect((await enter()).user).toMatchObject({ userId });
  });

  test('[S11] gives no token of a person who signs in by themselves, or of a user of another application', async () => {
    const { ada, tenantId, ledgerId, ask, signUp, settings, put } = await openBackEnd();
    const grace = await signUp('grace');
    for (const userId of [ada.userId, grace.userId, 'zNone'])
      expect(await ask('reqCreateUserToken', { userId, ledgerId }), userId).toMatchObject({
        httpStatus: 404,
      });
    const { application } = await ada.ask('reqCreateApplication', { tenantId, ...settings, name: 'Other' });
    const { userId } = await put({ subject: 'u1', rights: { [ledgerId]: 'read' } });
    const { applicationId } = application;
    expect(await ask('reqCreateUserToken', { userId, ledgerId, applicationId })).toMatchObject({
      httpStatus: 404,
    });
    expect(await ask('reqRemoveApplicationUser', { userId, applicationId })).toMatchObject({
      httpStatus: 404,
    });
  });

  test('[S11] gives no rights back to a token that is older than the last decision', async () => {
    const { clock, ledgerId, put, tokenOf, exchange, rightsOf } = await openBackEnd();
    const old = await tokenOf({ fixpoint_rights: { [ledgerId]: 'write' } });
    expect(await exchange(old)).toMatchObject({ status: 'open' });
    clock.ms += 2000;
    const { userId } = await put({ subject: 'user-1', rights: {} });
    expect(await exchange(old)).toMatchObject(REFUSED);
    expect(await rightsOf(userId)).toEqual({});
    clock.ms += 2000;
    const fresh = await tokenOf({ fixpoint_rights: { [ledgerId]: 'read' } });
    expect(await exchange(fresh)).toMatchObject({ status: 'open' });
    expect(await exchange(old)).toMatchObject(REFUSED);
    expect(await rightsOf(userId)).toEqual({ [ledgerId]: 'read' });
  });

  test('accepts the rights of an earlier token when the back end only added the user', async () => {
    const { clock, ledgerId, put, tokenOf, exchange, rightsOf } = await openBackEnd();
    const token = await tokenOf({ fixpoint_rights: { [ledgerId]: 'write' } });
    clock.ms += 2000;
    const { userId } = await put({ subject: 'user-1', name: 'Bea' });
    expect(await exchange(token)).toMatchObject({ status: 'open', user: { userId, name: 'Bea' } });
    expect(await rightsOf(userId)).toEqual({ [ledgerId]: 'write' });
  });

  test('[S11] accepts no token that is older than a day, however long it is valid', async () => {
    const { clock, ledgerId, tokenOf, exchange } = await openBackEnd();
    const rights = { fixpoint_rights: { [ledgerId]: 'write' } };
    const token = await tokenOf({ ...rights, exp: Math.floor(clock.ms / 1000) + 90 * 86_400 });
    clock.ms += DAY_MS - 10_000;
    expect(await exchange(token)).toMatchObject({ status: 'open' });
    clock.ms += 20_000;
    expect(await exchange(token)).toMatchObject(REFUSED);
  });

  test('[S11] keeps a removed user out until the back end adds them again, and a banned one in any case', async () => {
    const { clock, db, ledgerId, ask, put, tokenOf, exchange, writer, rightsOf } = await openBackEnd();
    const { userId } = (await writer()).user;
    await ask('reqRemoveApplicationUser', { userId });
    const token = await tokenOf({ fixpoint_rights: { [ledgerId]: 'write' } });
    expect(await exchange(token)).toMatchObject({ status: 'ended' });
    expect(await ask('reqCreateUserToken', { userId, ledgerId })).toMatchObject({ httpStatus: 404 });
    clock.ms += 2000;
    expect(await put({ subject: 'user-1' })).toMatchObject({ userId });
    expect(await rightsOf(userId)).toEqual({});
    // A token from before gives back neither the rights nor a session.
    expect(await exchange(token)).toMatchObject(REFUSED);
    expect(await rightsOf(userId)).toEqual({});
    clock.ms += 2000;
    expect((await writer()).user).toMatchObject({ userId });
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', userId).execute();
    await ask('reqRemoveApplicationUser', { userId });
    await put({ subject: 'user-1', rights: { [ledgerId]: 'write' } });
    expect(await exchange(await tokenOf())).toMatchObject({ status: 'ended' });
    expect(await ask('reqCreateUserToken', { userId, ledgerId })).toMatchObject({ httpStatus: 404 });
  });

  test('[S11] ends the tokens of users when the owner of the API token isn’t an admin any more', async () => {
    const { ada, admin, db, clock, tenantId, applicationId, ledgerId, put, signUp, tokens, byPage } =
      await openBackEnd();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob, 'admin');
    const made = await bob.ask('reqCreateApiToken', { tenantId, name: 'bob', right: 'admin' });
    const { userId } = await put({
      subject: 'u1',
      email: 'a@victim.example',
      rights: { [ledgerId]: 'write' },
    });
    const auth = { type: 'api-token', token: made.token };
    const asked = { type: 'reqCreateUserToken', auth, tenantId, applicationId, userId, ledgerId };
    const { body } = await admin(asked);
    const claims = await tokens.verify(String(body['token']));
    expect(claims.email).toBe(`${userId}@unknown.email`);
    const access = () =>
      createLedgerRights(db, () => clock.ms).accessTo(userId, tenantId, ledgerId, claims.apiToken);
    expect(await access()).toBe('write');
    await ada.ask('reqUpdateUserTenant', { tenantId, userId: bob.userId, role: 'member' });
    expect(await access()).toBe('none');
    expect(await byPage('reqExtendToken', { token: body['token'] })).toMatchObject(REFUSED);
  });

  test('[S11] gives no token for a database that the user may not read', async () => {
    const { ada, ledgerId, openKey, ask, put } = await openBackEnd();
    const other = await openKey('other');
    const foreign = await makeLedger(ada, await makeTenant(ada, 'Own'));
    const { userId } = await put({ subject: 'u1', rights: { [ledgerId]: 'read', [foreign]: 'write' } });
    for (const each of [other, foreign])
      expect(await ask('reqCreateUserToken', { userId, ledgerId: each })).toMatchObject({ httpStatus: 404 });
  });

  test('[S11] needs an API token of this tenant with the right `users` or `admin`', async () => {
    const { ada, tenantId, applicationId, ledgerId, put, ask } = await openBackEnd();
    const { userId } = await put({ subject: 'u1', rights: { [ledgerId]: 'read' } });
    const asked = { tenantId, applicationId, userId, ledgerId };
    expect(await ada.refused('reqCreateUserToken', asked)).toMatchObject({ status: 403 });
    const other = await makeTenant(ada, 'Own');
    const weak = await ada.ask('reqCreateApiToken', { tenantId, name: 'weak', right: 'write' });
    const foreign = await ada.ask('reqCreateApiToken', { tenantId: other, name: 'foreign', right: 'admin' });
    for (const type of ['reqPutApplicationUser', 'reqRemoveApplicationUser', 'reqCreateUserToken'] as const)
      for (const [{ token }, httpStatus] of [
        [weak, 403],
        [foreign, 404],
      ] as const)
        expect(await ask(type, { userId, ledgerId, subject: 'u1' }, token), type).toMatchObject({
          httpStatus,
        });
  });

  test('[S11] ends the tokens of a user with the user, and all of them with its API token', async () => {
    const { ada, db, clock, tenantId, ledgerId, apiToken, ask, put, tokens } = await openBackEnd();
    const rights = () => createLedgerRights(db, () => clock.ms);
    const access = async (token: unknown) => {
      const { userId, apiToken: by } = await tokens.verify(String(token));
      return rights().accessTo(userId, tenantId, ledgerId, by);
    };
    const [first, second] = [
      await put({ subject: 'u1', rights: { [ledgerId]: 'write' } }),
      await put({ subject: 'u2', rights: { [ledgerId]: 'write' } }),
    ];
    const tokenOf = async ({ userId }: { userId: string }) =>
      (await ask('reqCreateUserToken', { userId, ledgerId }))['token'];
    const [one, two] = [await tokenOf(first), await tokenOf(second)];
    expect([await access(one), await access(two)]).toEqual(['write', 'write']);
    expect(await ask('reqRemoveApplicationUser', { userId: first.userId })).toMatchObject({
      httpStatus: 200,
    });
    expect([await access(one), await access(two)]).toEqual(['none', 'write']);
    await ada.ask('reqRevokeApiToken', { tokenId: apiToken.tokenId });
    expect(await access(two)).toBe('none');
  });

  test('[S11] extends a token for an hour only', async () => {
    const { ledgerId, clock, ask, put, byPage } = await openBackEnd();
    const { userId } = await put({ subject: 'u1', rights: { [ledgerId]: 'write' } });
    let { token } = await ask('reqCreateUserToken', { userId, ledgerId });
    for (let minute = 0; minute < 54; minute += 9) {
      clock.ms += 540_000;
      ({ token } = await byPage('reqExtendToken', { token }));
      expect(token, `minute ${minute}`).toEqual(expect.any(String));
    }
    clock.ms += 360_000;
    expect(await byPage('reqExtendToken', { token })).toMatchObject(REFUSED);
  });
});
