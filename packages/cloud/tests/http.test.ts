import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { requestMessage } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { newLedger, putJson, temporaryFolder, testCloud } from './cloud.fixture.ts';
import { newPerson, ownLedger } from './person.fixture.ts';

async function consoleFolder(): Promise<string> {
  const folder = await temporaryFolder();
  for (const below of ['assets', '.git']) await mkdir(join(folder, below));
  const files = {
    'index.html':
      '<!doctype html><html lang="en"><title>Console</title><script src="/assets/app-abc.js"></script><a href="//x">x</a>',
    'favicon.svg': '<svg/>',
    'assets/app-abc.js': `// ${'x'.repeat(3000)}`,
    'assets/map-worker-abc.js': 'self',
    'assets/quickjs-abc.wasm': 'wasm',
    '.git/HEAD': 'ref: refs/heads/main',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/**
 * Sends a body with any headers: with those that browsers send without a preflight, or with headers
 * that don't match the body. Returns the status.
 */
function rawPut(url: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'PUT', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the console', () => {
  test('[S12] serves pages with the content security policy, and answers 404 to unknown paths', async () => {
    const { url } = await testCloud({ consoleDir: await consoleFolder() });
    for (const path of [
      '/',
      '/login',
      '/signup',
      '/fp/cloud',
      '/fp/cloud/tenants/x/overview',
      '/fp/databases',
    ]) {
      const page = await fetch(url + path);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('<title>Console</title>');
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      for (const closed of ['object-src', 'base-uri', 'frame-ancestors'])
        expect(policy).toContain(`${closed} 'none'`);
      expect(policy).toContain(`connect-src 'self' ${url.replace('http', 'ws')}`);
      expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'/);
      expect(page.headers.get('strict-transport-security')).toBeNull();
    }
    for (const path of [
      '/fp',
      '/ws',
      '/nothing',
      '/assets/other.js',
      '/fp/../../etc/passwd',
      '/loginx',
      '/.git/HEAD',
    ])
      expect((await fetch(url + path)).status, path).toBe(404);
  });

  test('writes the base path into the page, whether or not the proxy strips it', async () => {
    const { url } = await testCloud({ consoleDir: await consoleFolder(), basePath: '/notes' });
    const texts = await Promise.all(
      ['/notes', '/notes/', '/notes/fp/cloud', '/fp/cloud', '/notes/index.html'].map(async (path) =>
        (await fetch(url + path)).text(),
      ),
    );
    expect([...new Set(texts)]).toEqual([
      '<!doctype html><html data-base="/notes" data-sign-in="builtin" lang="en"><title>Console</title><script src="/notes/assets/app-abc.js"></script><a href="//x">x</a>',
    ]);
    expect((await fetch(`${url}/notes/assets/app-abc.js`)).status).toBe(200);
    const config = await (await fetch(`${url}/notes/.well-known/fixpoint.json`)).json();
    expect(config).toMatchObject({ storageUrl: `${url}/notes/fp` });
    const root = await testCloud({ consoleDir: await consoleFolder() });
    expect(await (await fetch(root.url)).text()).toContain('<html data-sign-in="builtin" lang="en"');
  });

  test('lets clients cache files with a hash in their names for ever, and revalidate other files', async () => {
    const { url } = await testCloud({ consoleDir: await consoleFolder() });
    const script = await fetch(`${url}/assets/app-abc.js`, { headers: { 'accept-encoding': 'br' } });
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-encoding')).toBe('br');
    expect(Object.fromEntries(script.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(await script.text()).toHaveLength(3003);
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('[S8] lets the worker of map functions fetch its WebAssembly file and nothing else', async () => {
    const { url } = await testCloud({ consoleDir: await consoleFolder() });
    const worker = await fetch(`${url}/assets/map-worker-abc.js`);
    expect(worker.headers.get('content-security-policy')).toBe(
      `default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src ${url}/assets/quickjs-abc.wasm`,
    );
    const below = await testCloud({ consoleDir: await consoleFolder(), basePath: '/notes' });
    const moved = await fetch(`${below.ownUrl}/assets/map-worker-abc.js`);
    expect(moved.headers.get('content-security-policy')).toContain(
      `connect-src ${new URL(below.url).origin}/notes/assets/quickjs-abc.wasm`,
    );
  });

  test('[S12] sends HSTS with every answer if the public address uses https, and never redirects', async () => {
    const cloud = await testCloud({ consoleDir: await consoleFolder(), publicUrl: 'https://cloud.example' });
    expect(cloud.url).toBe('https://cloud.example');
    const ask = (path: string, method: string) =>
      fetch(cloud.ownUrl + path, { method, redirect: 'manual', ...(method === 'PUT' && { body: '{}' }) });
    const page = await ask('/', 'GET');
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self' wss://cloud.example");
    const answers = [
      page,
      ...(await Promise.all(
        ['/login', '/assets/app-abc.js', '/healthz', '/obj/x', '/auth/get-session', '/nothing'].map((path) =>
          ask(path, 'GET'),
        ),
      )),
      await ask('/api', 'PUT'),
      await ask('/fp', 'PUT'),
    ];
    for (const { url, status, headers } of answers) {
      expect(headers.get('strict-transport-security'), url).toBe('max-age=31536000; includeSubDomains');
      expect([200, 403, 404, 415], url).toContain(status);
    }
  });
});

describe('requests', () => {
  test("[S12] forbids caching, framing and sniffing of answers that aren't files, lists no folders, and rejects TRACE", async () => {
    const cloud = await testCloud({ consoleDir: await consoleFolder() });
    const { token } = await newLedger(cloud);
    const put = (path: string, body: object) =>
      fetch(cloud.url + path, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const found = [
      await put('/api', { type: 'reqTokenByResultId', resultId: 'nobody-has-it' }),
      await put('/fp', requestMessage('reqGestalt', 'z', token, {})),
      ...(await Promise.all(
        ['/auth/get-session', '/.well-known/fixpoint.json', '/metrics', '/healthz'].map((path) =>
          fetch(cloud.url + path),
        ),
      )),
    ];
    const refused = [
      await put('/api', {}),
      await put('/fp', {}),
      ...(await Promise.all(
        ['/auth/nothing', '/auth/', '/assets/', '/assets', '/obj/', '/nothing'].map((path) =>
          fetch(cloud.url + path),
        ),
      )),
    ];
    expect(found.map(({ status }) => status)).toEqual(found.map(() => 200));
    for (const { url, status, headers } of [...found, ...refused]) {
      expect(Object.fromEntries(headers), url).toMatchObject({
        'content-type': expect.stringMatching(/^(application\/json|text\/plain; )/),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringMatching(
          /(?=.*object-src 'none')(?=.*base-uri 'none')(?=.*frame-ancestors 'none')/,
        ),
      });
      if (!found.some((one) => one.url === url && one.status === status))
        expect(status, url).toBeGreaterThanOrEqual(400);
    }
    const traced = await new Promise<number>((resolve, reject) =>
      request(cloud.url, { method: 'TRACE' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .on('error', reject)
        .end(),
    );
    expect(traced).toBe(404);
  });

  test('serves health, readiness, keys and metrics', async () => {
    const { url } = await testCloud();
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok');
    expect(await (await fetch(`${url}/readyz`)).text()).toBe('ready');
    const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: object[] };
    // The current signing key, and the next one.
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(key).toMatchObject({ kty: 'EC', alg: 'ES256', use: 'sig' });
      expect(key).not.toHaveProperty('d');
    }
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('fixpoint_http_requests_total{route="/healthz",method="GET",status="200"} 1');
    expect(metrics).toContain('fixpoint_sockets 0');
  });

  test('serves metrics to this machine, or to holders of the token', async () => {
    const { url } = await testCloud({ metricsToken: 'secret' });
    const proxied = { 'x-forwarded-for': '203.0.113.1' };
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${url}/metrics`, { headers })).status;
    expect(await status({})).toBe(200);
    expect(await status(proxied)).toBe(404);
    expect(await status({ ...proxied, authorization: 'Bearer wrong!' })).toBe(404);
    expect(await status({ ...proxied, authorization: 'Bearer secret' })).toBe(200);
  });

  test.each(['/fp', '/api'])('[S13] accepts only JSON of known and bounded length at %s', async (path) => {
    const cloud = await testCloud();
    const url = cloud.url + path;
    const json = { 'content-type': 'application/json' };
    expect(await rawPut(url, { 'content-type': 'text/plain', 'content-length': '2' }, '{}')).toBe(415);
    expect(
      await rawPut(url, { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '2' }, 'a='),
    ).toBe(415);
    expect(await rawPut(url, { ...json, 'transfer-encoding': 'chunked' }, '{}')).toBe(411);
    expect(await rawPut(url, { ...json, 'content-length': '1048577' }, '')).toBe(413);
    expect(await rawPut(url, { ...json, 'content-length': '1' }, '{')).toBe(400);
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    expect((await putJson(url, deep)).status).toBeGreaterThanOrEqual(400);
  });

  test('rejects a request with two lengths, and runs no request that is hidden in its body', async () => {
    const { url } = await testCloud();
    const answersTo = (headers: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        let text = '';
        socket.on('data', (data) => (text += String(data)));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(text));
        const hidden = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
        socket.write(
          `PUT /api HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n0\r\n\r\n${hidden}`,
        );
      });
    for (const headers of [
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 5',
      'Content-Length: 5\r\nContent-Length: 6',
      'Transfer-Encoding: chunked, identity',
    ]) {
      const text = await answersTo(headers);
      expect(text.match(/^HTTP\/1\.1 \d+/gm), headers).toEqual(['HTTP/1.1 400']);
      expect(text).not.toContain('\r\n\r\nok');
    }
  });

  test('[S13] rejects calls of the admin API by pages of other origins', async () => {
    const cloud = await testCloud({ allowedOrigins: ['https://app.example'] });
    const call = (origin: string) =>
      fetch(`${cloud.url}/api`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', origin },
        body: '{}',
      });
    expect((await call('https://evil.example')).status).toBe(403);
    expect((await call('null')).status).toBe(403);
    const allowed = await call('https://app.example');
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect((await call(cloud.url)).status).not.toBe(403);
    const preflight = await fetch(`${cloud.url}/api`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'PUT' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('[W1] lets apps of other origins use the gateway, without cookies', async () => {
    const cloud = await testCloud();
    const { token } = await newLedger(cloud);
    const origin = 'https://app.example';
    const preflight = await fetch(`${cloud.url}/fp`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT' },
    });
    expect(preflight.status).toBe(200);
    expect(await preflight.text()).toBe('');
    const answer = await putJson(`${cloud.url}/fp`, requestMessage('reqGestalt', 'z', token, {}), { origin });
    for (const { headers } of [preflight, answer]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toContain('PUT');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test('[S13] extends a token for pages that may use the gateway, and answers them nothing else', async () => {
    const origin = 'https://app.example';
    const open = await testCloud();
    const ada = await newPerson(open.url);
    const { tenant, ledger } = await ownLedger(ada);
    const asked = { handOff: true, selected: { tenant, ledger } };
    const { token } = await ada.ask('reqCloudSessionToken', asked);
    const extension = { type: 'reqExtendToken', token };
    const preflight = await fetch(`${open.url}/api/extend`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT' },
    });
    const answer = await putJson(`${open.url}/api/extend`, extension, { origin });
    for (const { status, headers } of [preflight, answer]) {
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toMatchObject({ type: 'resExtendToken', token: expect.any(String) });
    const auth = { type: 'fp-cloud-jwk', token };
    const others = [{ type: 'reqListTenantsByUser', auth }, { type: 'reqTokenByResultId' }, {}, []];
    for (const other of others)
      expect((await putJson(`${open.url}/api/extend`, other, { origin })).status).toBe(403);
    const wrong = await putJson(`${open.url}/api/extend`, { ...extension, token: 'x' }, { origin });
    expect(wrong.status).toBe(401);
    const own = await ada.ask('reqCloudSessionToken', { selected: { tenant, ledger } });
    const kept = await putJson(`${open.url}/api/extend`, { ...extension, token: own.token }, { origin });
    expect(kept.status).toBe(403);
    const strict = await testCloud({ allowedOrigins: ['https://other.example'] });
    const refused = await putJson(`${strict.url}/api/extend`, extension, { origin });
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('[S13] doesn’t count requests of foreign pages that extend nothing', async () => {
    const { url } = await testCloud();
    const ada = await newPerson(url);
    const asked = { handOff: true, selected: await ownLedger(ada) };
    const { token } = await ada.ask('reqCloudSessionToken', asked);
    const junk = { type: 'reqExtendToken', token: 'x' };
    for (let at = 0; at < 130; at += 1) await putJson(`${url}/api/extend`, junk);
    expect((await putJson(`${url}/api/extend`, { ...junk, token })).status).toBe(200);
  });

  test('[W1] answers wrong methods with 404 at the gateway and socket paths, and with 405 at the admin API', async () => {
    const { url } = await testCloud();
    for (const answer of [
      await fetch(`${url}/fp`, { method: 'POST', body: '{}' }),
      await fetch(`${url}/ws`),
      await fetch(`${url}/fp?type=reqOpen`),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toContain('text/plain');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const answer of [
      await fetch(`${url}/api?type=reqCreateTenant`),
      await fetch(`${url}/api`, { method: 'DELETE' }),
    ]) {
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'PUT, POST, OPTIONS']);
      expect(await answer.json()).toMatchObject({ type: 'error', code: 'REQUEST_INVALID' });
    }
  });

  test('[W1] rejects a body that is not JSON with an error in the format of the admin API', async () => {
    const { url } = await testCloud();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api`, { method: 'PUT', headers, body: '{"type":' });
    const message = 'request is not valid: not JSON';
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { type: 'error', code: 'REQUEST_INVALID', message, error: `Error: ${message}` },
    ]);
  });
});
