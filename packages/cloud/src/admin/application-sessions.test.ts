import { APPLICATION_LIMITS } from '@fixpoint/protocol/admin';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant } from './admin.fixture.ts';
import {
  familyOf,
  newRefreshToken,
  newSignIn,
  ORIGIN,
  openApplication,
  REDIRECT,
} from './applications.fixture.ts';

const ENDED = { httpStatus: 200, status: 'ended' };
const DAY_MS = 86_400_000;

describe('a code', () => {
  test('becomes a session that lists the databases of the tenant and opens one of them', async () => {
    const { ada, tenantId, ledgerId, signIn, databases, byPage } = await openApplication();
    const own = await makeTenant(ada, 'Own');
    const foreign = await makeLedger(ada, own);
    const { accessToken, user } = await signIn(ada);
    expect(user).toEqual({ userId: ada.userId, email: 'ada@example.com', name: 'ada' });
    expect(await databases(accessToken)).toMatchObject({
      databases: [{ tenantId, ledgerId, name: 'notes', right: 'write' }],
    });
    const minted = await byPage('reqApplicationCloudToken', { accessToken, ledgerId });
    const claims = decodeJwt(String(minted['token']));
    expect(claims).toMatchObject({
      userId: ada.userId,
      tenants: [{ id: tenantId }],
      ledgers: [{ id: ledgerId }],
      selected: { tenant: tenantId, ledger: ledgerId },
    });
    expect(await byPage('reqApplicationCloudToken', { accessToken, ledgerId: foreign })).toMatchObject({
      httpStatus: 404,
    });
  });

  test('ends the session when somebody uses the code again', async () => {
    const { ada, codeOf, begin, refresh } = await openApplication();
    const given = await codeOf(ada);
    expect(await begin(given)).toMatchObject({ status: 'open' });
    expect(await begin({ ...given, refreshToken: newRefreshToken() })).toEqual({
      ...ENDED,
      type: expect.any(String),
    });
    expect(await refresh(given.refreshToken)).toMatchObject(ENDED);
  });

  test('begins no session once the user has withdrawn the permission', async () => {
    const { ada, db, codeOf, begin } = await openApplication();
    const given = await codeOf(ada);
    // As if the withdrawal, which also removes codes, ran between the two steps of a request.
    await db.deleteFrom('ApplicationGrants').execute();
    expect(await begin(given)).toMatchObject(ENDED);
    expect(await db.selectFrom('ApplicationSessions').selectAll().execute()).toEqual([]);
  });

  test('expires after 60 seconds', async () => {
    const { ada, clock, codeOf, begin } = await openApplication();
    const [soon, late] = [await codeOf(ada), await codeOf(ada)];
    clock.ms += 59_000;
    expect(await begin(soon)).toMatchObject({ status: 'open' });
    clock.ms += 2000;
    expect(await begin(late)).toMatchObject(ENDED);
  });

  test("doesn't work for a thief without the verifier, and never again after the attempt", async () => {
    const { ada, codeOf, begin } = await openApplication();
    const given = await codeOf(ada);
    const { challenge, verifier } = newSignIn();
    for (const guess of [verifier, challenge])
      expect(await begin({ ...given, verifier: guess })).toMatchObject(ENDED);
    expect(await begin(given)).toMatchObject(ENDED);
  });

  test('works only with the redirect URL of its request, while the application still has the URL', async () => {
    const { ada, tenantId, applicationId, settings, codeOf, begin } = await openApplication();
    const second = `${ORIGIN}/second`;
    const update = (redirectUrls: string[]) =>
      ada.ask('reqUpdateApplication', { tenantId, applicationId, ...settings, redirectUrls });
    await update([REDIRECT, second]);
    expect(await begin({ ...(await codeOf(ada)), redirectUrl: second })).toMatchObject(ENDED);
    const given = await codeOf(ada);
    await update([second]);
    expect(await begin(given)).toMatchObject(ENDED);
  });

  test('works only on pages of the redirect URL’s origin', async () => {
    const { ada, tenantId, applicationId, settings, codeOf, begin, admin } = await openApplication();
    const other = 'https://www.app.example';
    const origins = [ORIGIN, other];
    await ada.ask('reqUpdateApplication', { tenantId, applicationId, ...settings, origins });
    const given = await codeOf(ada);
    expect(await begin(given, 'https://evil.example')).toMatchObject({ httpStatus: 403 });
    expect(await admin({ type: 'reqBeginApplicationSession', applicationId, ...given })).toMatchObject({
      status: 403,
    });
    expect(await begin(given, other)).toMatchObject(ENDED);
  });

  test('works only for its application, also if another one has the same redirect URL', async () => {
    const { ada, codeOf, begin, signUp, settings } = await openApplication();
    const eve = await signUp('eve');
    const tenantId = await makeTenant(eve, 'Eve');
    const { application } = await eve.ask('reqCreateApplication', { tenantId, ...settings });
    const given = await codeOf(ada);
    const { applicationId } = application;
    expect(await begin({ ...given, applicationId })).toMatchObject(ENDED);
  });
});

describe('a refresh token', () => {
  test('is replaced by each refresh, and ends the session when it is used again', async () => {
    const { ada, signIn, refresh, databases } = await openApplication();
    const { refreshToken: first, accessToken } = await signIn(ada);
    const [second, third] = [newRefreshToken(familyOf(first)), newRefreshToken(familyOf(first))];
    expect(await refresh(first, second)).toMatchObject({ status: 'open', user: { userId: ada.userId } });
    expect(await refresh(second, third)).toMatchObject({ status: 'open' });
    expect(await databases(accessToken)).toMatchObject({ httpStatus: 200 });
    expect(await refresh(first)).toMatchObject(ENDED);
    expect(await refresh(third)).toMatchObject(ENDED);
    expect(await databases(accessToken)).toMatchObject({ httpStatus: 401 });
  });

  test('ends the session when a thief uses the token first', async () => {
    const { ada, signIn, refresh } = await openApplication();
    const { refreshToken } = await signIn(ada);
    const stolen = newRefreshToken(familyOf(refreshToken));
    expect(await refresh(refreshToken, stolen)).toMatchObject({ status: 'open' });
    expect(await refresh(refreshToken)).toMatchObject(ENDED);
    expect(await refresh(stolen)).toMatchObject(ENDED);
  });

  test('can be sent again with the same successor, because the answer may be lost', async () => {
    const { ada, signIn, refresh } = await openApplication();
    const { refreshToken } = await signIn(ada);
    const next = newRefreshToken(familyOf(refreshToken));
    for (let n = 0; n < 3; n += 1)
      expect(await refresh(refreshToken, next)).toMatchObject({ status: 'open' });
    expect(await refresh(next)).toMatchObject({ status: 'open' });
    expect(await refresh(refreshToken, next)).toMatchObject(ENDED);
  });

  test.each([
    ['of another session', () => newRefreshToken()],
    ['that is the same', (token: string) => token],
  ])('is rejected with a successor %s', async (_, successor) => {
    const { ada, signIn, refresh } = await openApplication();
    const { refreshToken } = await signIn(ada);
    expect(await refresh(refreshToken, successor(refreshToken))).toMatchObject(ENDED);
  });

  test('expires after seven days without use, and after thirty days', async () => {
    const { ada, clock, signIn, refresh } = await openApplication();
    let { refreshToken } = await signIn(ada);
    const idle = await signIn(ada);
    for (let days = 6; days < 30; days += 6) {
      clock.ms += 6 * DAY_MS;
      const next = newRefreshToken(familyOf(refreshToken));
      expect(await refresh(refreshToken, next), String(days)).toMatchObject({ status: 'open' });
      refreshToken = next;
    }
    expect(await refresh(idle.refreshToken)).toMatchObject(ENDED);
    clock.ms += 6 * DAY_MS + 1000;
    expect(await refresh(refreshToken)).toMatchObject(ENDED);
  });

  test('works only for its application and on its origins', async () => {
    const { ada, admin, settings, signIn, refresh } = await openApplication();
    const { refreshToken } = await signIn(ada);
    const next = newRefreshToken(familyOf(refreshToken));
    const own = await makeTenant(ada, 'Own');
    const { application } = await ada.ask('reqCreateApplication', { tenantId: own, ...settings });
    const type = 'reqRefreshApplicationSession';
    const { applicationId } = application;
    const elsewhere = await admin({ type, applicationId, refreshToken, next }, '192.0.2.1', ORIGIN);
    expect(elsewhere.body).toMatchObject({ status: 'ended' });
    expect(await refresh(refreshToken, next)).toMatchObject({ status: 'open' });
  });

  test('is stored only as a hash, as codes are', async () => {
    const { ada, db, codeOf, signIn } = await openApplication();
    const { code } = await codeOf(ada);
    const { refreshToken } = await signIn(ada);
    const stored = JSON.stringify([
      await db.selectFrom('ApplicationCodes').selectAll().execute(),
      await db.selectFrom('ApplicationSessions').selectAll().execute(),
    ]);
    for (const secret of [code, ...refreshToken.split('.')]) expect(stored).not.toContain(secret);
  });
});

describe('a session with an application', () => {
  test('ends on sign-out', async () => {
    const { ada, signIn, refresh, databases, byPage } = await openApplication();
    const { refreshToken, accessToken } = await signIn(ada);
    expect(await byPage('reqEndApplicationSession', { refreshToken })).toMatchObject(ENDED);
    expect(await databases(accessToken)).toMatchObject({ httpStatus: 401 });
    expect(await refresh(refreshToken)).toMatchObject(ENDED);
  });

  test('ends when the application is deleted, or loses the origin', async () => {
    const { ada, tenantId, applicationId, settings, signIn, refresh, databases } = await openApplication();
    const { accessToken } = await signIn(ada);
    const other = { origins: ['https://new.example'], redirectUrls: ['https://new.example/'] };
    await ada.ask('reqUpdateApplication', { tenantId, applicationId, ...settings, ...other });
    expect(await databases(accessToken)).toMatchObject({ httpStatus: 403 });
    await ada.ask('reqUpdateApplication', { tenantId, applicationId, ...settings });
    expect(await databases(accessToken)).toMatchObject({ httpStatus: 401 });
    const again = await signIn(ada);
    await ada.ask('reqDeleteApplication', { tenantId, applicationId });
    expect(await databases(again.accessToken)).toMatchObject({ httpStatus: 401 });
    expect(await refresh(again.refreshToken)).toMatchObject(ENDED);
  });

  test('ends when the user is removed from the tenant', async () => {
    const { ada, tenantId, ledgerId, signUp, signIn, refresh, databases, byPage } = await openApplication();
    const max = await signUp('max');
    await bringIn(ada, tenantId, max);
    const { accessToken, refreshToken } = await signIn(max);
    await ada.ask('reqRemoveMember', { tenantId, userId: max.userId });
    expect(await databases(accessToken)).toMatchObject({ httpStatus: 401 });
    expect(await refresh(refreshToken)).toMatchObject(ENDED);
    // The user can sign in again, but gets no access.
    const again = await signIn(max);
    expect(await databases(again.accessToken)).toMatchObject({ databases: [] });
    expect(await byPage('reqApplicationCloudToken', { ...again, ledgerId })).toMatchObject({
      httpStatus: 404,
    });
  });

  test('ends when the user is banned', async () => {
    const { ada, db, signIn, refresh, databases } = await openApplication();
    const { accessToken, refreshToken } = await signIn(ada);
    await db.updateTable('Users').set({ status: 'banned' }).execute();
    expect(await databases(accessToken)).toMatchObject({ httpStatus: 401 });
    expect(await refresh(refreshToken)).toMatchObject(ENDED);
  });

  test('accepts only its own access token, not a cloud token, even for the same database', async () => {
    const { ada, tenantId, ledgerId, signIn, databases, byPage, admin } = await openApplication();
    const { accessToken, refreshToken } = await signIn(ada);
    const { token: ofConsole } = await ada.ask('reqCloudSessionToken', { selected: { tenant: tenantId } });
    const { token } = await byPage('reqApplicationCloudToken', { accessToken, ledgerId });
    for (const wrong of [ofConsole, String(token), 'x', `${accessToken}x`])
      expect(await databases(wrong)).toMatchObject({ httpStatus: 401 });
    for (const extended of [accessToken, String(token)])
      expect(await admin({ type: 'reqExtendToken', token: extended })).toMatchObject({ status: 401 });
    for (const type of ['fp-cloud-jwk', 'api-token', 'device-id', 'fake'])
      for (const proof of [accessToken, String(token), refreshToken]) {
        const auth = { type, token: proof };
        expect(await admin({ type: 'reqListTenantsByUser', auth }), type).toMatchObject({ status: 401 });
      }
  });

  test('is one of at most twenty of a user with an application; the oldest ends first', async () => {
    const { ada, signIn, refresh } = await openApplication();
    const first = await signIn(ada);
    const second = await signIn(ada);
    for (let n = 2; n <= APPLICATION_LIMITS.sessionsPerUserMax; n += 1) await signIn(ada);
    expect(await refresh(first.refreshToken)).toMatchObject(ENDED);
    expect(await refresh(second.refreshToken)).toMatchObject({ status: 'open' });
  });
});
