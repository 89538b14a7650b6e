/**
 * Sends spans to an OpenTelemetry collector. Loaded only if an endpoint is set. The provider isn't
 * registered globally, so that libraries send no spans of their own.
 */
import { randomUUID } from 'node:crypto';
import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Span as TelemetrySpan,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Span, Tracing } from './tracing.ts';

const STOP_MS = 2000;
/** As in the specification of OpenTelemetry. */
const QUEUE_DEFAULT = 2048;

export interface TelemetryParts {
  /** The address that spans are posted to. */
  readonly url: string;
  readonly version: string;
  /** Called after each attempt to send spans, and for each span that found the queue full. */
  readonly onExport: (spans: number, error: unknown) => void;
}

export function openTelemetry({ url, version, onExport }: TelemetryParts): Tracing {
  const own = resourceFromAttributes({
    'service.name': 'fixpoint',
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  const provider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [watchedQueue(new OTLPTraceExporter({ url }), onExport)],
  });
  const tracer = provider.getTracer('fixpoint', version);
  return {
    start: (name, attributes, { parent, link }) => {
      const linked = contextOf(link);
      const options: SpanOptions = {
        kind: SpanKind.SERVER,
        attributes: { ...attributes },
        ...(linked && { links: [{ context: linked }] }),
      };
      return spanOf(tracer, tracer.startSpan(name, options, below(contextOf(parent))));
    },
    stop: async () => {
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_MS);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), tooLate]);
      clearTimeout(timer);
    },
  };
}

/**
 * Returns the queue in front of an exporter, and reports each attempt to send spans. Also reports
 * spans that find the queue full, which the queue itself would drop without telling anybody.
 */
function watchedQueue(exporter: SpanExporter, onExport: TelemetryParts['onExport']): SpanProcessor {
  const longest = Number(process.env['OTEL_BSP_MAX_QUEUE_SIZE']);
  const maxQueueSize = Number.isSafeInteger(longest) && longest > 0 ? longest : QUEUE_DEFAULT;
  let waiting = 0;
  const watched: SpanExporter = {
    export: (spans, done) => {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        onExport(spans.length, result.code === 0 ? undefined : (result.error ?? new Error('failed')));
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
  const queue = new BatchSpanProcessor(watched, { maxQueueSize });
  return {
    onStart: (span, parent) => queue.onStart(span, parent),
    onEnd: (span) => {
      if ((span.spanContext().traceFlags & 1) === 0) return;
      if (waiting >= maxQueueSize) return onExport(1, new Error('the queue of spans is full'));
      waiting += 1;
      queue.onEnd(span);
    },
    forceFlush: () => queue.forceFlush(),
    shutdown: () => queue.shutdown(),
  };
}

function spanOf(tracer: Tracer, span: TelemetrySpan): Span {
  const own = span.spanContext();
  return {
    traceId: own.traceId,
    traceparent: `00-${own.traceId}-${own.spanId}-${own.traceFlags.toString(16).padStart(2, '0')}`,
    child: (name, attributes, startMs) => {
      const options: SpanOptions = {
        kind: SpanKind.CLIENT,
        attributes: { ...attributes },
        ...(startMs !== undefined && { startTime: startMs }),
      };
      return spanOf(tracer, tracer.startSpan(name, options, below(own)));
    },
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes({ ...attributes }),
    end: (outcome) => {
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const below = (parent: SpanContext | undefined): Context =>
  parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses a `traceparent` header of W3C Trace Context, also of later versions. */
function contextOf(header: string | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
