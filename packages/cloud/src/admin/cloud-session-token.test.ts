import type { Payload } from '@fixpoint/protocol/admin';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

const NOT_FOUND = { status: 404, code: 'NOT_FOUND', message: 'Not found' };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function openWithLedgers() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const tenant = await makeTenant(ada);
  const [first, second] = [await makeLedger(ada, tenant, 'first'), await makeLedger(ada, tenant, 'second')];
  return { ...parts, ada, tenant, first, second };
}

describe('reqCloudSessionToken', () => {
  test('lists the tenants and ledgers of the caller in the format that existing clients read', async () => {
    const { ada, tenant, first, second, tokens } = await openWithLedgers();
    const selected = { tenant, ledger: second };
    const { token } = await ada.ask('reqCloudSessionToken', { selected, opens: 'all' });
    const claims = await tokens.verify(token);
    expect(claims).toMatchObject({
      userId: ada.userId,
      email: 'ada@example.com',
      tenants: [{ id: tenant, role: 'admin' }],
      ledgers: [
        { id: first, role: 'admin', right: 'write' },
        { id: second, role: 'admin', right: 'write' },
      ],
      selected: { tenant, ledger: second },
    });
    expect(Date.parse(claims.created)).not.toBeNaN();
  });

  test('returns a token for ten minutes, or for a requested time of at most one hour', async () => {
    const { ada, tokens, clock } = await openWithLedgers();
    for (const [asked, minutes] of [
      [{}, 10],
      [{ lifeSeconds: 3600 }, 60],
    ] as const) {
      const { token, expiresDate = '' } = await ada.ask('reqCloudSessionToken', asked);
      clock.ms += (minutes - 1) * MINUTE_MS;
      expect((await tokens.verify(token)).expiresAtMs).toBe(Date.parse(expiresDate));
      clock.ms += 2 * MINUTE_MS;
      await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
    }
    for (const lifeSeconds of [59, 3601, 600.5, '600'])
      expect(await ada.refused('reqCloudSessionToken', { lifeSeconds })).toMatchObject({ status: 400 });
  });

  test('[S1] narrows the token to the selected ledger, or to the ledgers of the selected tenant', async () => {
    const { ada, tenant, first, second, tokens } = await openWithLedgers();
    const other = await makeTenant(ada, 'Other');
    const third = await makeLedger(ada, other, 'third');
    const idsFor = async (asked: Payload<'reqCloudSessionToken'>) => {
      const answer = await ada.ask('reqCloudSessionToken', asked);
      const { tenants, ledgers } = await tokens.verify(answer.token);
      return [answer.opens, tenants.map(({ id }) => id), ledgers.map(({ id }) => id)];
    };
    const all = [
      [tenant, other],
      [first, second, third],
    ];
    expect(await idsFor({ selected: { tenant, ledger: second } })).toEqual(['ledger', [tenant], [second]]);
    expect(await idsFor({ selected: { ledger: third } })).toEqual(['ledger', [other], [third]]);
    expect(await idsFor({ selected: { tenant } })).toEqual(['tenant', [tenant], [first, second]]);
    expect(await idsFor({ selected: { tenant }, opens: 'ledger' })).toEqual(['ledger', [tenant], [first]]);
    expect(await idsFor({ opens: 'ledger' })).toEqual(['ledger', [tenant], [first]]);
    expect(await idsFor({ opens: 'tenant' })).toEqual(['tenant', [tenant], [first, second]]);
    expect(await idsFor({ selected: { ledger: second }, opens: 'all' })).toEqual(['all', ...all]);
    expect(await idsFor({})).toEqual(['all', ...all]);
  });

  test('selects the first tenant and ledger by default; a selected ledger implies its tenant', async () => {
    const { ada, tenant, first, tokens } = await openWithLedgers();
    const other = await makeTenant(ada, 'Other');
    const third = await makeLedger(ada, other, 'third');
    const selectedFor = async (selected?: { tenant?: string; ledger?: string }) => {
      const { token } = await ada.ask('reqCloudSessionToken', selected === undefined ? {} : { selected });
      return (await tokens.verify(token)).selected;
    };
    expect(await selectedFor()).toEqual({ tenant, ledger: first });
    expect(await selectedFor({ tenant: other })).toEqual({ tenant: other, ledger: third });
    expect(await selectedFor({ ledger: third })).toEqual({ tenant: other, ledger: third });
  });

  test('lists no ledger for a user without a tenant', async () => {
    const { signUp, tokens } = await openWithLedgers();
    const eve = await signUp('eve');
    const { token } = await eve.ask('reqCloudSessionToken', {});
    expect(await tokens.verify(token)).toMatchObject({ tenants: [], ledgers: [], selected: {} });
  });

  test("[S1] rejects a selected tenant or ledger that the caller can't use", async () => {
    const { ada, tenant, first, signUp } = await openWithLedgers();
    const eve = await signUp('eve');
    const own = await makeTenant(eve);
    const ownLedger = await makeLedger(eve, own);
    const wrong = [
      { tenant },
      { ledger: first },
      { tenant, ledger: first },
      { tenant: own, ledger: first },
      { tenant, ledger: ownLedger },
      { tenant: own, ledger: 'nothing' },
      { tenant: 'nothing' },
    ];
    for (const selected of wrong)
      expect(await eve.refused('reqCloudSessionToken', { selected })).toEqual(NOT_FOUND);
    expect(await ada.refused('reqCloudSessionToken', { selected: { tenant: own } })).toEqual(NOT_FOUND);
  });

  test('[S5] returns no token for the tenant to a member who left', async () => {
    const { ada, tenant, first, signUp, db, tokens } = await openWithLedgers();
    const bob = await signUp('bob');
    await bringIn(ada, tenant, bob);
    await bob.ask('reqCloudSessionToken', { selected: { tenant, ledger: first } });
    await db
      .updateTable('TenantUsers')
      .set({ status: 'inactive' })
      .where('userId', '=', bob.userId)
      .execute();
    const selected = { tenant, ledger: first };
    expect(await bob.refused('reqCloudSessionToken', { selected })).toEqual(NOT_FOUND);
    const { token } = await bob.ask('reqCloudSessionToken', {});
    expect(await tokens.verify(token)).toMatchObject({ tenants: [], ledgers: [] });
  });

  test('replaces an invalid address, because existing clients would reject the whole token', async () => {
    const { signUp, tokens } = await openWithLedgers();
    const odd = await signUp('odd', { email: 'root@localhost' });
    const { token } = await odd.ask('reqCloudSessionToken', {});
    expect((await tokens.verify(token)).email).toBe(`${odd.userId}@unknown.email`);
  });
});

describe('a token that is handed off', () => {
  const RESULT_ID = 'q3J9vRk2TtLw8ZxYpB1nMd';

  test('[S1] grants one ledger, whatever else the caller requests', async () => {
    const { ada, tenant, first, second, tokens } = await openWithLedgers();
    for (const asked of [{ handOff: true }, { resultId: RESULT_ID }]) {
      const one = await ada.ask('reqCloudSessionToken', { ...asked, selected: { ledger: second } });
      expect((await tokens.verify(one.token)).ledgers).toMatchObject([{ id: second }]);
      const unnamed = await ada.ask('reqCloudSessionToken', { ...asked, selected: { tenant } });
      expect((await tokens.verify(unnamed.token)).ledgers).toMatchObject([{ id: first }]);
      for (const opens of ['all', 'tenant'])
        expect(await ada.refused('reqCloudSessionToken', { ...asked, opens })).toMatchObject({ status: 400 });
    }
  });

  test('[S5] lasts an hour in total, however often it is extended, and never opens another ledger', async () => {
    const { ada, admin, second, tokens, clock } = await openWithLedgers();
    const begun = clock.ms;
    const asked = { handOff: true, selected: { ledger: second } };
    let { token, extendableUntil } = await ada.ask('reqCloudSessionToken', asked);
    expect(Date.parse(extendableUntil ?? '') - begun).toBeLessThanOrEqual(HOUR_MS);
    for (let minutes = 8; minutes < 60; minutes += 8) {
      clock.ms = begun + minutes * MINUTE_MS;
      const { body } = await admin({ type: 'reqExtendToken', token });
      token = String(body['token']);
      const claims = await tokens.verify(token);
      expect(claims.expiresAtMs).toBeLessThanOrEqual(begun + HOUR_MS);
      expect(claims.ledgers.map(({ id }) => id)).toEqual([second]);
    }
    clock.ms = begun + HOUR_MS + 1000;
    expect(await admin({ type: 'reqExtendToken', token })).toMatchObject({ status: 401 });
  });

  test("[S5] is valid for one hour when it has a result id, and can't be extended beyond that hour", async () => {
    const { ada, admin, second, tokens, clock } = await openWithLedgers();
    const asked = { resultId: RESULT_ID, selected: { ledger: second } };
    const { token } = await ada.ask('reqCloudSessionToken', asked);
    const { expiresAtMs } = await tokens.verify(token);
    expect(expiresAtMs - clock.ms).toBeGreaterThan(59 * MINUTE_MS);
    clock.ms += 59 * MINUTE_MS;
    const { body } = await admin({ type: 'reqExtendToken', token });
    expect((await tokens.verify(String(body['token']))).expiresAtMs).toBe(expiresAtMs);
  });

  test("[S1] doesn't authenticate at the admin API", async () => {
    const { ada, admin, second } = await openWithLedgers();
    const asked = { handOff: true, selected: { ledger: second } };
    const { token } = await ada.ask('reqCloudSessionToken', asked);
    for (const type of ['fp-cloud-jwk', 'fake', 'api-token', 'device-id'])
      expect(await admin({ type: 'reqListTenantsByUser', auth: { type, token } })).toMatchObject({
        status: 401,
      });
  });
});

describe('reqTokenByResultId', () => {
  const resultId = 'q3J9vRk2TtLw8ZxYpB1nMd';
  /** A result id in the short format of existing clients. */
  const SHORT_ID = 'z8fYpQ2Lk1';

  async function openWithWaitingToken() {
    const parts = await openWithLedgers();
    const { token } = await parts.ada.ask('reqCloudSessionToken', { resultId });
    const fetchToken = (id: unknown, from = '192.0.2.1') =>
      parts.admin({ type: 'reqTokenByResultId', resultId: id }, from);
    return { ...parts, token, fetchToken };
  }

  test('[S4] returns the token once, without sign-in, to the caller who knows the id', async () => {
    const { token, fetchToken } = await openWithWaitingToken();
    expect(await fetchToken(resultId)).toEqual({
      status: 200,
      body: { type: 'resTokenByResultId', resultId, status: 'found', token },
    });
    expect(await fetchToken(resultId)).toEqual({
      status: 200,
      body: { type: 'resTokenByResultId', resultId, status: 'not-found' },
    });
  });

  test('[S4] returns the token to only one of many parallel callers', async () => {
    const { fetchToken } = await openWithWaitingToken();
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetchToken(resultId)));
    expect(answers.filter(({ body }) => body['status'] === 'found')).toHaveLength(1);
  });

  test('returns no token for an unknown id, and rejects an invalid id', async () => {
    const { fetchToken } = await openWithWaitingToken();
    for (const other of ['', 'z0987654321', `${resultId} `])
      expect(await fetchToken(other)).toMatchObject({ status: 200, body: { status: 'not-found' } });
    for (const wrong of [undefined, 7, {}, 'x'.repeat(129)])
      expect(await fetchToken(wrong)).toMatchObject({ status: 400 });
  });

  test('returns no token after fifteen minutes', async () => {
    const { fetchToken, clock } = await openWithWaitingToken();
    clock.ms += 15 * MINUTE_MS;
    expect(await fetchToken(resultId)).toMatchObject({ body: { status: 'not-found' } });
  });

  test('returns no token after one minute if the id is as short as those of existing clients', async () => {
    const { ada, fetchToken, clock } = await openWithWaitingToken();
    await ada.ask('reqCloudSessionToken', { resultId: SHORT_ID });
    clock.ms += MINUTE_MS / 2;
    expect(await fetchToken(SHORT_ID)).toMatchObject({ body: { status: 'found' } });
    await ada.ask('reqCloudSessionToken', { resultId: SHORT_ID });
    clock.ms += MINUTE_MS;
    expect(await fetchToken(SHORT_ID)).toMatchObject({ body: { status: 'not-found' } });
  });

  test("[S7] allows a network sixty different ids in a minute; repeating an id doesn't count", async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { fetchToken, token, clock } = await openWithWaitingToken();
    const guess = (at: number, from?: string) => fetchToken(`z${String(at).padStart(24, '0')}`, from);
    for (let at = 0; at < 200; at += 1) expect(await guess(1)).toMatchObject({ status: 200 });
    for (let at = 2; at <= 60; at += 1) expect(await guess(at)).toMatchObject({ status: 200 });
    const refused = await guess(61);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers?.['retry-after'])).toBeGreaterThan(0);
    expect(await fetchToken(resultId)).toMatchObject({ status: 429 });
    expect(await guess(1)).toMatchObject({ status: 200 });
    expect(await fetchToken(resultId, '198.51.100.1')).toMatchObject({ body: { token } });
    clock.ms += MINUTE_MS;
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect(await guess(61)).toMatchObject({ status: 200 });
    for (let at = 0; at < 60; at += 1) await guess(at, `2001:db8:1:2::${at}`);
    expect(await guess(99, '2001:db8:1:2:ffff::1')).toMatchObject({ status: 429 });
  });

  test('returns the last token stored under an id, and rejects ids that are easy to guess', async () => {
    const { ada, tenant, second, tokens, fetchToken } = await openWithWaitingToken();
    await ada.ask('reqCloudSessionToken', { resultId, selected: { tenant, ledger: second } });
    const { body } = await fetchToken(resultId);
    expect((await tokens.verify(String(body['token']))).selected.ledger).toBe(second);
    for (const easy of ['short', 'x'.repeat(21), '12345678'])
      expect(await ada.refused('reqCloudSessionToken', { resultId: easy })).toMatchObject({ status: 400 });
  });

  test('[S15] stores neither the token nor the id in plain text', async () => {
    const { db, token } = await openWithWaitingToken();
    const rows = JSON.stringify(await db.selectFrom('TokenByResultId').selectAll().execute());
    expect(rows).toContain('createdAt');
    for (const part of [token, token.split('.')[1] ?? '', resultId]) expect(rows).not.toContain(part);
  });
});
