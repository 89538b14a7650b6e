import { expect, test } from 'vitest';
import { tracesUrlFrom } from './config-observe.ts';

test('sends no traces without an endpoint, or if OpenTelemetry is disabled', () => {
  expect(tracesUrlFrom({})).toBeUndefined();
  expect(tracesUrlFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
  const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_SDK_DISABLED: 'true' };
  expect(tracesUrlFrom(disabled)).toBeUndefined();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, 'http://localhost:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/in/' }, 'https://otel.example/in/v1/traces'],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:9/here',
    },
    'http://localhost:9/here',
  ],
])('reads the endpoint %j', (env, url) => {
  expect(tracesUrlFrom({ ...env, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })).toBe(url);
});

test('rejects other protocols and addresses, and never prints an address', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  expect(() => tracesUrlFrom(env)).toThrow('OTEL_EXPORTER_OTLP_PROTOCOL=grpc must be http/json');
  for (const odd of ['localhost:4318', 'secret words', 'ftp://user:secret@x'])
    expect(() => tracesUrlFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: odd })).toThrow(
      /^(?!.*secret).*OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address/,
    );
});
