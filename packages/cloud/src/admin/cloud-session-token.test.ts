import { describe, expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

const NOT_FOUND = { status: 404, code: 'NOT_FOUND', message: 'Not found' };
const MINUTE_MS = 60_000;

async function openWithLedgers() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const tenant = await makeTenant(ada);
  const [first, second] = [await makeLedger(ada, tenant, 'first'), await makeLedger(ada, tenant, 'second')];
  return { ...parts, ada, tenant, first, second };
}

describe('reqCloudSessionToken', () => {
  test('the token names what the caller may use, in the words that existing clients read', async () => {
    const { ada, tenant, first, second, tokens } = await openWithLedgers();
    const { token } = await ada.ask('reqCloudSessionToken', { selected: { tenant, ledger: second } });
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

  test('it is good for an hour', async () => {
    const { ada, tokens, clock } = await openWithLedgers();
    const { token } = await ada.ask('reqCloudSessionToken', {});
    clock.ms += 59 * MINUTE_MS;
    await tokens.verify(token);
    clock.ms += 2 * MINUTE_MS;
    await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test('without a choice the first tenant and ledger are selected; a ledger chooses its tenant', async () => {
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

  test('somebody without a tenant gets a token that names nothing', async () => {
    const { signUp, tokens } = await openWithLedgers();
    const eve = await signUp('eve');
    const { token } = await eve.ask('reqCloudSessionToken', {});
    expect(await tokens.verify(token)).toMatchObject({ tenants: [], ledgers: [], selected: {} });
  });

  test('[S1] what is selected must be the caller’s', async () => {
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

  test('[S5] a member who is gone gets no token for the tenant', async () => {
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

  test('an address that existing clients would refuse is replaced: they would drop the whole token', async () => {
    const { signUp, tokens } = await openWithLedgers();
    const odd = await signUp('odd', { email: 'root@localhost' });
    const { token } = await odd.ask('reqCloudSessionToken', {});
    expect((await tokens.verify(token)).email).toBe(`${odd.userId}@unknown.email`);
  });
});

describe('reqTokenByResultId', () => {
  const resultId = 'z1234567890';

  async function openWithWaitingToken() {
    const parts = await openWithLedgers();
    const { token } = await parts.ada.ask('reqCloudSessionToken', { resultId });
    const fetchToken = (id: unknown) => parts.admin({ type: 'reqTokenByResultId', resultId: id });
    return { ...parts, token, fetchToken };
  }

  test('[S4] whoever knows the id fetches the token once, without signing in', async () => {
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

  test('[S4] of many that fetch at once, one gets it', async () => {
    const { fetchToken } = await openWithWaitingToken();
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetchToken(resultId)));
    expect(answers.filter(({ body }) => body['status'] === 'found')).toHaveLength(1);
  });

  test('an id that nobody used, or that is none, gives nothing', async () => {
    const { fetchToken } = await openWithWaitingToken();
    for (const other of ['', 'z0987654321', `${resultId} `])
      expect(await fetchToken(other)).toMatchObject({ status: 200, body: { status: 'not-found' } });
    for (const wrong of [undefined, 7, {}, 'x'.repeat(129)])
      expect(await fetchToken(wrong)).toMatchObject({ status: 400 });
  });

  test('after fifteen minutes it is gone', async () => {
    const { fetchToken, clock } = await openWithWaitingToken();
    clock.ms += 15 * MINUTE_MS;
    expect(await fetchToken(resultId)).toMatchObject({ body: { status: 'not-found' } });
  });

  test('the last choice under an id counts, and ids that are easy to guess are refused', async () => {
    const { ada, tenant, second, tokens, fetchToken } = await openWithWaitingToken();
    await ada.ask('reqCloudSessionToken', { resultId, selected: { tenant, ledger: second } });
    const { body } = await fetchToken(resultId);
    expect((await tokens.verify(String(body['token']))).selected.ledger).toBe(second);
    expect(await ada.refused('reqCloudSessionToken', { resultId: 'short' })).toMatchObject({ status: 400 });
  });

  test('[S15] neither the token nor the id stands in the database', async () => {
    const { db, token } = await openWithWaitingToken();
    const rows = JSON.stringify(await db.selectFrom('TokenByResultId').selectAll().execute());
    expect(rows).toContain('createdAt');
    for (const part of [token, token.split('.')[1] ?? '', resultId]) expect(rows).not.toContain(part);
  });
});
