import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordedTracing } from '../observe/recorded-span.fixture.ts';
import { requestFields } from '../observe/running-request.ts';
import { createRequestEntry, type EntryParts } from './request-entry.ts';
import { methodOf, routeOf } from './route-names.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves requests through an entry. Returns the lines that it logs once a response has ended. */
async function serve(handle: Handle, parts: Partial<EntryParts> = {}, isLogged = true) {
  const lines: object[] = [];
  let clock = 0;
  const entry = createRequestEntry({
    hops: 1,
    tracing: undefined,
    log: {
      isLevelEnabled: () => isLogged,
      debug: (fields: object) => void lines.push({ ...fields, ...requestFields() }),
    },
    now: () => (clock += 5),
    ...parts,
  });
  const server = createServer((request, response) =>
    entry.begin(request, response, () => handle(request, response)),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { readonly port: number };
  return { entry, lines, port, url: `http://127.0.0.1:${port}` };
}

/** The header that a trusted proxy adds to each request. */
const PROXIED = { 'x-forwarded-for': '192.0.2.1' };

const answering =
  (status: number): Handle =>
  (_, response) =>
    void response.writeHead(status).end('x');

describe('the entry of requests', () => {
  test('answers with the id that the handler works under, and logs route, status and time', async () => {
    const seen: object[] = [];
    const { url, lines } = await serve((_, response) => {
      seen.push(requestFields());
      response.end();
    });
    const answer = await fetch(`${url}/obj/secret-id?key=secret`, {
      headers: { ...PROXIED, 'x-request-id': 'r1' },
    });
    expect(answer.headers.get('x-request-id')).toBe('r1');
    expect(seen).toEqual([{ requestId: 'r1' }]);
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines).toEqual([{ method: 'GET', route: '/obj/', status: 200, ms: 5, requestId: 'r1' }]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('logs nothing at a higher level, but still chooses an id', async () => {
    const { url, lines } = await serve(answering(204), {}, false);
    const { headers } = await fetch(url);
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    await fetch(url);
    expect(lines).toEqual([]);
  });

  test.each([
    [200, 'ok'],
    [404, 'ok'],
    [499, 'ok'],
    [500, 'failed'],
    [503, 'failed'],
  ])('ends the span of an answer with status %i as %s', async (status, outcome) => {
    const { events, started, tracing } = recordedTracing();
    const { url } = await serve(answering(status), { tracing }, false);
    await fetch(`${url}/api`, { method: 'PUT', headers: { ...PROXIED, traceparent: 'from-caller' } });
    await expect.poll(() => events).toHaveLength(3);
    expect(events).toEqual([
      'start PUT /api',
      `PUT /api {"http.response.status_code":${status}}`,
      `PUT /api ${outcome}`,
    ]);
    expect(started).toEqual([
      {
        attributes: { 'http.request.method': 'PUT', 'http.route': '/api' },
        cause: { parent: 'from-caller' },
      },
    ]);
  });

  test.each([
    ['without a trusted proxy', 0, PROXIED],
    ['of a request that bypassed the proxy', 1, {}],
    ['of a request that bypassed one of two proxies', 2, PROXIED],
  ])('[S1] links to the trace %s, and chooses the id itself', async (_what, hops, headers) => {
    const { started, tracing } = recordedTracing();
    const { url } = await serve(answering(200), { tracing, hops }, false);
    const answer = await fetch(url, {
      headers: { ...headers, traceparent: 'from-client', 'x-request-id': 'chosen' },
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    expect(started.map(({ cause }) => cause)).toEqual([{ link: 'from-client' }]);
  });

  test("[S1] uses the last proxy's id, although the client sent another one", async () => {
    const { url, port } = await serve(answering(204), {}, false);
    const { headers } = await fetch(url, { headers: { ...PROXIED, 'x-request-id': 'of-client, of-proxy' } });
    expect(headers.get('x-request-id')).toBe('of-proxy');
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const lines = ['X-Forwarded-For: 192.0.2.1', 'X-Request-Id: of-client', 'x-request-id: of-proxy'];
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`);
    const [text] = await new Promise<string[]>((done) => socket.once('data', (part) => done([String(part)])));
    expect(text).toMatch(/x-request-id: of-proxy\r\n/i);
    expect(text).not.toContain('of-client');
  });

  test('marks the span of an answer that the client did not wait for', async () => {
    const { events, tracing } = recordedTracing();
    const { port } = await serve((_, response) => void response.writeHead(200).write('begin'), { tracing });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await new Promise((done) => socket.once('data', done));
    socket.destroy();
    await expect.poll(() => events.length).toBe(3);
    expect(events[1]).toBe('GET page {"http.response.status_code":200,"fixpoint.cut":true}');
  });

  test('opens a websocket under its id, and passes on the trace of the caller, but begins no span', () => {
    const { events, tracing } = recordedTracing();
    const log = { isLevelEnabled: () => true, debug: () => undefined };
    const entryOf = (hops: number) => createRequestEntry({ hops, tracing, log, now: () => 0 });
    const opened: object[] = [];
    const headers = { ...PROXIED, 'x-request-id': 'r1', traceparent: 'from-caller' };
    for (const hops of [1, 0])
      entryOf(hops).beginSocket({ headers } as unknown as IncomingMessage, (entry) =>
        opened.push({ ...entry, ...requestFields() }),
      );
    entryOf(1).beginSocket({ headers: {} } as IncomingMessage, (entry) => opened.push(entry));
    const own = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(opened).toEqual([
      { requestId: 'r1', traceparent: 'from-caller' },
      { requestId: own, traceparent: 'from-caller' },
      { requestId: own, traceparent: undefined },
    ]);
    expect(events).toEqual([]);
  });

  test('takes no list of traces as a trace', () => {
    const opened: unknown[] = [];
    createRequestEntry({
      hops: 1,
      tracing: undefined,
      log: { isLevelEnabled: () => false, debug: () => undefined },
      now: () => 0,
    }).beginSocket({ headers: { traceparent: ['a', 'b'] } } as unknown as IncomingMessage, (entry) =>
      opened.push(entry.traceparent),
    );
    expect(opened).toEqual([undefined]);
  });
});

describe('names of routes and methods', () => {
  test.each([
    ['/api', '/api'],
    ['/api/app', '/api'],
    ['/obj/abc', '/obj/'],
    ['/obj', 'page'],
    ['/healthz', '/healthz'],
    ['/.well-known/openid-configuration', '/.well-known/'],
    ['/fp/cloud/tenants/zSecret', 'page'],
    ['/', 'page'],
    ['', 'page'],
    ['/__proto__', 'page'],
    ['/constructor', 'page'],
    ['/API', 'page'],
  ])('calls %j %j', (path, route) => {
    expect(routeOf(path)).toBe(route);
  });

  test.each([
    ['GET', 'GET'],
    ['PATCH', 'PATCH'],
    ['get', 'OTHER'],
    ['PROPFIND', 'OTHER'],
    ['constructor', 'OTHER'],
    ['', 'OTHER'],
    [undefined, 'OTHER'],
  ])('counts the method %j as %s', (method, name) => {
    expect(methodOf(method)).toBe(name);
  });
});
