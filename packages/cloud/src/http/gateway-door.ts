/**
 * The HTTP entry point of the gateway. Because the gateway receives many small requests, this file
 * uses the request and response objects of Node, and sends each response in one write. Web
 * `Request` and `Response` objects would cost more time than handling the message.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STORAGE_PATH } from '@fixpoint/protocol';
import { CAPABILITIES } from '@fixpoint/protocol/storage';
import type { Carrier } from '../gateway/carriers/carrier.ts';
import type { HttpClient } from '../gateway/carriers/http-connections.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { refusalAnswer, statusOf } from '../gateway/refusal-answer.ts';
import { GATEWAY_BODY_BYTES_MAX } from '../limits/body-limits.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Origins } from './origins.ts';
import { readNodeJson } from './read-json.ts';
import type { SecurityHeaders } from './security-headers.ts';

export interface DoorParts {
  readonly gateway: Gateway;
  /** Creates the carrier for one HTTP request and its response. */
  readonly carrierFor: (client: HttpClient) => Carrier;
  /** The address that a request comes from. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** The host that a request went to. */
  readonly hostOf: (request: IncomingMessage) => string | undefined;
  readonly origins: Origins;
  readonly headers: SecurityHeaders;
  readonly metrics: Pick<Metrics, 'answered'>;
  readonly report: (error: unknown) => void;
  readonly now: () => number;
}

/** Handles a request to the gateway and returns true. Returns false for other requests. */
export type Door = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function gatewayDoor(parts: DoorParts): Door {
  const { gateway, carrierFor, addressOf, hostOf, origins, headers, metrics, report, now } = parts;

  async function replyTo(request: IncomingMessage, query: string, host: string | undefined): Promise<Reply> {
    const body = await readNodeJson(request, GATEWAY_BODY_BYTES_MAX);
    if ('refused' in body) return { ...body.refused, headers: { connection: 'close' } };
    const capabilities = query === '' ? undefined : capabilitiesIn(query);
    const carrier = carrierFor({ origin: origins.baseOf(host), address: addressOf(request), capabilities });
    const { answer } = await gateway(body.value, carrier);
    const { retryAfter } = answer;
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return { status: statusOf(answer), body: answer, headers };
  }

  function send(response: ServerResponse, cors: Record<string, string>, reply: Reply): void {
    const text = JSON.stringify(reply.body);
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers.ofAnswer,
      ...cors,
      ...reply.headers,
    });
    response.end(text);
  }

  async function exchange(request: IncomingMessage, response: ServerResponse, query: string) {
    const start = now();
    const host = hostOf(request);
    const reply = await replyTo(request, query, host).catch((cause: unknown) => {
      report(cause);
      return { status: 500, body: refusalAnswer(undefined, cause) };
    });
    send(response, origins.cors(request.headers.origin, host), reply);
    metrics.answered(STORAGE_PATH, 'PUT', reply.status, (now() - start) / 1000);
  }

  return (request, response) => {
    const { method, url = '' } = request;
    if (method !== 'PUT' || !url.startsWith(STORAGE_PATH)) return false;
    const rest = url.slice(STORAGE_PATH.length);
    if (rest !== '' && !rest.startsWith('?')) return false;
    exchange(request, response, rest).catch(report);
    return true;
  };
}

/** Returns the requested capabilities that this server knows; undefined means all. */
function capabilitiesIn(query: string): readonly string[] | undefined {
  const asked = new URLSearchParams(query).get('capabilities')?.split(',');
  const known = CAPABILITIES.filter((each) => asked?.includes(each));
  return known.length > 0 ? known : undefined;
}
