/**
 * Fetches JSON from a URL that a tenant named. Connects only to public addresses, and checks the
 * address that it connects to, so that a name can't resolve to another address after the check
 * (S14).
 */
import { lookup } from 'node:dns';
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { FixpointError, urlOf } from '@fixpoint/protocol';
import { isHere } from './provider-fetch.ts';
import { isPublicAddress } from './public-address.ts';

const TIMEOUT_MS = 5000;
const BYTES_MAX = 65_536;

/** `any` also allows private networks, and http on this machine. */
export type IssuerNetworks = 'public' | 'any';

/**
 * @throws FixpointError FETCH for an address that isn't allowed, a redirect, an answer that isn't
 * JSON, and one that is too long or takes more than five seconds
 */
export async function fetchIssuerJson(text: string, networks: IssuerNetworks): Promise<unknown> {
  try {
    return JSON.parse(await fetchText(text, networks));
  } catch (cause) {
    throw new FixpointError('FETCH', (cause as Error).message, { cause });
  }
}

async function fetchText(text: string, networks: IssuerNetworks): Promise<string> {
  const url = urlOf(text);
  const isSafe =
    url?.protocol === 'https:' || (networks === 'any' && url?.protocol === 'http:' && isHere(text));
  if (url === undefined || !isSafe) throw new Error('not an https address');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (networks === 'public' && isIP(host) !== 0 && !isPublicAddress(host)) throw notPublic(host);
  const options: RequestOptions = {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // An open connection would keep the address that an earlier check allowed.
    agent: false,
    ...(networks === 'public' && { lookup: lookupPublic }),
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const asked = send(url, options, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('error', reject);
      // Redirects aren't followed.
      if (answer.statusCode !== 200) asked.destroy(new Error(`status ${answer.statusCode}`));
      answer.on('data', (part: string) => {
        body += part;
        if (body.length > BYTES_MAX) asked.destroy(new Error('the answer is too long'));
      });
      answer.on('end', () => resolve(body));
    });
    asked.on('error', reject);
    asked.end();
  });
}

const notPublic = (address: string): Error => new Error(`${address} is not a public address`);

/** Resolves a name like Node does, and rejects the name if one of its addresses isn't public. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const refused = addresses?.find(({ address }) => !isPublicAddress(address));
    if (error !== null || refused !== undefined || addresses[0] === undefined)
      return callback(error ?? notPublic(refused?.address ?? hostname), '', 4);
    if (options.all === true) return callback(null, addresses);
    return callback(null, addresses[0].address, addresses[0].family);
  });
};
