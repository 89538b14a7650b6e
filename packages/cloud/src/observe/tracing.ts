/** Spans of requests, without the packages that send them. `open-telemetry.ts` implements these. */

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/**
 * A piece of work within a trace. Attributes are a few fixed words and counts, never ids, paths of
 * requests, or content.
 */
export interface Span {
  readonly traceId: string;
  /** The value of the `traceparent` header for calls that belong to this span. */
  readonly traceparent: string;
  /** @param startMs Unix time in milliseconds; now by default */
  child(name: string, attributes: Attributes, startMs?: number): Span;
  rename(name: string): void;
  set(attributes: Attributes): void;
  end(outcome: 'ok' | 'failed'): void;
}

/** The traces that led to a span. */
export interface Cause {
  /** The `traceparent` header of a trusted caller. The span becomes a part of that trace. */
  readonly parent?: string | undefined;
  /** A `traceparent` of another trace that led to this one. */
  readonly link?: string | undefined;
}

export interface Tracing {
  /** Starts the span of a request. Ignores a `traceparent` that isn't well-formed. */
  start(name: string, attributes: Attributes, cause: Cause): Span;
  /** Sends the last spans, for at most two seconds. Never rejects. */
  stop(): Promise<void>;
}
