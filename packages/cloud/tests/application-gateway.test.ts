import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { defaultConfig } from '../src/index.ts';
import { about, httpClient, type Ledger, socketClient, type TestCloud, testCloud } from './cloud.fixture.ts';
import { newPerson, ownLedger, type PersonOnline } from './person.fixture.ts';

const ORIGIN = 'https://app.example';
const redirectUrl = `${ORIGIN}/signed-in`;
const secret = (bytes = 32) => randomBytes(bytes).toString('base64url');

const post = async (cloud: TestCloud, body: object, origin: string | undefined = ORIGIN) => {
  const headers = { 'content-type': 'application/json', ...(origin !== undefined && { origin }) };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${cloud.url}/api/app`, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
};

async function signedIn(cloud: TestCloud, ada: PersonOnline, notes: Ledger) {
  const settings = { name: 'Notes', origins: [ORIGIN], redirectUrls: [redirectUrl] };
  const { application } = await ada.ask('reqCreateApplication', { tenantId: notes.tenant, ...settings });
  const { applicationId } = application;
  const verifier = secret();
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const asked = { applicationId, redirectUrl, challenge, agrees: true };
  const { code } = await ada.ask('reqAuthorizeApplication', asked);
  const refreshToken = `${secret(16)}.${secret()}`;
  const begin = {
    type: 'reqBeginApplicationSession',
    applicationId,
    code,
    redirectUrl,
    verifier,
    refreshToken,
  };
  const { body: opened } = await post(cloud, begin);
  expect(opened).toMatchObject({ status: 'open' });
  const tokenFor = { type: 'reqApplicationCloudToken', applicationId, ledgerId: notes.ledger };
  const { body } = await post(cloud, { ...tokenFor, accessToken: opened.accessToken });
  return { applicationId, accessToken: String(opened.accessToken), token: String(body.token) };
}

test('[S1] opens the gateway with the token of a session, until the application is deleted', async () => {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const notes = await ownLedger(ada);
  const { ledger: other } = await ada.ask('reqCreateLedger', {
    ledger: { tenantId: notes.tenant, name: 'other' },
  });
  const { token, accessToken, applicationId } = await signedIn(cloud, ada, notes);
  const handed: Ledger = { ...notes, token };
  const http = await httpClient(cloud, handed);
  const socket = await socketClient(cloud, handed);
  for (const client of [http, socket]) {
    const answer = await client.request('bindGetMeta', about(handed, 'meta', 'GET'));
    expect(answer).toMatchObject({ type: 'eventGetMeta' });
    const elsewhere = about({ ...handed, ledger: other.ledgerId }, 'meta', 'GET');
    expect(await client.request('bindGetMeta', elsewhere)).toMatchObject({ code: 'NOT_FOUND' });
  }
  const withAccessToken = await httpClient(cloud, { ...notes, token: accessToken });
  expect(await withAccessToken.request('bindGetMeta', about(notes, 'meta', 'GET'))).toMatchObject({
    code: 'NOT_FOUND',
  });
  await ada.ask('reqDeleteApplication', { tenantId: notes.tenant, applicationId });
  expect((await socket.closed).code).toBe(1008);
  const after = await http.request('bindGetMeta', about(handed, 'meta', 'GET'));
  expect(after).toMatchObject({ code: 'NOT_FOUND' });
});

test('[S13] lets only pages of registered origins read answers, and only requests of applications', async () => {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const notes = await ownLedger(ada);
  const { applicationId, accessToken } = await signedIn(cloud, ada, notes);
  const list = { type: 'reqListApplicationDatabases', applicationId, accessToken };
  const allowed = await post(cloud, list);
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  expect(allowed.headers.get('access-control-allow-credentials')).toBe(null);
  expect(allowed.headers.get('vary')).toMatch(/origin/i);
  for (const origin of ['https://evil.example', 'https://app.example.evil.example', 'null', undefined]) {
    const refused = await post(cloud, list, origin ?? '');
    expect(refused.status, origin).toBe(403);
    expect(refused.headers.get('access-control-allow-origin'), origin).toBe(null);
  }
  const preflight = (origin: string) =>
    fetch(`${cloud.url}/api/app`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  expect((await preflight(ORIGIN)).headers.get('access-control-allow-origin')).toBe(ORIGIN);
  expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBe(null);
  for (const type of ['reqEnsureUser', 'reqExtendToken', 'reqTokenByResultId', 'reqAuthorizeApplication'])
    expect((await post(cloud, { type, applicationId })).status, type).toBe(403);
  const form = await fetch(`${cloud.url}/api/app`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'text/plain' },
    body: JSON.stringify(list),
  });
  expect(form.status).toBe(415);
});

async function opens(cloud: TestCloud, origin: string): Promise<boolean> {
  const socket = new WebSocket(`${cloud.url.replace('http', 'ws')}/ws`, { origin });
  const opened = await new Promise<boolean>((resolve) => {
    socket.on('open', () => resolve(true)).on('error', () => resolve(false));
  });
  socket.terminate();
  return opened;
}

test('opens websockets for pages of registered origins, unless the operator lists the origins', async () => {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const notes = await ownLedger(ada);
  expect(await opens(cloud, ORIGIN)).toBe(false);
  await signedIn(cloud, ada, notes);
  expect(await opens(cloud, ORIGIN)).toBe(true);
  expect(await opens(cloud, 'https://evil.example')).toBe(false);
  const strict = await testCloud({ allowedOrigins: ['https://other.example'] });
  const max = await newPerson(strict.url, 'max');
  await signedIn(strict, max, await ownLedger(max));
  expect(await opens(strict, ORIGIN)).toBe(false);
});

test('lets no unknown origin use up the connections of an address', async () => {
  const { rates } = defaultConfig('');
  const cloud = await testCloud({ rates: { ...rates, socketsPerAddressMinute: 2 } });
  // The first request of an origin needs a lookup, which the limit counts.
  for (let n = 0; n < 5; n += 1) expect(await opens(cloud, 'https://evil.example')).toBe(false);
  expect(await opens(cloud, cloud.url)).toBe(true);
});

test('lets no application have an origin of the server', async () => {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const { tenant } = await ownLedger(ada);
  const { port } = new URL(cloud.url);
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    const origin = `http://${name}:${port}`;
    const settings = { name: 'Notes', origins: [origin], redirectUrls: [`${origin}/`] };
    const answer = await ada.send('reqCreateApplication', { tenantId: tenant, ...settings });
    expect(answer, name).toMatchObject({ status: 400 });
  }
});
