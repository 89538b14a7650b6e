import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  /** A request was answered. `route` is one of few names, never a path. */
  answered(route: string, method: string, status: number, seconds: number): void;
  /** A number that is read when somebody looks. */
  gauge(name: string, help: string, read: () => number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

/** Numbers for Prometheus, of one server. */
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
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  });
  return {
    answered: (route, method, status, took) => {
      requests.inc({ route, method, status: String(status) });
      seconds.observe({ route }, took);
    },
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
