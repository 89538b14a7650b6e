import { statfs } from 'node:fs/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
/** Upper bounds of the histograms, in seconds. */
const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

export interface Metrics {
  /** Records an answered request. `route` is one of a few names, never a path. */
  answered(route: string, method: string, status: number, seconds: number): void;
  /**
   * Creates a counter. Returns a function that adds to it.
   * @param initial labels that start at 0. Prometheus can't see an increase from nothing to 1
   */
  counter(
    name: string,
    help: string,
    labels: readonly string[],
    initial?: readonly Labels[],
  ): (labels: Labels, count?: number) => void;
  /** Creates a histogram of seconds. Returns a function that records a value. */
  histogram(name: string, help: string, labels: readonly string[]): (labels: Labels, seconds: number) => void;
  /** Registers a number that is read on each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  text(): Promise<string>;
  readonly contentType: string;
}

/** Collects the Prometheus metrics of one server. */
export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const [registry = new Registry()] = registers;
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'fixpoint_http_requests_total',
    help: 'Requests that were answered',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'fixpoint_http_request_seconds',
    help: 'Time until a request was answered',
    labelNames: ['route'] as const,
    buckets: BUCKETS,
    registers,
  });
  return {
    answered: (route, method, status, took) => {
      requests.inc({ route, method, status: String(status) });
      seconds.observe({ route }, took);
    },
    counter: (name, help, labelNames, initial = []) => {
      const counter = new Counter({ name, help, labelNames: [...labelNames], registers });
      for (const labels of initial) counter.inc(labels, 0);
      return (labels, count = 1) => counter.inc(labels, count);
    },
    histogram: (name, help, labelNames) => {
      const histogram = new Histogram({
        name,
        help,
        labelNames: [...labelNames],
        buckets: BUCKETS,
        registers,
      });
      return (labels, value) => histogram.observe(labels, value);
    },
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Measures the disk of a folder on each scrape. */
export function measureDisk(metrics: Metrics, folder: string): void {
  const read = async () => statfs(folder).catch(() => ({ bavail: 0, blocks: 0, bsize: 0 }));
  metrics.gauge('fixpoint_disk_free_bytes', 'Free bytes on the disk of FIXPOINT_DATA', async () => {
    const { bavail, bsize } = await read();
    return bavail * bsize;
  });
  metrics.gauge('fixpoint_disk_size_bytes', 'Size of the disk of FIXPOINT_DATA', async () => {
    const { blocks, bsize } = await read();
    return blocks * bsize;
  });
}
