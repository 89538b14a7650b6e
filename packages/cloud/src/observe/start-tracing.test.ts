import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from './metrics.ts';
import { startTracing } from './start-tracing.ts';

/** A collector that answers with a status, and notes the names of the spans that it receives. */
async function collectorWith(status: number) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      bodies.push(text);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, bodies };
}

async function tracingTo(url: string | undefined) {
  const metrics = createMetrics();
  const warnings: object[] = [];
  const log = { warn: (...said: object[]) => void warnings.push(said) };
  const tracing = await startTracing(url, '1.2.3', metrics, log as never, () => 0);
  const counted = async () =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith('fixpoint_trace_spans_total{'));
  return { tracing, warnings, counted };
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const SENT = (sent: number, lost: number) => [
  `fixpoint_trace_spans_total{outcome="sent"} ${sent}`,
  `fixpoint_trace_spans_total{outcome="lost"} ${lost}`,
];

test('starts no traces without an address, and shows no measure of them', async () => {
  const { tracing, counted } = await tracingTo(undefined);
  expect([tracing, await counted()]).toEqual([undefined, []]);
});

test('counts the spans that the collector accepts', async () => {
  const { url, bodies } = await collectorWith(200);
  const { tracing, warnings, counted } = await tracingTo(url);
  expect(await counted()).toEqual(SENT(0, 0));
  const root = tracing?.start('PUT /api', {}, {});
  root?.child('SELECT Users', {}, 5).end('failed');
  root?.rename('PUT putMeta');
  root?.end('ok');
  tracing?.start('never ends', {}, {});
  await tracing?.stop();
  expect(await counted()).toEqual(SENT(2, 0));
  expect(bodies.join()).toContain('PUT putMeta');
  expect(bodies.join()).not.toContain('never ends');
  expect(warnings).toEqual([]);
});

test('counts the spans that the collector refuses, and warns without failing', async () => {
  const { url } = await collectorWith(400);
  const { tracing, warnings, counted } = await tracingTo(url);
  tracing?.start('PUT /api', {}, {}).end('ok');
  await expect(tracing?.stop()).resolves.toBeUndefined();
  expect(await counted()).toEqual(SENT(0, 1));
  expect(warnings).toHaveLength(1);
});

test.each([
  ['3', 3],
  ['many', 2048],
  ['0', 2048],
])('counts the spans that find the queue full, with OTEL_BSP_MAX_QUEUE_SIZE=%s', async (size, longest) => {
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '600000');
  vi.stubEnv('OTEL_BSP_MAX_QUEUE_SIZE', size);
  vi.stubEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '5000');
  const { url, bodies } = await collectorWith(200);
  const { tracing, warnings, counted } = await tracingTo(url);
  // The collector receives one full batch, and the queue contains as many spans again.
  for (let n = 0; n < 2 * longest + 4; n += 1) tracing?.start(`span ${n}`, {}, {}).end('ok');
  const excluded = `00-${TRACE}-${SPAN}-00`;
  tracing?.start('excluded', {}, { parent: excluded }).end('ok');
  expect(await counted()).toEqual(SENT(0, 4));
  await tracing?.stop();
  expect(await counted()).toEqual(SENT(2 * longest, 4));
  expect(bodies.join()).not.toContain('excluded');
  expect(JSON.stringify(warnings)).toContain('the queue of spans is full');
  expect(warnings).toHaveLength(1);
});

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, true],
  [`cc-${TRACE}-${SPAN}-01-later`, true],
  [`00-${TRACE}-${SPAN}-01-more`, false],
  [`ff-${TRACE}-${SPAN}-01`, false],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  [`00-${TRACE}-${SPAN}-1`, false],
  [` 00-${TRACE}-${SPAN}-01`, false],
  ['', false],
  [undefined, false],
])('continues the trace of the header %j: %s', async (parent, isContinued) => {
  const { url } = await collectorWith(200);
  const { tracing } = await tracingTo(url);
  const span = tracing?.start('PUT /api', {}, { parent });
  expect(span?.traceId === TRACE).toBe(isContinued);
  expect(span?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
  expect(span?.traceparent).not.toContain(SPAN);
  expect(span?.child('inner', {}).traceId).toBe(span?.traceId);
  await tracing?.stop();
});
