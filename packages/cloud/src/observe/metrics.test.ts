import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { watchGateway } from './gateway-watch.ts';
import { createMetrics, measureDisk } from './metrics.ts';
import { recordedSpan } from './recorded-span.fixture.ts';
import { inRequest } from './running-request.ts';

/** Returns the lines of metrics whose names begin so. */
const linesOf = async ({ text }: { text(): Promise<string> }, name: string) =>
  (await text()).split('\n').filter((line) => line.startsWith(name));

describe('metrics', () => {
  test('counts answered requests by route, method and status, and measures their time', async () => {
    const metrics = createMetrics();
    metrics.answered('/api', 'PUT', 200, 0.004);
    metrics.answered('/api', 'PUT', 200, 3);
    metrics.answered('/api', 'PUT', 429, 0.1);
    expect(await linesOf(metrics, 'fixpoint_http_requests_total{')).toEqual([
      'fixpoint_http_requests_total{route="/api",method="PUT",status="200"} 2',
      'fixpoint_http_requests_total{route="/api",method="PUT",status="429"} 1',
    ]);
    expect(await linesOf(metrics, 'fixpoint_http_request_seconds_bucket{')).toEqual(
      [0, 1, 1, 2, 2, 2, 3, 3].map((count, at) => {
        const bound = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, '+Inf'][at];
        return `fixpoint_http_request_seconds_bucket{le="${bound}",route="/api"} ${count}`;
      }),
    );
  });

  test('shows counters from 0, so that the first event is an increase', async () => {
    const metrics = createMetrics();
    const count = metrics.counter('events_total', 'Events', ['kind'], [{ kind: 'a' }, { kind: 'b' }]);
    expect(await linesOf(metrics, 'events_total')).toEqual([
      'events_total{kind="a"} 0',
      'events_total{kind="b"} 0',
    ]);
    count({ kind: 'a' });
    count({ kind: 'a' }, 5);
    expect(await linesOf(metrics, 'events_total{kind="a"}')).toEqual(['events_total{kind="a"} 6']);
  });

  test('reads a number again on each scrape, also one that takes time', async () => {
    const metrics = createMetrics();
    let reads = 0;
    metrics.gauge('now_reads', 'Reads', () => ++reads);
    metrics.gauge('later_reads', 'Reads', async () => reads * 10);
    expect(await linesOf(metrics, 'now_reads')).toEqual(['now_reads 1']);
    expect(await linesOf(metrics, 'later_reads')).toEqual(['later_reads 20']);
  });

  test('keeps the servers of a process apart', async () => {
    const [one, two] = [createMetrics(), createMetrics()];
    one.answered('/api', 'PUT', 200, 1);
    expect(await linesOf(two, 'fixpoint_http_requests_total{')).toEqual([]);
    expect(await linesOf(two, 'process_cpu_seconds_total')).toHaveLength(1);
  });

  test('escapes labels, so that none can forge a line', async () => {
    const metrics = createMetrics();
    metrics.answered('a"\n\\b', 'GET', 200, 1);
    expect(await linesOf(metrics, 'fixpoint_http_requests_total{')).toEqual([
      'fixpoint_http_requests_total{route="a\\"\\n\\\\b",method="GET",status="200"} 1',
    ]);
  });

  test('measures the disk of a folder, and reports 0 once the folder is gone', async () => {
    const numberOf = async (folder: string, name: string) => {
      const metrics = createMetrics();
      measureDisk(metrics, folder);
      return Number((await linesOf(metrics, `fixpoint_disk_${name}_bytes `))[0]?.split(' ')[1]);
    };
    const [free, size] = [await numberOf(tmpdir(), 'free'), await numberOf(tmpdir(), 'size')];
    expect(free).toBeGreaterThan(0);
    expect(size).toBeGreaterThanOrEqual(free);
    const missing = join(tmpdir(), 'fixpoint-no-such-folder');
    expect([await numberOf(missing, 'free'), await numberOf(missing, 'size')]).toEqual([0, 0]);
  });
});

describe('measures of the gateway', () => {
  test('counts messages by type, way and outcome, and names type and outcome in their trace', async () => {
    const metrics = createMetrics();
    const watch = watchGateway(metrics);
    const events: string[] = [];
    inRequest({ id: 'one', span: recordedSpan('root', events) }, () =>
      watch.answered('putMeta', 'socket', 'ok', 0.01),
    );
    watch.answered('putMeta', 'socket', 'FORBIDDEN', 0.01);
    watch.answered('putMeta', 'http', 'ok', 0.01);
    expect((await linesOf(metrics, 'fixpoint_gateway_requests_total{')).toSorted()).toEqual([
      'fixpoint_gateway_requests_total{type="putMeta",transport="http",outcome="ok"} 1',
      'fixpoint_gateway_requests_total{type="putMeta",transport="socket",outcome="FORBIDDEN"} 1',
      'fixpoint_gateway_requests_total{type="putMeta",transport="socket",outcome="ok"} 1',
    ]);
    expect(await linesOf(metrics, 'fixpoint_gateway_request_seconds_count')).toEqual([
      'fixpoint_gateway_request_seconds_count{type="putMeta"} 3',
    ]);
    expect(events).toEqual(['root {"fixpoint.request.type":"putMeta","fixpoint.outcome":"ok"}']);
  });

  test('counts all events of a delivery, but its time once', async () => {
    const metrics = createMetrics();
    const watch = watchGateway(metrics);
    watch.delivered(250, 0.05);
    watch.delivered(1, 0.01);
    expect(await linesOf(metrics, 'fixpoint_meta_events_total ')).toEqual(['fixpoint_meta_events_total 251']);
    expect(await linesOf(metrics, 'fixpoint_meta_delivery_seconds_count')).toEqual([
      'fixpoint_meta_delivery_seconds_count 2',
    ]);
  });

  test('shows every reason for which sockets are closed, before it first happens', async () => {
    const metrics = createMetrics();
    const watch = watchGateway(metrics);
    watch.cut('flood');
    const counts = (await linesOf(metrics, 'fixpoint_sockets_cut_total{')).map(
      (line) => line.split('reason=')[1],
    );
    expect(counts).toEqual([
      '"access lost"} 0',
      '"not reading"} 0',
      '"silent"} 0',
      '"flood"} 1',
      '"never opened"} 0',
    ]);
  });
});
