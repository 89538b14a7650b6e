import { request } from 'node:http';
import { requestMessage } from '@fixpoint/protocol/storage';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  about,
  carKey,
  httpClient,
  mint,
  newLedger,
  putJson,
  putObject,
  rawSocket,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';

const RATES = {
  perUserSecond: 1000,
  perAddressSecond: 1000,
  socketsPerAddressMinute: 600,
  socketsPerUser: 200,
};
const gestaltOf = async (url: string, token: string) =>
  (await putJson(url, requestMessage('reqGestalt', 'z1', token, {}))).body.gestalt;

describe('behind a proxy', () => {
  test.each(['/fixpoint', ''])(
    '[4] gives clients addresses with the base path, whether the proxy forwards that path (%j) or strips it',
    async (passedOn) => {
      const cloud = await testCloud({ basePath: '/fixpoint' });
      const notes = await newLedger(cloud);
      const gestalt = await gestaltOf(`${cloud.url}${passedOn}/fp`, notes.token);
      expect(gestalt).toMatchObject({ httpEndpoints: ['/fixpoint/fp'], wsEndpoints: ['/fixpoint/ws'] });
      const client = await httpClient({ url: `${cloud.url}${passedOn}` }, notes);
      const bytes = new Uint8Array(Buffer.from('bytes'));
      expect(await putObject(client, notes, carKey(bytes), bytes)).toBe(200);
      const { signedUrl } = await client.request('reqGetData', about(notes, 'car', 'GET', carKey(bytes)));
      expect(signedUrl).toContain(`${cloud.url}/fixpoint/obj/`);
      // Requests the path that the proxy would request.
      expect((await fetch(signedUrl.replace('/fixpoint', passedOn))).status).toBe(200);
      const socket = await socketClient({ url: `${cloud.url}${passedOn}` }, notes);
      expect(await socket.request('bindGetMeta', about(notes, 'meta', 'GET'))).toMatchObject({
        type: 'eventGetMeta',
      });
      // A path that only begins with the same letters is a different path.
      expect((await fetch(`${cloud.url}/fixpointed/healthz`)).status).toBe(404);
    },
  );

  test('[4] gives clients the public address that they used, with its scheme and host name', async () => {
    const cloud = await testCloud({ proxyHops: 1, basePath: '/fixpoint' });
    const notes = await newLedger(cloud);
    const forwarded = {
      'x-forwarded-for': '1.1.1.1',
      'x-forwarded-host': 'cloud.example',
      'x-forwarded-proto': 'https',
    };
    const ask = async (type: 'reqOpen' | 'reqPutData', fields: Record<string, unknown>) =>
      (await putJson(`${cloud.url}/fp`, requestMessage(type, 'z1', notes.token, fields), forwarded)).body;
    const { conn } = await ask('reqOpen', { conn: { reqId: 'q' } });
    const bytes = new Uint8Array(Buffer.from('bytes'));
    const { signedUrl } = await ask('reqPutData', { conn, ...about(notes, 'car', 'PUT', carKey(bytes)) });
    expect(signedUrl.startsWith('https://cloud.example/fixpoint/obj/')).toBe(true);
    const { pathname, search } = new URL(signedUrl);
    const put = (headers: Record<string, string>) =>
      fetch(`${cloud.url}${pathname}${search}`, { method: 'PUT', body: bytes, headers }).then(
        ({ status }) => status,
      );
    expect(await put(forwarded)).toBe(200);
    // The URL is signed for that host only.
    expect(await put({ ...forwarded, 'x-forwarded-host': 'evil.example' })).toBe(403);
    // Pages of the public address may call the admin API.
    const call = (origin: string, headers: Record<string, string>) =>
      putJson(`${cloud.url}/api`, { type: 'reqFindUser' }, { origin, ...headers }).then(
        ({ status }) => status,
        () => 403,
      );
    expect(await call('https://cloud.example', forwarded)).not.toBe(403);
    expect(await call('https://evil.example', forwarded)).toBe(403);
  });

  test('[4] ignores proxy headers unless a proxy is configured', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const open = requestMessage('reqOpen', 'z1', notes.token, { conn: { reqId: 'q' } });
    const { conn } = (await putJson(`${cloud.url}/fp`, open, forwarded)).body;
    const put = requestMessage('reqPutData', 'z2', notes.token, { conn, ...about(notes, 'car', 'PUT', 'k') });
    const { body } = await putJson(`${cloud.url}/fp`, put, forwarded);
    expect(body.signedUrl.startsWith(`${cloud.url}/obj/`)).toBe(true);
  });

  test('[4] sends clients the addresses of all servers that use the same stores', async () => {
    const cloud = await testCloud({ gatewayUrls: ['https://one.example', 'http://two.example:8080'] });
    const notes = await newLedger(cloud);
    expect(await gestaltOf(`${cloud.url}/fp`, notes.token)).toMatchObject({
      httpEndpoints: ['https://one.example/fp', 'http://two.example:8080/fp'],
      wsEndpoints: ['wss://one.example/ws', 'ws://two.example:8080/ws'],
    });
  });

  test.each([
    ['', ['reqRes', 'stream']],
    ['?capabilities=reqRes', ['reqRes']],
    ['?capabilities=stream,telepathy', ['stream']],
    ['?capabilities=telepathy', ['reqRes', 'stream']],
  ])('[4] offers requested capabilities that the server knows, or else all: %j', async (query, offered) => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const gestalt = await gestaltOf(`${cloud.url}/fp${query}`, notes.token);
    expect(gestalt.protocolCapabilities).toEqual(offered);
  });

  test("[R14] isn't ready and accepts no sockets while it stops", async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await socketClient(cloud, notes);
    client.socket.pause();
    const stopped = cloud.stop();
    expect((await fetch(`${cloud.url}/readyz`)).status).toBe(503);
    await expect(socketClient(cloud, notes)).rejects.toThrow('503');
    client.socket.resume();
    await stopped;
    expect((await client.closed).code).toBe(1012);
  });
});

/** Sends one message with a claimed client address. */
const claiming = (url: string, token: string, forwardedFor: string) =>
  putJson(`${url}/fp`, requestMessage('reqGestalt', 'z1', token, {}), { 'x-forwarded-for': forwardedFor });

/** Stops the clock of the rate limits, so that it doesn't matter how long the requests take. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('[S7] rate limits', () => {
  test('limits an address, whatever tokens and headers it sends', async () => {
    stopClock();
    const cloud = await testCloud({ rates: { ...RATES, perAddressSecond: 1 } });
    const statuses: number[] = [];
    for (let index = 0; index < 20; index += 1)
      statuses.push((await claiming(cloud.url, `wrong ${index}`, `1.1.1.${index}`)).status);
    expect(statuses).toEqual(Array.from({ length: 20 }, (_, index) => (index < 10 ? 500 : 429)));
    const refused = await claiming(cloud.url, 'wrong', '9.9.9.9');
    expect(refused).toMatchObject({ status: 429, body: { type: 'error', code: 'RATE_LIMITED', tid: 'z1' } });
    expect(refused.headers.get('retry-after')).toBe('1');
  });

  test('limits each client behind a proxy separately, and ignores addresses that clients claim', async () => {
    stopClock();
    const cloud = await testCloud({ proxyHops: 1, rates: { ...RATES, perAddressSecond: 1 } });
    const ask = (claimed: number, seen: string) =>
      claiming(cloud.url, 'wrong', `10.0.0.${claimed}, ${seen}`).then(({ status }) => status);
    const eve = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(index, '6.6.6.6')));
    expect(eve.filter((status) => status === 429)).toHaveLength(20);
    expect(await ask(1, '7.7.7.7')).toBe(500);
  });

  test('limits all tokens of a user together, without limiting other users', async () => {
    stopClock();
    const cloud = await testCloud({ rates: { ...RATES, perUserSecond: 1 } });
    const [notes, other] = [await newLedger(cloud), await newLedger(cloud)];
    const ask = async () => {
      const token = await mint(cloud.tokens, notes.userId, notes.tenant, notes.ledger);
      return (await claiming(cloud.url, token, '1.1.1.1')).status;
    };
    const statuses = await Promise.all(Array.from({ length: 30 }, ask));
    expect(statuses.toSorted()).toEqual(Array.from({ length: 30 }, (_, index) => (index < 10 ? 200 : 429)));
    expect((await claiming(cloud.url, other.token, '1.1.1.1')).status).toBe(200);
  });

  test('delays a socket that sends too often, and answers every message', async () => {
    const cloud = await testCloud({ rates: { ...RATES, perUserSecond: 20 } });
    const notes = await newLedger(cloud);
    const client = await socketClient(cloud, notes);
    const answers = await Promise.all(
      Array.from({ length: 220 }, () => client.request('bindGetMeta', about(notes, 'meta', 'GET'))),
    );
    expect(new Set(answers.map(({ type }) => type))).toEqual(new Set(['eventGetMeta']));
  });

  test('limits the new sockets of an address', async () => {
    stopClock();
    const cloud = await testCloud({ rates: { ...RATES, socketsPerAddressMinute: 5 } });
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => rawSocket(cloud)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(tries.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining('429')),
    );
  });
});

describe('[S7] oversized and hostile requests', () => {
  const bombs: readonly [string, string][] = [
    ['a million letters', `"${'x'.repeat(1_000_000)}"`],
    ['lists in lists', '['.repeat(500_000)],
    ['maps in maps', '{"a":'.repeat(200_000)],
    ['closed lists in lists', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
    ['90,000 keys', `{${Array.from({ length: 90_000 }, (_, at) => `"${at}":0`).join()}}`],
    ['half a million numbers', `[${'0,'.repeat(500_000)}0]`],
    ['one long number', '9'.repeat(1_000_000)],
    [
      'keys that every object inherits',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"type":"reqOpen"}',
    ],
  ];

  test.each(bombs)('rejects %s over HTTP and on a socket, and answers the next message', async (_, bomb) => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const { status, body } = await putJson(`${cloud.url}/fp`, bomb);
    expect([400, 500]).toContain(status);
    expect(body).toMatchObject({ type: 'error' });
    const { ask } = await rawSocket(cloud);
    expect(await ask(bomb)).toMatchObject({ type: 'error' });
    const good = requestMessage('reqGestalt', 'z1', notes.token, {});
    expect(await ask(good)).toMatchObject({ type: 'resGestalt', tid: 'z1' });
    expect({}).not.toHaveProperty('polluted');
  });

  test('rejects a body of ten megabytes before reading it', async () => {
    const cloud = await testCloud();
    const { hostname, port } = new URL(cloud.url);
    const headers = { 'content-type': 'application/json', 'content-length': '10000000' };
    const status = await new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: '/fp', method: 'PUT', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      // Sends the headers, and not one byte of the body.
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('offers no compression, and accepts no compressed frames', async () => {
    const cloud = await testCloud();
    const socket = new WebSocket(`${cloud.url.replace('http', 'ws')}/ws`, { perMessageDeflate: true });
    await new Promise((done) => socket.once('open', done));
    expect(socket.extensions).toBe('');
    socket.terminate();
  });

  test('closes a connection whose headers never end', async () => {
    const cloud = await testCloud();
    const { connect } = await import('node:net');
    const { port } = new URL(cloud.url);
    const socket = connect(Number(port), '127.0.0.1');
    const ended = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (data) => (text += String(data)));
      socket.on('close', () => resolve(text));
      socket.on('error', () => undefined);
    });
    socket.write('PUT /fp HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => socket.write('X-A: b\r\n'), 500);
    expect(await ended).toMatch(/^HTTP\/1\.1 408/);
    clearInterval(drip);
  });
});
