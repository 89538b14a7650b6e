import { REQUESTS, type RequestType } from '@fixpoint/protocol/admin';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

async function openWithToken(right: 'read' | 'write' | 'admin' = 'admin') {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const [tenantId, other] = [await makeTenant(ada), await makeTenant(ada, 'Other')];
  const [ledgerId, otherLedger] = [await makeLedger(ada, tenantId), await makeLedger(ada, other)];
  const { apiToken, token } = await ada.ask('reqCreateApiToken', {
    tenantId,
    name: 'build',
    right,
    days: 30,
  });
  const byToken = async (type: RequestType, payload: object = {}, secret = token) => {
    const auth = { type: 'api-token', token: secret };
    return parts.admin({ type, auth, ...payload }, '192.0.2.1');
  };
  return { ...parts, ada, tenantId, other, ledgerId, otherLedger, apiToken, token, byToken };
}

describe('an API token', () => {
  test('lists and opens only the ledgers of its tenant', async () => {
    const { ada, tenantId, other, ledgerId, otherLedger, byToken } = await openWithToken();
    const { body } = await byToken('reqListTenantsByUser');
    expect(body).toMatchObject({ userId: ada.userId, tenants: [{ tenantId }] });
    expect((await byToken('reqListLedgersByUser')).body).toMatchObject({ ledgers: [{ ledgerId }] });
    expect((await byToken('reqListLedgersByUser', { tenantIds: [other] })).body).toMatchObject({
      ledgers: [],
    });
    const minted = await byToken('reqCloudSessionToken');
    const claims = decodeJwt(String(minted.body['token']));
    expect(claims).toMatchObject({
      tenants: [{ id: tenantId }],
      ledgers: [{ id: ledgerId, right: 'write' }],
      selected: { tenant: tenantId, ledger: ledgerId },
    });
    for (const selected of [{ tenant: other }, { ledger: otherLedger }])
      expect(await byToken('reqCloudSessionToken', { selected })).toMatchObject({ status: 404 });
    for (const [type, payload] of [
      ['reqUpdateTenant', { tenant: { tenantId: other, name: 'x' } }],
      ['reqCreateLedger', { ledger: { tenantId: other, name: 'more' } }],
      ['reqDeleteLedger', { ledger: { tenantId: other, ledgerId: otherLedger } }],
      ['reqListApiTokens', { tenantId: other }],
      ['reqListAudit', { tenantId: other }],
    ] as const)
      expect(await byToken(type, payload), type).toMatchObject({ status: 404 });
    expect(await byToken('reqCreateLedger', { ledger: { tenantId, name: 'more' } })).toMatchObject({
      status: 200,
    });
  });

  test('gets cloud tokens that can only read, and is denied admin requests, if its right is read', async () => {
    const { tenantId, ledgerId, byToken } = await openWithToken('read');
    const { body } = await byToken('reqCloudSessionToken');
    expect(decodeJwt(String(body['token']))).toMatchObject({ ledgers: [{ id: ledgerId, right: 'read' }] });
    for (const [type, payload] of [
      ['reqUpdateTenant', { tenant: { tenantId, name: 'x' } }],
      ['reqListAudit', { tenantId }],
      ['reqListApiTokens', {}],
      ['reqRemoveMember', { tenantId }],
    ] as const)
      expect(await byToken(type, payload), type).toMatchObject({ status: 403 });
  });

  test("can't create tokens or tenants, delete its tenant, sign in, find users, or answer invites", async () => {
    const { tenantId, byToken } = await openWithToken();
    const refused: RequestType[] = [
      'reqEnsureUser',
      'reqCreateApiToken',
      'reqDescribeLogin',
      'reqDecideLogin',
    ];
    const elsewhere: RequestType[] = [
      'reqCreateTenant',
      'reqDeleteTenant',
      'reqFindUser',
      'reqRedeemInvite',
      'reqRejectInvite',
    ];
    const payload = {
      tenantId,
      name: 'x',
      tenant: { name: 'x' },
      query: {},
      inviteId: 'z',
      userCode: 'BCDFGHJK',
      approve: true,
    };
    for (const type of [...refused, ...elsewhere])
      expect(await byToken(type, payload), type).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  test('never exceeds the current rights of its creator, and stops working when the creator leaves', async () => {
    const { ada, tenantId, signUp, admin } = await openWithToken();
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob, 'admin');
    const { token } = await bob.ask('reqCreateApiToken', { tenantId, name: 'bobs', right: 'admin' });
    const auth = { type: 'api-token', token };
    const rename = () => admin({ type: 'reqUpdateTenant', auth, tenant: { tenantId, name: 'x' } });
    expect(await rename()).toMatchObject({ status: 200 });
    await ada.ask('reqUpdateUserTenant', { tenantId, userId: bob.userId, role: 'member' });
    expect(await rename()).toMatchObject({ status: 403 });
    await ada.ask('reqRemoveMember', { tenantId, userId: bob.userId });
    expect(await admin({ type: 'reqListTenantsByUser', auth })).toMatchObject({ status: 401 });
    expect((await ada.ask('reqListApiTokens', { tenantId })).apiTokens).toHaveLength(1);
  });

  test('is listed with its last use and without its secret, and stops working when revoked', async () => {
    const { ada, tenantId, apiToken, token, byToken, db, clock } = await openWithToken();
    expect(apiToken).toMatchObject({ name: 'build', right: 'admin', tenantId, userId: ada.userId });
    expect(Date.parse(apiToken.expiresAt) - Date.parse(apiToken.createdAt)).toBe(30 * DAY_MS);
    expect(apiToken).not.toHaveProperty('lastUsedAt');
    const used = async () => (await ada.ask('reqListApiTokens', { tenantId })).apiTokens[0]?.lastUsedAt;
    await byToken('reqListTenantsByUser');
    const first = await used();
    expect(first).toMatch(/^2026-11-20T12:00/);
    await byToken('reqListTenantsByUser');
    expect(await used()).toBe(first);
    clock.ms += MINUTE_MS;
    await byToken('reqListTenantsByUser');
    expect(await used()).not.toBe(first);
    const stored = JSON.stringify(await db.selectFrom('ApiTokens').selectAll().execute());
    const listed = JSON.stringify(await ada.ask('reqListApiTokens', { tenantId }));
    for (const text of [stored, listed]) expect(text).not.toContain(token.slice(4));
    expect(listed).not.toContain('hash');
    await ada.ask('reqRevokeApiToken', { tokenId: apiToken.tokenId });
    expect(await byToken('reqListTenantsByUser')).toMatchObject({ status: 401 });
    const { records } = await ada.ask('reqListAudit', { tenantId });
    expect(records.slice(0, 2).map(({ action }) => action)).toEqual([
      'reqRevokeApiToken',
      expect.any(String),
    ]);
    expect(records.map(({ action }) => action)).toContain('reqCreateApiToken');
  });

  test("[S1] can't be listed or revoked by others, and doesn't work if a character is changed", async () => {
    const { ada, tenantId, apiToken, token, byToken, signUp } = await openWithToken();
    const [eve, bob] = [await signUp('eve'), await signUp('bob')];
    await bringIn(ada, tenantId, bob);
    const outcomes = [
      { other: eve, refusal: { status: 404 } },
      { other: bob, refusal: { status: 403, code: 'FORBIDDEN' } },
    ];
    for (const { other, refusal } of outcomes) {
      const { tokenId } = apiToken;
      expect(await other.refused('reqRevokeApiToken', { tokenId })).toMatchObject(refusal);
      expect(await other.refused('reqListApiTokens', { tenantId })).toMatchObject(refusal);
      expect((await other.ask('reqListApiTokens', {})).apiTokens).toEqual([]);
    }
    for (const wrong of ['', 'fpt_', `${token}x`, token.slice(0, -1), token.toLowerCase(), apiToken.tokenId])
      expect(await byToken('reqListTenantsByUser', {}, wrong), wrong).toMatchObject({ status: 401 });
  });

  test("can't be created if the tenant has twenty tokens, even in parallel, until some expire", async () => {
    const { ada, tenantId, byToken, clock } = await openWithToken();
    const make = (name: string) => ada.ask('reqCreateApiToken', { tenantId, name, days: 1 });
    const outcomes = await Promise.allSettled(Array.from({ length: 25 }, (_, index) => make(`t${index}`)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
    expect(await ada.refused('reqCreateApiToken', { tenantId, name: 'more' })).toMatchObject({
      code: 'LIMIT_REACHED',
      message: 'limit reached: 20 tokens',
    });
    clock.ms += DAY_MS + MINUTE_MS;
    await make('again');
    clock.ms += 29 * DAY_MS;
    expect(await byToken('reqListTenantsByUser')).toMatchObject({ status: 401 });
  });

  test('is removed with its tenant', async () => {
    const { ada, tenantId, byToken, db } = await openWithToken();
    await ada.ask('reqDeleteTenant', { tenantId });
    expect(await db.selectFrom('ApiTokens').selectAll().execute()).toEqual([]);
    expect(await byToken('reqListTenantsByUser')).toMatchObject({ status: 401 });
  });

  test('is rejected while its creator is banned', async () => {
    const { ada, byToken, db } = await openWithToken();
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', ada.userId).execute();
    for (const type of Object.keys(REQUESTS).filter((one) => one.startsWith('reqList')) as RequestType[])
      expect((await byToken(type, {})).status).not.toBe(200);
  });
});
