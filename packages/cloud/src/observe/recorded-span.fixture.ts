import type { Span, Tracing } from './tracing.ts';

/** Returns a span that notes what happens to it and to its children. */
export function recordedSpan(name: string, events: string[]): Span {
  return {
    traceId: 't1',
    traceparent: `00-t1-${name}-01`,
    child: (child) => {
      events.push(`${name} > ${child}`);
      return recordedSpan(child, events);
    },
    rename: (to) => void events.push(`${name} is ${to}`),
    set: (attributes) => void events.push(`${name} ${JSON.stringify(attributes)}`),
    end: (outcome) => void events.push(`${name} ${outcome}`),
  };
}

/** Returns traces whose spans note what happens to them, and what each of them was started with. */
export function recordedTracing() {
  const events: string[] = [];
  const started: { readonly attributes: object; readonly cause: object }[] = [];
  const tracing: Tracing = {
    start: (name, attributes, cause) => {
      started.push({ attributes, cause });
      events.push(`start ${name}`);
      return recordedSpan(name, events);
    },
    stop: async () => undefined,
  };
  return { events, started, tracing };
}
