/** An OpenTelemetry collector that keeps the spans that it receives as OTLP/HTTP with JSON. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly boolValue?: boolean;
}
type Fields = readonly { readonly key: string; readonly value: Value }[];

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Fields;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Fields };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export interface KeptSpan extends Omit<SentSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly url: string;
  readonly spans: KeptSpan[];
  /** Everything that arrived, as text. */
  readonly texts: string[];
  readonly paths: string[];
  readonly headers: IncomingHttpHeaders[];
  readonly resources: Readonly<Record<string, unknown>>[];
}

const recordOf = (fields: Fields) =>
  Object.fromEntries(fields.map(({ key, value }) => [key, Object.values(value)[0]]));

const reject = (response: ServerResponse) =>
  new Promise<void>((done) => {
    response.once('close', () => done());
    response.writeHead(400).end();
  });

/** @param answers whether the collector ever answers */
export async function collector(answers = true): Promise<Collector> {
  const kept: Omit<Collector, 'url'> = { spans: [], texts: [], paths: [], headers: [], resources: [] };
  const waiting: ServerResponse[] = [];
  let isOver = false;
  const server = createServer((asked, response) => {
    let text = '';
    asked.on('data', (part) => (text += String(part)));
    asked.on('end', () => {
      kept.paths.push(asked.url ?? '');
      kept.headers.push(asked.headers);
      kept.texts.push(text);
      for (const { resource, scopeSpans } of (JSON.parse(text) as Sent).resourceSpans) {
        kept.resources.push(recordOf(resource.attributes));
        for (const span of scopeSpans.flatMap(({ spans }) => spans))
          kept.spans.push({ ...span, attributes: recordOf(span.attributes) });
      }
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      else if (isOver) response.writeHead(400).end();
      else waiting.push(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(async () => {
    isOver = true;
    // A connection that breaks would be tried again for seconds, and disturb the next test file.
    await Promise.all(waiting.filter(({ closed }) => !closed).map(reject));
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...kept };
}
