/**
 * Remembers the request that the running code works for, so that log lines and spans carry its id.
 * Work that a request starts, such as mails, still belongs to it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Attributes, Span } from './tracing.ts';

export interface RunningRequest {
  readonly id: string;
  readonly span?: Span | undefined;
}

const running = new AsyncLocalStorage<RunningRequest>();

export const inRequest = <T>(request: RunningRequest, work: () => T): T => running.run(request, work);

/**
 * Returns the function, but outside of any request. A connection opened by one request serves many
 * others, and its errors belong to none of them.
 */
export const outsideRequests =
  <A extends readonly unknown[]>(work: (...args: A) => void): ((...args: A) => void) =>
  (...args) =>
    running.exit(() => work(...args));

/** Returns the fields that name the running request in a log line. */
export function requestFields(): Record<string, string> {
  const request = running.getStore();
  if (request === undefined) return {};
  const { id, span } = request;
  return { requestId: id, ...(span && { traceId: span.traceId }) };
}

/** Adds attributes to the span of the running request. */
export const annotate = (attributes: Attributes): void => running.getStore()?.span?.set(attributes);

/** Returns the headers that make a call to another server a part of the trace. */
export function traceHeaders(): Record<string, string> {
  const span = running.getStore()?.span;
  return span === undefined ? {} : { traceparent: span.traceparent };
}

/** Runs work in a span below the running request's. Without a trace, only runs it. */
export async function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  const request = running.getStore();
  const span = request?.span?.child(name, attributes);
  if (request === undefined || span === undefined) return work();
  let outcome: 'ok' | 'failed' = 'failed';
  try {
    const done = await running.run({ ...request, span }, work);
    outcome = 'ok';
    return done;
  } finally {
    span.end(outcome);
  }
}

/** Records work that has just ended as a span below the running request's. */
export function recordSpan(
  name: () => string,
  attributes: () => Attributes,
  ms: number,
  outcome: 'ok' | 'failed',
): void {
  const span = running.getStore()?.span;
  span?.child(name(), attributes(), Date.now() - ms).end(outcome);
}

const GIVEN = /^[\w.:+/=@-]{1,128}$/;

/**
 * Returns the id of a request: the one that the last trusted proxy chose, if it is well-formed, or
 * a new one. A proxy may append its id to a list, whose other ids may come from the client. Clients
 * can't choose ids, so they can't hide among the lines of other requests. `randomUUID` keeps a
 * supply of random bytes; asking the system for each request took 16 µs.
 */
export function requestIdFrom(header: string | string[] | undefined, isTrusted: boolean): string {
  const last = isTrusted
    ? String(header ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : undefined;
  return last !== undefined && GIVEN.test(last) ? last : randomUUID();
}
