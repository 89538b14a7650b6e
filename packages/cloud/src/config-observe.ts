import { FixpointError, urlOf } from '@fixpoint/protocol';

type Environment = Readonly<Record<string, string | undefined>>;

const refuse = (why: string): never => {
  throw new FixpointError('CONFIG_INVALID', why);
};

/**
 * Returns the address that traces are posted to; undefined without an OpenTelemetry endpoint.
 * @throws FixpointError CONFIG_INVALID
 */
export function tracesUrlFrom(env: Environment): string | undefined {
  const ofTraces = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (env['OTEL_SDK_DISABLED'] === 'true' || (!ofTraces && !base)) return undefined;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol && !protocol.startsWith('http/'))
    return refuse(`OTEL_EXPORTER_OTLP_PROTOCOL=${protocol} must be http/json or http/protobuf, or not set`);
  if (ofTraces) return addressFrom('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ofTraces);
  return `${addressFrom('OTEL_EXPORTER_OTLP_ENDPOINT', base ?? '').replace(/\/$/, '')}/v1/traces`;
}

/** The address isn't part of the message, because it may contain a password. */
function addressFrom(name: string, text: string): string {
  const url = urlOf(text);
  return url !== undefined && /^https?:$/.test(url.protocol)
    ? url.href
    : refuse(`${name} must be an http or https address, such as http://localhost:4318`);
}
