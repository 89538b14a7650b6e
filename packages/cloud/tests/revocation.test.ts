import { expect, test } from 'vitest';
import { about, httpClient, type Ledger, putJson, socketClient, testCloud } from './cloud.fixture.ts';

/** Somebody who signed up, with a tenant and a ledger of the own. */
async function signedUp(url: string) {
  const account = { email: 'ada@example.com', password: 'a long password', name: 'Ada' };
  const signUp = await fetch(`${url}/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(account),
  });
  const cookie = signUp.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const { token } = (await (await fetch(`${url}/auth/token`, { headers: { cookie } })).json()) as {
    token: string;
  };
  const ask = async (type: string, payload: object = {}) => {
    const { status, body } = await putJson(`${url}/api`, {
      type,
      auth: { type: 'fixpoint', token },
      ...payload,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const { user } = await ask('reqEnsureUser');
  const { tenant } = await ask('reqCreateTenant', { tenant: { name: 'Notes' } });
  const { ledger } = await ask('reqCreateLedger', { ledger: { tenantId: tenant.tenantId, name: 'notes' } });
  const ids = { tenant: tenant.tenantId, ledger: ledger.ledgerId };
  const cloud = await ask('reqCloudSessionToken', { selected: ids });
  const notes: Ledger = { ...ids, userId: user.userId, token: cloud.token };
  return { ask, notes };
}

test('[S5] a ledger that was deleted is gone for the next message, and its sockets are cut at once', async () => {
  const cloud = await testCloud();
  const { ask, notes } = await signedUp(cloud.url);
  const [http, socket] = [await httpClient(cloud, notes), await socketClient(cloud, notes)];
  for (const client of [http, socket])
    expect(await client.request('bindGetMeta', about(notes, 'meta', 'GET'))).toMatchObject({
      type: 'eventGetMeta',
    });
  await ask('reqDeleteLedger', { ledger: { tenantId: notes.tenant, ledgerId: notes.ledger } });
  // What was looked up a moment ago would still be known: it was forgotten.
  const get = http.request('reqGetData', about(notes, 'car', 'GET', 'k'));
  expect(await get).toMatchObject({ code: 'NOT_FOUND' });
  expect((await socket.closed).code).toBe(1008);
});
