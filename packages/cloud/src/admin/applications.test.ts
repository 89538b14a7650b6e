import { APPLICATION_LIMITS } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { bringIn, makeTenant, openAdmin, personNamed } from './admin.fixture.ts';
import { newSignIn, ORIGIN, openApplication, REDIRECT } from './applications.fixture.ts';

const settings = { name: 'Notes', origins: [ORIGIN], redirectUrls: [REDIRECT] };

describe('a registered application', () => {
  test('accepts changes by admins of the tenant, with audit records', async () => {
    const { ada, tenantId, applicationId } = await openApplication();
    const change = { name: 'Notes 2', origins: ['http://localhost:5173'] };
    const { application } = await ada.ask('reqUpdateApplication', {
      tenantId,
      applicationId,
      ...change,
      redirectUrls: ['http://localhost:5173/'],
    });
    expect(application).toMatchObject({ applicationId, tenantId, ...change });
    const { applications } = await ada.ask('reqListApplications', { tenantId });
    expect(applications).toEqual([application]);
    await ada.ask('reqDeleteApplication', { tenantId, applicationId });
    expect((await ada.ask('reqListApplications', { tenantId })).applications).toEqual([]);
    const { records } = await ada.ask('reqListAudit', { tenantId });
    const actions = records.map(({ action }) => action).filter((each) => each.endsWith('Application'));
    expect(actions).toEqual(['reqDeleteApplication', 'reqUpdateApplication', 'reqCreateApplication']);
  });

  test.each([
    ['a site without https', { origins: ['http://app.example'] }, 'origins.0'],
    ['a wildcard', { origins: ['https://*.example/'] }, 'origins.0'],
    ['an origin with a path', { origins: ['https://app.example/'] }, 'origins.0'],
    ['an origin in upper case', { origins: ['https://App.example'] }, 'origins.0'],
    ['the null origin', { origins: ['null'] }, 'origins.0'],
    ['no origin', { origins: [] }, 'origins'],
    ['a redirect URL of another origin', { redirectUrls: ['https://evil.example/'] }, 'redirectUrls.0'],
    ['a redirect URL with a fragment', { redirectUrls: [`${REDIRECT}#x`] }, 'redirectUrls.0'],
    ['a redirect URL with a password', { redirectUrls: ['https://a:b@app.example/'] }, 'redirectUrls.0'],
    ['a redirect URL with dots', { redirectUrls: [`${ORIGIN}/a/../b`] }, 'redirectUrls.0'],
    ['a script', { redirectUrls: ['javascript:alert(1)'] }, 'redirectUrls.0'],
    ['the origin of the console', { origins: ['https://console.example'] }, 'origins'],
  ])('rejects %s', async (_, wrong, path) => {
    const parts = await openAdmin();
    const ada = await parts.signUp('ada');
    const tenantId = await makeTenant(ada);
    const refused = await ada.refused('reqCreateApplication', { tenantId, ...settings, ...wrong });
    expect(refused).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    expect(refused.message).toContain(path);
  });

  test('allows ten applications in a tenant', async () => {
    const { ada, tenantId } = await openApplication();
    for (let n = 1; n < APPLICATION_LIMITS.perTenantMax; n += 1)
      await ada.ask('reqCreateApplication', { tenantId, ...settings });
    expect(await ada.refused('reqCreateApplication', { tenantId, ...settings })).toMatchObject({
      code: 'LIMIT_REACHED',
    });
  });

  test('needs a recent confirmation to register and to change an application, and no API token', async () => {
    const { admin, ada, tenantId, applicationId, callerFor } = await openApplication();
    const stale = callerFor(personNamed('ada', { confirmedAt: 0 }));
    const ids = { tenantId, applicationId };
    for (const type of ['reqCreateApplication', 'reqUpdateApplication'] as const)
      expect(await stale.refused(type, { ...ids, ...settings }), type).toMatchObject({
        code: 'CONFIRM_IDENTITY',
      });
    const { token } = await ada.ask('reqCreateApiToken', { tenantId, name: 'ci', right: 'admin' });
    const auth = { type: 'api-token', token };
    for (const type of ['reqCreateApplication', 'reqUpdateApplication', 'reqAuthorizeApplication'])
      expect(await admin({ type, auth, ...ids, ...settings }), type).toMatchObject({ status: 403 });
    expect(await admin({ type: 'reqListApplications', auth, tenantId })).toMatchObject({ status: 200 });
  });

  test('disappears with its tenant', async () => {
    const { ada, db, tenantId, signIn, refresh } = await openApplication();
    const { refreshToken } = await signIn(ada);
    await ada.ask('reqDeleteTenant', { tenantId });
    for (const table of [
      'Applications',
      'ApplicationOrigins',
      'ApplicationGrants',
      'ApplicationCodes',
      'ApplicationSessions',
    ] as const)
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    expect(await refresh(refreshToken)).toMatchObject({ status: 'ended' });
  });
});

describe('the permission of a user', () => {
  test('is asked for once, is listed, and can be withdrawn, which ends the sessions', async () => {
    const { ada, tenantId, applicationId, signUp, signIn, refresh } = await openApplication();
    const max = await signUp('max');
    await bringIn(ada, tenantId, max);
    const at = { applicationId, redirectUrl: REDIRECT };
    const { challenge } = newSignIn();
    expect(await max.ask('reqDescribeApplication', at)).toMatchObject({
      name: 'Notes',
      tenant: 'Acme',
      origin: ORIGIN,
      isGranted: false,
    });
    expect(await max.refused('reqAuthorizeApplication', { ...at, challenge })).toMatchObject({
      code: 'FORBIDDEN',
    });
    const { refreshToken } = await signIn(max);
    expect(await max.ask('reqDescribeApplication', at)).toMatchObject({ isGranted: true });
    await max.ask('reqAuthorizeApplication', { ...at, challenge });
    const { grants } = await max.ask('reqListApplicationGrants', {});
    expect(grants).toMatchObject([{ applicationId, name: 'Notes', origins: [ORIGIN] }]);
    expect((await ada.ask('reqListApplicationGrants', {})).grants).toEqual([]);
    const other = await signIn(ada);
    await max.ask('reqRevokeApplicationGrant', { applicationId });
    expect(await refresh(refreshToken)).toMatchObject({ status: 'ended' });
    expect(await refresh(other.refreshToken)).toMatchObject({ status: 'open' });
    expect(await max.ask('reqDescribeApplication', at)).toMatchObject({ isGranted: false });
  });

  test('covers one origin, never origins that the owner adds later or lists again', async () => {
    const { ada, tenantId, applicationId, signUp, signIn } = await openApplication();
    const max = await signUp('max');
    await signIn(max);
    const other = { origin: 'https://other.example', redirectUrl: 'https://other.example/' };
    const update = (origins: string[], redirectUrls: string[]) =>
      ada.ask('reqUpdateApplication', { tenantId, applicationId, name: 'Notes', origins, redirectUrls });
    await update([ORIGIN, other.origin], [REDIRECT, other.redirectUrl]);
    const isGranted = async (redirectUrl: string) =>
      (await max.ask('reqDescribeApplication', { applicationId, redirectUrl })).isGranted;
    expect([await isGranted(REDIRECT), await isGranted(other.redirectUrl)]).toEqual([true, false]);
    const { challenge } = newSignIn();
    const asked = { applicationId, redirectUrl: other.redirectUrl, challenge };
    expect(await max.refused('reqAuthorizeApplication', asked)).toMatchObject({ code: 'FORBIDDEN' });
    await max.ask('reqAuthorizeApplication', { ...asked, agrees: true });
    const { grants } = await max.ask('reqListApplicationGrants', {});
    expect(grants.map(({ origins }) => origins)).toEqual([[other.origin, ORIGIN]]);
    await update([other.origin], [other.redirectUrl]);
    await update([ORIGIN, other.origin], [REDIRECT, other.redirectUrl]);
    expect([await isGranted(REDIRECT), await isGranted(other.redirectUrl)]).toEqual([false, true]);
  });

  test.each([
    ['a longer path', `${REDIRECT}/more`],
    ['a query', `${REDIRECT}?next=1`],
    ['another origin', 'https://evil.example/signed-in'],
    ['the origin as a user name', 'https://app.example@evil.example/signed-in'],
    ['another port', 'https://app.example:8443/signed-in'],
    ['another scheme', 'http://app.example/signed-in'],
  ])('gives no code for a redirect URL with %s', async (_, redirectUrl) => {
    const { ada, db, applicationId } = await openApplication();
    const { challenge } = newSignIn();
    const asked = { applicationId, redirectUrl, challenge, agrees: true };
    expect(await ada.refused('reqAuthorizeApplication', asked)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await ada.refused('reqDescribeApplication', asked)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await db.selectFrom('ApplicationGrants').selectAll().execute()).toEqual([]);
  });
});
