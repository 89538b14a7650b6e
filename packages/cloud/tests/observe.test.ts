/** Tests metrics and readiness, with which operators observe the server. */
import { rm } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { faultyBucket } from '../src/objects/memory-bucket.fixture.ts';
import type { Answer } from '../src/objects/s3.fixture.ts';
import { newPostgresDatabase, POSTGRES } from '../src/tables/postgres.fixture.ts';
import { about, commit, httpClient, newLedger, putJson, socketClient, testCloud } from './cloud.fixture.ts';

const metricsOf = async (url: string) => (await fetch(`${url}/metrics`)).text();
const metricIn = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

describe('the page /metrics', () => {
  test('[R15] contains requests by type, outcome and duration, sockets, followers, queues, events and their delay', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    const follower = await socketClient(cloud, notes);
    await follower.request('bindGetMeta', about(notes, 'meta', 'GET'));
    const { entry } = await commit(writer, notes, 'one');
    await expect
      .poll(() => follower.events.flatMap(({ meta }) => meta.metas.map(({ cid }: { cid: string }) => cid)))
      .toContain(entry.cid);
    await writer.request('reqGetData', about({ ...notes, ledger: 'other' }, 'car', 'GET', 'k'));
    await putJson(`${cloud.url}/fp`, { type: 'made up by somebody', tid: 'z' });
    const text = await metricsOf(cloud.url);
    const requests = 'fixpoint_gateway_requests_total';
    expect({
      put: metricIn(text, `${requests}{type="reqPutMeta",transport="http",outcome="ok"}`),
      bind: metricIn(text, `${requests}{type="bindGetMeta",transport="socket",outcome="ok"}`),
      refused: metricIn(text, `${requests}{type="reqGetData",transport="http",outcome="NOT_FOUND"}`),
      unknown: metricIn(text, `${requests}{type="unknown",transport="http",outcome="REQUEST_INVALID"}`),
      timed: metricIn(text, 'fixpoint_gateway_request_seconds_count{type="reqPutMeta"}'),
      inTenSeconds: metricIn(text, 'fixpoint_gateway_request_seconds_bucket{le="10",type="reqPutMeta"}'),
      sockets: metricIn(text, 'fixpoint_sockets'),
      bindings: metricIn(text, 'fixpoint_bindings'),
      waiting: metricIn(text, 'fixpoint_messages_waiting'),
      uploads: metricIn(text, 'fixpoint_http_requests_total{route="/obj/",method="PUT",status="200"}'),
    }).toEqual({
      put: 1,
      bind: 1,
      refused: 1,
      unknown: 1,
      timed: 1,
      inTenSeconds: 1,
      sockets: 1,
      bindings: 1,
      waiting: 0,
      uploads: 1,
    });
    expect(metricIn(text, 'fixpoint_meta_events_total')).toBeGreaterThan(0);
    expect(metricIn(text, 'fixpoint_meta_delivery_seconds_count')).toBeGreaterThan(0);
    expect(text).toMatch(/^fixpoint_http_request_seconds_bucket\{le="0\.1",route="\/fp"\} \d+$/m);
    // Text of clients must not become a label.
    expect(text).not.toMatch(/made up|other/);
  });

  test.skipIf(POSTGRES === undefined)(
    'contains the connections to PostgreSQL and the delay of the message bus (FIXPOINT_TEST_POSTGRES)',
    async () => {
      vi.useFakeTimers({ toFake: ['setInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const databaseUrl = await newPostgresDatabase();
      const cloud = await testCloud({ databaseUrl, bus: { kind: 'postgres', url: databaseUrl } });
      const read = async (name: string) => metricIn(await metricsOf(cloud.url), name);
      expect(await read('fixpoint_postgres_connections_limit')).toBe(10);
      expect(await read('fixpoint_postgres_connections')).toBeGreaterThan(0);
      expect(await read('fixpoint_postgres_waiting')).toBe(0);
      expect(await read('fixpoint_bus_delay_seconds')).toBe(0);
      vi.advanceTimersByTime(5000);
      await expect.poll(() => read('fixpoint_bus_delay_seconds')).toBeGreaterThan(0);
      const { db } = cloud;
      await db.selectFrom('Users').selectAll().execute();
      expect(await read('fixpoint_ready')).toBe(1);
    },
  );

  test('contains readiness, the disk, and zeros for a single process with SQLite', async () => {
    const cloud = await testCloud({ databaseUrl: undefined, bucket: undefined, bus: { kind: 'local' } });
    const text = await metricsOf(cloud.url);
    expect(metricIn(text, 'fixpoint_ready')).toBe(1);
    expect(metricIn(text, 'fixpoint_disk_free_bytes')).toBeGreaterThan(0);
    expect(metricIn(text, 'fixpoint_disk_size_bytes')).toBeGreaterThan(0);
    for (const name of ['fixpoint_bus_delay_seconds', 'fixpoint_postgres_connections'])
      expect(metricIn(text, name), name).toBe(0);
    await rm(join(cloud.data, 'objects'), { recursive: true });
    await expect.poll(async () => metricIn(await metricsOf(cloud.url), 'fixpoint_ready')).toBe(0);
  });

  test('counts websockets of one user, and websockets that it refuses', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const [first] = [await socketClient(cloud, notes), await socketClient(cloud, notes)];
    await socketClient(cloud, await newLedger(cloud));
    const read = async (name: string) => metricIn(await metricsOf(cloud.url), name);
    expect(await read('fixpoint_sockets_of_one_user')).toBe(2);
    expect(await read('fixpoint_sockets_per_user_limit')).toBe(200);
    first?.close();
    await expect.poll(() => read('fixpoint_sockets_of_one_user')).toBe(1);
    expect(await read('fixpoint_sockets_refused_total{status="404"}')).toBe(0);
    const lost = new WebSocket(`${cloud.url.replace('http', 'ws')}/elsewhere`);
    await new Promise((done) => lost.once('error', done));
    expect(await read('fixpoint_sockets_refused_total{status="404"}')).toBe(1);
  });

  test('[S1] is hidden from web pages whose host name resolves to this machine', async () => {
    const { url } = await testCloud();
    const { port } = new URL(url);
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = get({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.once('error', reject);
      });
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost'])
      expect(await statusFor(host), host).toBe(200);
    for (const host of [
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '192.0.2.1',
    ])
      expect(await statusFor(host), host).toBe(404);
  });
});

describe('readiness', () => {
  const readiness = async (url: string) => (await fetch(`${url}/readyz`)).status;

  test('[R14] reports a server as not ready, but alive, while its bucket fails', async () => {
    let answer: Answer = 'pass';
    const { config } = await faultyBucket(() => answer);
    const cloud = await testCloud({ bucket: config });
    expect(await readiness(cloud.url)).toBe(200);
    for (const fault of [
      { status: 503 },
      'cut',
      { status: 404, body: '<Code>NoSuchBucket</Code>' },
    ] as const) {
      answer = fault;
      await expect.poll(() => readiness(cloud.url)).toBe(503);
      expect((await fetch(`${cloud.url}/healthz`)).status).toBe(200);
      answer = 'pass';
      await expect.poll(() => readiness(cloud.url)).toBe(200);
    }
  });

  test('[R14] reports a server as not ready when its folder of objects is missing', async () => {
    const cloud = await testCloud({ bucket: undefined });
    await rm(join(cloud.data, 'objects'), { recursive: true });
    await expect.poll(() => readiness(cloud.url)).toBe(503);
  });
});
