import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { long } from '../../../tests/budget.fixture.ts';
import type { NetworkRequest } from '../../ports/network.ts';
import { nodeNetwork } from './node-network.ts';

const BASE = new URL('https://cloud.example/fp');
/** The addresses of the names in these tests. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'cloud.example': ['203.0.113.1'],
  'here.example': ['127.0.0.1'],
  'rebound.example': ['203.0.113.2', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
};

const lookup = async (host: string) => {
  const found = NAMES[host];
  if (found === undefined) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

const { request } = nodeNetwork(async () => Promise.reject(new Error('no sockets here')), lookup);

async function served(answer: RequestListener): Promise<URL> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/object`);
}

/** Sends a request the way sync does for a signed URL from a server at `base`. */
const ask = (url: URL | string, base: URL, more: Partial<NetworkRequest> = {}) =>
  request({ method: 'GET', url: String(url), base, timeoutMs: 5000, ...more });

describe('a URL from a server', () => {
  test('is allowed if it leads to the server itself, or if the server and the target are on this device', async () => {
    const bodies: string[] = [];
    const url = await served((received, response) => {
      let body = '';
      received.on('data', (part) => {
        body += String(part);
      });
      received.on('end', () => {
        bodies.push(`${received.method} ${received.headers['content-length']} ${body}`);
        response.writeHead(body === '' ? 200 : 201).end(body === '' ? 'stored' : '');
      });
    });
    expect(await ask(url, new URL('/fp', url))).toEqual({
      status: 200,
      body: new Uint8Array(Buffer.from('stored')),
    });
    const put = { method: 'PUT', body: new Uint8Array([97, 98]) } as const;
    const other = new URL('http://here.example/');
    expect((await ask(url, other, put)).status).toBe(201);
    expect(bodies).toEqual(['GET undefined ', 'PUT 2 ab']);
  });

  test.each([
    'http://127.0.0.1:1/x',
    'http://127.8.9.1:1/x',
    'http://[::1]:1/x',
    'http://[::ffff:127.0.0.1]:1/x',
    'http://0.0.0.0:1/x',
    'http://0x7f.1:1/x',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]:1/x',
    'http://here.example:1/x',
    'http://rebound.example:1/x',
    'http://metadata.example/x',
    'http://mapped.example:1/x',
  ])('is rejected with FORBIDDEN, without a request, if it is %s and the base is elsewhere', async (url) => {
    await expect(ask(url, BASE)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('is rejected if the URL leads to link-local addresses and the base is loopback', async () => {
    const base = new URL('http://127.0.0.1:1/');
    await expect(ask('http://169.254.169.254/', base)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test.each(['file:///etc/passwd', 'data:,x', 'not a url'])('is rejected if it is %s', async (url) => {
    await expect(ask(url, BASE)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test.each([301, 302, 307, 308])('is rejected if the response is a redirect with %i', async (status) => {
    let asked = 0;
    const url = await served((_, response) => {
      asked += 1;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    await expect(ask(url, url)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    expect(asked).toBe(1);
  });

  test(
    'fails with LIMIT_REACHED if the response is longer than any object, with or without a length header',
    long,
    async () => {
      const part = Buffer.alloc(1_000_000);
      let isClosed = false;
      const flood = (response: ServerResponse) => {
        const more = () => {
          while (response.write(part));
        };
        response.on('drain', more).on('close', () => {
          isClosed = true;
        });
        more();
      };
      const announced = await served(
        (_, response) => void response.writeHead(200, { 'content-length': 64_000_001 }).flushHeaders(),
      );
      await expect(ask(announced, announced)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
      const endless = await served((_, response) => flood(response));
      await expect(ask(endless, endless)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
      await expect.poll(() => isClosed).toBe(true);
    },
  );

  test('fails with TIMEOUT when the server sends nothing, and with FETCH when aborted, unreachable or cut off', async () => {
    const url = await served(() => undefined);
    await expect(ask(url, url, { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const ending = new AbortController();
    const aborted = ask(url, url, { signal: ending.signal });
    ending.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'FETCH' });
    await expect(ask(url, url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'FETCH' });
    await expect(ask('http://nowhere.example/', BASE)).rejects.toMatchObject({ code: 'FETCH' });
    const broken = await served((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('abc', () => response.destroy());
    });
    await expect(ask(broken, broken)).rejects.toMatchObject({ code: 'FETCH' });
  });
});

test('uses fetch for requests without a base', async () => {
  const url = await served((_, response) => response.end('answer'));
  const { body } = await request({ method: 'GET', url: String(url), timeoutMs: 5000 });
  expect(Buffer.from(body).toString()).toBe('answer');
});
