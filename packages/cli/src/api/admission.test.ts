import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createAdmission, requireOrigin, urlOfBound } from './admission.ts';
import { NAME, newApi, TOKEN } from './api.fixture.ts';

/** Sends a request with any headers, which `fetch` doesn't allow. */
function raw(url: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const call = httpRequest(url, { method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      });
      call.on('error', reject).end();
    },
  );
}

const NOTHING = { token: undefined, hosts: [], origins: [] };
const bearer = { authorization: `Bearer ${TOKEN}` };

describe('the Host header', () => {
  test.each([
    ['127.0.0.1', 7380, ['127.0.0.1:7380', 'localhost:7380', 'LocalHost:7380']],
    ['::1', 7380, ['[::1]:7380', 'localhost:7380']],
    ['192.168.0.5', 7380, ['192.168.0.5:7380']],
    ['127.0.0.1', 80, ['127.0.0.1', '127.0.0.1:80', 'localhost']],
    ['0.0.0.0', 7380, ['192.168.0.5:7380', '[fd00::1]:7380', 'localhost:7380']],
    ['::', 80, ['192.168.0.5', '[fd00::1]:80', '[::1]']],
  ])('is accepted for a server at %s:%i', (address, port, hosts) => {
    const { isHost } = createAdmission({ address, port }, NOTHING);
    for (const host of hosts) expect(isHost(host), host).toBe(true);
  });

  test.each([
    [
      '127.0.0.1',
      7380,
      ['127.0.0.1', '127.0.0.1:80', '127.0.0.2:7380', '[::1]:7380', '', 'evil.example:7380'],
    ],
    ['192.168.0.5', 7380, ['localhost:7380', '127.0.0.1:7380', 'evil.example']],
    [
      '0.0.0.0',
      7380,
      ['evil.example:7380', '192.168.0.5', '1.2.3.4.evil.example:7380', 'fd00::1:7380', '[x]:7380'],
    ],
    ['::', 80, ['evil.example', '[::1', '::1', ':80']],
  ])('is rejected for a server at %s:%i', (address, port, hosts) => {
    const { isHost } = createAdmission({ address, port }, NOTHING);
    for (const host of hosts) expect(isHost(host), host).toBe(false);
    expect(isHost(undefined)).toBe(false);
  });

  test('is checked before the token, for all paths', async () => {
    const { api } = await newApi({ hosts: ['Proxy.example'] });
    for (const path of ['/health', '/openapi.json', '/documents', '/nothing'])
      expect((await raw(`${api.url}${path}`, { ...bearer, host: 'evil.example' })).status).toBe(403);
    expect((await raw(`${api.url}/documents`, { ...bearer, host: 'proxy.example' })).status).toBe(200);
  });
});

describe('the address', () => {
  test('is the one that the socket is bound to', async () => {
    const { api } = await newApi({ host: 'localhost' });
    expect(api.url).toMatch(/^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/);
    const { servers } = (await (await fetch(`${api.url}/openapi.json`)).json()) as { servers: object[] };
    expect(servers).toEqual([{ url: api.url }]);
  });

  test('has brackets for IPv6, and is the local one for all addresses', () => {
    expect(urlOfBound({ address: '::1', port: 1 })).toBe('http://[::1]:1');
    expect(urlOfBound({ address: '::', port: 1 })).toBe('http://[::1]:1');
    expect(urlOfBound({ address: '0.0.0.0', port: 1 })).toBe('http://127.0.0.1:1');
    expect(urlOfBound({ address: '10.0.0.1', port: 1 })).toBe('http://10.0.0.1:1');
  });

  test('rejects addresses that are in use, or of another machine', async () => {
    const { api } = await newApi();
    const port = Number(new URL(api.url).port);
    await expect(newApi({ port })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(newApi({ host: '203.0.113.1' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('the token', () => {
  test('is needed for all requests except health and the OpenAPI document', async () => {
    const { api } = await newApi();
    const wrong = [
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      TOKEN,
      `Basic ${TOKEN}`,
      `Bearer x ${TOKEN}`,
    ];
    for (const authorization of wrong) {
      const answer = await raw(`${api.url}/documents`, { authorization });
      expect([answer.status, answer.headers['www-authenticate']], authorization).toEqual([401, 'Bearer']);
    }
    for (const authorization of [`bearer ${TOKEN}`, `Bearer   ${TOKEN}`])
      expect((await raw(`${api.url}/documents`, { authorization })).status).toBe(200);
    expect((await raw(`${api.url}/health`, {})).text).toBe('{"status":"ok"}');
    expect((await raw(`${api.url}/openapi.json`, {})).text.includes(NAME)).toBe(false);
  });

  test('is optional only at a loopback address', async () => {
    const { api } = await newApi({ token: undefined });
    expect((await fetch(`${api.url}/documents`)).status).toBe(200);
    await expect(newApi({ token: undefined, host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});

describe('websites', () => {
  const origin = 'https://app.example';

  test('rejects websites by default, with and without the token, also for preflight requests', async () => {
    for (const token of [TOKEN, undefined]) {
      const { api } = await newApi({ token });
      for (const headers of [
        { origin },
        { origin: 'null' },
        { origin: api.url },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const answer = await raw(`${api.url}/documents`, { ...bearer, ...headers } as Record<string, string>);
        expect(answer.status).toBe(403);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
        expect(answer.headers['vary']).toBe('Authorization, Origin');
      }
      const preflight = { origin, 'access-control-request-method': 'PUT' };
      expect((await raw(`${api.url}/documents/a`, preflight, 'OPTIONS')).status).toBe(403);
    }
  });

  test('answers websites of an allowed origin', async () => {
    const { api } = await newApi({ origins: [origin] });
    const ask = { origin, 'access-control-request-method': 'PUT' };
    const preflight = await raw(`${api.url}/documents/a`, ask, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, PUT, DELETE',
      vary: 'Authorization, Origin',
    });
    for (const [path, status] of [
      ['/documents', 200],
      ['/documents/none', 404],
    ] as const) {
      const answer = await raw(`${api.url}${path}`, { ...bearer, origin });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, origin]);
    }
    expect((await raw(`${api.url}/documents`, { ...bearer, origin: `${origin}.evil` })).status).toBe(403);
  });

  test('accepts only exact origins', () => {
    expect(requireOrigin('http://localhost:5173')).toBe('http://localhost:5173');
    for (const text of ['*', 'app.example', 'https://app.example/', 'https://app.example/x', 'ftp://x'])
      expect(() => requireOrigin(text), text).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
