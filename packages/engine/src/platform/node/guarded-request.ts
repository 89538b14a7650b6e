/**
 * Sends requests to URLs that came from a server. A malicious server could send the URL of a
 * service on this device that trusts every local client, redirect to such a service, or send an
 * endless response. `fetch` can't check the address that it connects to, so these requests use
 * `node:http`.
 */
import { lookup as dnsLookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { concatBytes } from '../../base/bytes.ts';
import { timeoutError } from '../../base/timeout-error.ts';
import type { NetworkRequest, NetworkResponse } from '../../ports/network.ts';

type Addresses = readonly { readonly address: string; readonly family: number }[];
export type Lookup = (host: string) => Promise<Addresses>;
type Guarded = NetworkRequest & { readonly base: URL };

export const systemLookup: Lookup = (host) => dnsLookup(host, { all: true });

const KINDS = {
  loopback: blocked(['127.0.0.0', 8], ['0.0.0.0', 8], ['::', 127]),
  'link-local': blocked(['169.254.0.0', 16], ['fe80::', 10]),
};
type Kind = keyof typeof KINDS;

/**
 * Returns a function that sends a request to a URL from a server, and checks the URL and the
 * response.
 * @throws FixpointError FETCH, TIMEOUT; FORBIDDEN, UNEXPECTED_RESPONSE or LIMIT_REACHED for a URL
 * or response that no server may send
 */
export function guardedRequests(lookup: Lookup): (asked: Guarded) => Promise<NetworkResponse> {
  return async (asked) => {
    const url = urlIn(asked);
    try {
      await refuse(literalOf(url), asked.base, url, lookup);
      return await sendTimed(asked, url, checkedLookup(asked.base, url, lookup));
    } catch (cause) {
      if (isFixpointError(cause)) throw cause;
      throw new FixpointError('FETCH', cause instanceof Error ? cause.message : String(cause), { cause });
    }
  };
}

function urlIn({ url: text }: Guarded): URL {
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  } catch {
    // The error is thrown below.
  }
  throw new FixpointError('FORBIDDEN', 'the server named a URL that is not one of HTTP');
}

/** Returns the IP address in a URL, or an empty list when the URL has a host name. */
function literalOf({ hostname }: URL): readonly string[] {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? [] : [address];
}

/**
 * Rejects addresses of this device or its local link, unless the base URL has the same origin or an
 * address of the same kind.
 * @throws FixpointError FORBIDDEN
 */
async function refuse(addresses: readonly string[], base: URL, url: URL, lookup: Lookup): Promise<void> {
  const kinds = new Set(addresses.flatMap((address) => kindOf(address) ?? []));
  if (kinds.size === 0 || url.origin === base.origin) return;
  const [literal = await lookup(base.hostname)] = literalOf(base);
  const own = typeof literal === 'string' ? [literal] : literal.map(({ address }) => address);
  const ofBase = new Set(own.map(kindOf));
  for (const kind of kinds)
    if (!ofBase.has(kind))
      throw new FixpointError('FORBIDDEN', `the server named the ${kind} address of ${url.host}`);
}

/**
 * Looks up and checks the addresses that the connection then uses, so that the name can't resolve
 * to other addresses between the check and the connection.
 */
const checkedLookup =
  (base: URL, url: URL, lookup: Lookup): LookupFunction =>
  (host, { all }, done) => {
    const find = async () => {
      const found = await lookup(host);
      await refuse(
        found.map(({ address }) => address),
        base,
        url,
        lookup,
      );
      return found;
    };
    find().then(
      (found) => {
        const [first] = found;
        if (all === true) done(null, [...found]);
        else done(null, first?.address ?? '', first?.family);
      },
      (cause: Error) => done(cause, ''),
    );
  };

async function sendTimed(asked: Guarded, url: URL, lookup: LookupFunction): Promise<NetworkResponse> {
  const { timeoutMs, signal } = asked;
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), timeoutMs);
  };
  const either = signal === undefined ? silence.signal : AbortSignal.any([silence.signal, signal]);
  try {
    wait();
    const response = await send(asked, url, lookup, either);
    return { status: response.statusCode ?? 0, body: await readBody(response, wait) };
  } catch (cause) {
    if (silence.signal.aborted) throw timeoutError(timeoutMs, cause);
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

async function send(
  { method, headers = {}, body }: Guarded,
  url: URL,
  lookup: LookupFunction,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  for (;;) {
    const sent = request(url, { method, headers, lookup, signal });
    try {
      return await new Promise((resolve, reject) => {
        sent.on('response', resolve).on('error', reject).end(body);
      });
    } catch (cause) {
      // The server closed an idle connection. Send the request again.
      const isStale = sent.reusedSocket && (cause as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (!isStale) throw cause;
    }
  }
}

async function readBody(response: IncomingMessage, onPart: () => void): Promise<Uint8Array> {
  const { statusCode = 0, headers } = response;
  const refuseBody = (error: FixpointError) => {
    response.destroy();
    return error;
  };
  if (statusCode >= 300 && statusCode < 400)
    throw refuseBody(new FixpointError('UNEXPECTED_RESPONSE', `a redirect with status ${statusCode}`));
  const tooLong = () =>
    refuseBody(new FixpointError('LIMIT_REACHED', `an object of more than ${LIMITS.objectBytesMax} bytes`));
  if (Number(headers['content-length'] ?? 0) > LIMITS.objectBytesMax) throw tooLong();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    onPart();
    bytes += part.length;
    if (bytes > LIMITS.objectBytesMax) throw tooLong();
    parts.push(part);
  }
  return concatBytes(parts);
}

function blocked(...subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, bits] of subnets) list.addSubnet(net, bits, isIPv6(net) ? 'ipv6' : 'ipv4');
  return list;
}

function kindOf(address: string): Kind | undefined {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind].check(address, family));
}
