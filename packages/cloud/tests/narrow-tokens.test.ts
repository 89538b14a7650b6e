import { expect, test } from 'vitest';
import { about, httpClient, type Ledger, putJson, socketClient, testCloud } from './cloud.fixture.ts';
import { newPerson, ownLedger } from './person.fixture.ts';

const NOT_FOUND = { type: 'error', code: 'NOT_FOUND' };

test.each([
  ['an application that receives the token at its back URL', { handOff: true }],
  ['an application that fetches the token with a result id', { resultId: 'q3J9vRk2TtLw8ZxYpB1nMd' }],
])('[S1] opens only one ledger with a token for %s', async (_, how) => {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const notes = await ownLedger(ada);
  const { ledger: second } = await ada.ask('reqCreateLedger', {
    ledger: { tenantId: notes.tenant, name: 'second' },
  });
  const elsewhere = await ownLedger(ada, 'elsewhere');
  const selected = { tenant: notes.tenant, ledger: notes.ledger };
  const { token: first } = await ada.ask('reqCloudSessionToken', { ...how, selected });
  const { body } = await putJson(`${cloud.url}/api`, { type: 'reqExtendToken', token: first });

  for (const token of [first, body.token]) {
    const handed: Ledger = { ...notes, token };
    const clients = [await httpClient(cloud, handed), await socketClient(cloud, handed)];
    for (const client of clients) {
      expect(await client.request('bindGetMeta', about(handed, 'meta', 'GET'))).toMatchObject({
        type: 'eventGetMeta',
      });
      for (const place of [
        { ...handed, ledger: second.ledgerId },
        { ...elsewhere, token },
        { ...handed, tenant: elsewhere.tenant },
        { ...handed, ledger: elsewhere.ledger },
      ])
        for (const [type, store, method] of [
          ['bindGetMeta', 'meta', 'GET'],
          ['reqGetData', 'car', 'GET'],
          ['reqPutData', 'car', 'PUT'],
          ['reqDelData', 'car', 'DELETE'],
        ] as const)
          expect(await client.request(type, about(place, store, method)), type).toMatchObject(NOT_FOUND);
    }
    for (const type of ['fixpoint', 'api-token', 'device-id', 'fp-cloud-jwk'])
      for (const request of ['reqListTenantsByUser', 'reqCloudSessionToken', 'reqCreateApiToken'])
        expect(await putJson(`${cloud.url}/api`, { type: request, auth: { type, token } })).toMatchObject({
          status: 401,
        });
  }
});

test("[S5] doesn't extend a token after the end of the session that requested it", async () => {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const { token } = await ownLedger(ada);
  const extend = async () => (await putJson(`${cloud.url}/api`, { type: 'reqExtendToken', token })).status;
  expect(await extend()).toBe(200);
  const ended = await fetch(`${cloud.url}/auth/sign-out`, {
    method: 'POST',
    headers: { cookie: ada.cookie, origin: cloud.url, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(ended.status).toBe(200);
  expect(await extend()).toBe(401);
});
