import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

/** Failures of the collector are logged at most once in this time. */
const QUIET_MS = 60_000;

/** Opens the traces. Without an address, loads nothing and returns undefined. */
export async function startTracing(
  url: string | undefined,
  version: string,
  metrics: Metrics,
  log: Pick<Log, 'warn'>,
  now: () => number,
): Promise<Tracing | undefined> {
  if (url === undefined) return undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  const count = metrics.counter(
    'fixpoint_trace_spans_total',
    'Spans that were sent to the collector, or lost',
    ['outcome'],
    [{ outcome: 'sent' }, { outcome: 'lost' }],
  );
  let said = Number.NEGATIVE_INFINITY;
  return openTelemetry({
    url,
    version,
    onExport: (spans, error) => {
      count({ outcome: error === undefined ? 'sent' : 'lost' }, spans);
      if (error === undefined || now() - said < QUIET_MS) return;
      said = now();
      // Only these: the answer of a collector is long, and may repeat the headers of the request.
      const { message, code } = error as Error & { readonly code?: unknown };
      log.warn({ err: { message, code } }, 'the trace collector does not accept spans');
    },
  });
}
