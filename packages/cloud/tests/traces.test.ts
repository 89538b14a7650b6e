/** Tests that requests become traces, and that the collector never disturbs them. */
import { readdir, readFile } from 'node:fs/promises';
import { requestMessage } from '@fixpoint/protocol/storage';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { faultyBucket } from '../src/objects/memory-bucket.fixture.ts';
import { about, commit, httpClient, newLedger, putJson, socketClient, testCloud } from './cloud.fixture.ts';
import { type Collector, collector, type KeptSpan } from './collector.fixture.ts';
import { identityToken, newPerson } from './person.fixture.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SERVER_KIND = 2;
/** The header that a trusted proxy adds to each request. */
const PROXIED = { 'x-forwarded-for': '192.0.2.1' };

beforeEach(() => void vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20'));

const tracedCloud = async ({ url }: Collector, more = {}) =>
  testCloud({ tracesUrl: `${url}/v1/traces`, ...more });

/** Waits for a span that matches. */
async function spanWhere(kept: Collector, is: (span: KeptSpan) => boolean): Promise<KeptSpan> {
  await expect.poll(() => kept.spans.some(is)).toBe(true);
  return kept.spans.find(is) as KeptSpan;
}

const childrenOf = ({ spans }: Collector, { spanId, traceId }: KeptSpan) =>
  spans.filter((one) => one.parentSpanId === spanId && one.traceId === traceId);

describe('traces', () => {
  test("continues the trace of a trusted proxy, with the request's type, its statements, and no text of them", async () => {
    const kept = await collector();
    const cloud = await tracedCloud(kept, { proxyHops: 1 });
    const ada = await newPerson(cloud.url);
    const body = {
      type: 'reqListTenantsByUser',
      auth: { type: 'fixpoint', token: await identityToken(cloud.url, ada.cookie) },
    };
    const answer = await putJson(`${cloud.url}/api`, body, {
      ...PROXIED,
      traceparent: `00-${TRACE}-${CALLER}-01`,
    });
    expect(answer.status).toBe(200);
    const span = await spanWhere(kept, ({ traceId, kind }) => traceId === TRACE && kind === SERVER_KIND);
    expect(span).toMatchObject({ name: 'PUT /api', parentSpanId: CALLER });
    expect(span.attributes).toEqual({
      'http.request.method': 'PUT',
      'http.route': '/api',
      'http.response.status_code': 200,
      'fixpoint.request.type': 'reqListTenantsByUser',
      'fixpoint.outcome': 'ok',
    });
    const statements = childrenOf(kept, span).filter(({ attributes }) => 'db.system.name' in attributes);
    expect(statements.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['BEGIN', 'SELECT TenantUsers', 'COMMIT']),
    );
    const keys = new Set(statements.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...keys].sort()).toEqual(['db.collection.name', 'db.operation.name', 'db.system.name']);
    expect(kept.paths[0]).toBe('/v1/traces');
    expect(kept.resources[0]).toMatchObject({ 'service.name': 'fixpoint', 'service.version': '0.1.0' });
  });

  test.each([
    ['is malformed', 'nonsense'],
    ['has an id of zeros', `00-${'0'.repeat(32)}-${CALLER}-01`],
    ['has an unknown form of version 00', `00-${TRACE}-${CALLER}-01-more`],
    ['has the forbidden version', `ff-${TRACE}-${CALLER}-01`],
  ])('starts a new trace if traceparent %s', async (_why, traceparent) => {
    const kept = await collector();
    const cloud = await tracedCloud(kept, { proxyHops: 1 });
    await fetch(`${cloud.url}/healthz`, { headers: { ...PROXIED, traceparent } });
    const span = await spanWhere(kept, ({ name }) => name === 'GET /healthz');
    expect(span.traceId).not.toBe(TRACE);
    expect(span.parentSpanId ?? '').toBe('');
  });

  test.each([
    ['01', 'GET /healthz'],
    ['00', 'GET /readyz'],
  ])(
    '[S1] links to the trace of a client with the flags %s, which neither joins nor excludes it',
    async (flags, name) => {
      const kept = await collector();
      const cloud = await tracedCloud(kept);
      const traceparent = `00-${TRACE}-${CALLER}-${flags}`;
      await fetch(`${cloud.url}${name.slice(4)}`, { headers: { ...PROXIED, traceparent } });
      const span = await spanWhere(kept, (one) => one.name === name);
      expect(span.traceId).not.toBe(TRACE);
      expect(span.parentSpanId ?? '').toBe('');
      expect(span.links).toEqual([expect.objectContaining({ traceId: TRACE, spanId: CALLER })]);
    },
  );

  test('records messages and uploads, sends their traces on to the bucket, and contains no ids, names or secrets', async () => {
    const kept = await collector();
    const { config, headers } = await faultyBucket(() => 'pass');
    const cloud = await tracedCloud(kept, { bucket: config });
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    const { entry } = await commit(writer, notes, 'canary-text');
    const follower = await socketClient(cloud, notes);
    await follower.request('bindGetMeta', about(notes, 'meta', 'GET'));
    const put = await spanWhere(
      kept,
      ({ attributes }) => attributes['fixpoint.request.type'] === 'reqPutMeta',
    );
    expect(put.name).toBe('PUT /fp');
    const upload = await spanWhere(kept, ({ name }) => name === 'PUT /obj/');
    const write = await spanWhere(kept, ({ name }) => name === 'objects write');
    expect(write).toMatchObject({ traceId: upload.traceId, parentSpanId: upload.spanId });
    expect(headers.map(({ traceparent }) => traceparent)).toContain(`00-${write.traceId}-${write.spanId}-01`);
    const bound = await spanWhere(
      kept,
      ({ attributes }) => attributes['fixpoint.request.type'] === 'bindGetMeta',
    );
    expect(bound).toMatchObject({ name: 'message /ws', kind: SERVER_KIND });
    const secrets = [
      notes.token,
      notes.tenant,
      notes.ledger,
      notes.userId,
      entry.cid,
      'canary-text',
      'secret',
    ];
    for (const text of kept.texts)
      for (const secret of [...secrets, cloud.url, '127.0.0.1', '/obj/'.padEnd(6, notes.tenant)])
        expect(text.includes(secret), secret).toBe(false);
  });

  test('links the messages of a websocket to the trace that opened it, and marks refusals', async () => {
    const kept = await collector();
    const cloud = await tracedCloud(kept);
    const notes = await newLedger(cloud);
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    const socket = new WebSocket(`${cloud.url.replace('http', 'ws')}/ws`, { headers });
    await new Promise((done) => socket.once('open', done));
    socket.send(JSON.stringify(requestMessage('reqGestalt', 'z1', notes.token, {})));
    const span = await spanWhere(kept, ({ name }) => name === 'message /ws');
    socket.terminate();
    expect(span.traceId).not.toBe(TRACE);
    expect(span.links).toEqual([expect.objectContaining({ traceId: TRACE, spanId: CALLER })]);
    await putJson(`${cloud.url}/fp`, { type: 'made up', tid: 'z' });
    const refused = await spanWhere(
      kept,
      ({ attributes }) => attributes['fixpoint.outcome'] === 'REQUEST_INVALID',
    );
    expect(refused.attributes['fixpoint.request.type']).toBe('unknown');
  });

  test('sends the last spans when the server stops, and nothing for requests that a proxy excludes', async () => {
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '600000');
    const kept = await collector();
    const cloud = await tracedCloud(kept, { proxyHops: 1 });
    await fetch(`${cloud.url}/healthz`);
    await fetch(`${cloud.url}/readyz`, { headers: { ...PROXIED, traceparent: `00-${TRACE}-${CALLER}-00` } });
    await cloud.stop();
    expect(kept.spans.map(({ name }) => name)).toContain('GET /healthz');
    expect(kept.spans.map(({ name }) => name)).not.toContain('GET /readyz');
  });
});

describe('a collector that fails', () => {
  const lost = async (url: string) =>
    /^fixpoint_trace_spans_total\{outcome="lost"\} (\d+)$/m.exec(
      await (await fetch(`${url}/metrics`)).text(),
    )?.[1];

  test.each<[string, () => Promise<string>]>([
    ['listens on no port', async () => 'http://127.0.0.1:1'],
    ['never answers', async () => (await collector(false)).url],
  ])('never disturbs requests if it %s', async (_what, start) => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '200');
    const url = await start();
    const cloud = await testCloud({ tracesUrl: `${url}/v1/traces` });
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    const { entry } = await commit(writer, notes, 'one');
    const follower = await socketClient(cloud, notes);
    await follower.request('bindGetMeta', about(notes, 'meta', 'GET'));
    await expect
      .poll(() => follower.events.flatMap(({ meta }) => meta.metas.map(({ cid }: { cid: string }) => cid)))
      .toContain(entry.cid);
    await expect.poll(() => lost(cloud.url)).not.toBe('0');
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async () => (await fetch(`${cloud.url}/healthz`)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    // Ends although the last spans can't be sent.
    await cloud.stop();
  });
});

test('stops although the collector keeps the last spans waiting', async () => {
  const forever = '3600000';
  for (const name of ['OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_BSP_EXPORT_TIMEOUT']) vi.stubEnv(name, forever);
  const { url, texts } = await collector(false);
  const cloud = await testCloud({ tracesUrl: `${url}/v1/traces` });
  await fetch(`${cloud.url}/healthz`);
  await expect.poll(() => texts.length).toBeGreaterThan(0);
  await fetch(`${cloud.url}/healthz`);
  await cloud.stop();
});

test('loads the packages of OpenTelemetry only through one dynamic import', async () => {
  const folder = new URL('../src/', import.meta.url);
  const names = await readdir(folder, { recursive: true });
  const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const texts = await Promise.all(sources.map((name) => readFile(new URL(name, folder), 'utf8')));
  const using = (text: RegExp) => sources.filter((_, at) => text.test(texts[at] ?? ''));
  expect(using(/@opentelemetry\//)).toEqual(['observe/open-telemetry.ts']);
  expect(using(/open-telemetry\.ts'/)).toEqual(['observe/start-tracing.ts']);
  expect(using(/await import\('\.\/open-telemetry\.ts'\)/)).toEqual(['observe/start-tracing.ts']);
});
