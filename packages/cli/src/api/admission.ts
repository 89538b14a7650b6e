/**
 * Decides which requests are answered: those that name this server, come from no foreign website
 * and have the token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { FixpointError, urlOf } from '@fixpoint/protocol';

export interface BoundAddress {
  /** The address that the socket is bound to, such as `127.0.0.1` or `::1`. */
  readonly address: string;
  readonly port: number;
}

export interface AdmissionOptions {
  /** Undefined if requests need no token. */
  readonly token: string | undefined;
  /** Further host names, such as that of a proxy, each with its port unless it is 80. */
  readonly hosts: readonly string[];
  /** Origins of websites that may use the API. */
  readonly origins: readonly string[];
}

export interface Admission {
  /** Returns whether the request names this server. Others may come from DNS rebinding. */
  isHost(host: string | undefined): boolean;
  /** Returns whether the request comes from a program, or from a website that is allowed. */
  isOrigin(headers: IncomingHttpHeaders): boolean;
  hasToken(authorization: string | undefined): boolean;
  /** Returns the headers that let an allowed website read the answer. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/;
export const isLoopback = (address: string): boolean => LOOPBACK.test(address);

/** Headers that websites may read. */
const EXPOSED = 'accept-ranges, content-length, content-range, etag, location';

const hostText = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** Returns a URL. A socket that is bound to all addresses is reached at the local one. */
export function urlOfBound({ address, port }: BoundAddress): string {
  const local = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${hostText(local)}:${port}`;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export function createAdmission(
  { address, port }: BoundAddress,
  { token, hosts, origins }: AdmissionOptions,
): Admission {
  const isAny = address === '0.0.0.0' || address === '::';
  const ports = port === 80 ? ['', ':80'] : [`:${port}`];
  const names = isAny || isLoopback(address) ? [hostText(address), 'localhost'] : [hostText(address)];
  const known = new Set([
    ...names.flatMap((name) => ports.map((suffix) => `${name}${suffix}`)),
    ...hosts.map((host) => host.toLowerCase()),
  ]);
  const wanted = token === undefined ? undefined : digest(token);
  return {
    isHost: (host = '') => {
      const text = host.toLowerCase();
      // A website can make its name resolve to any address, but it can't be named by an address.
      return known.has(text) || (isAny && isAddressWith(text, ports));
    },
    isOrigin: ({ origin, 'sec-fetch-site': site }) =>
      origin === undefined ? site === undefined || site === 'none' : origins.includes(origin),
    hasToken: (authorization = '') => {
      const [, given = ''] = /^Bearer +(.+)$/i.exec(authorization) ?? [];
      return wanted === undefined || timingSafeEqual(digest(given), wanted);
    },
    headersFor: (origin): Readonly<Record<string, string>> =>
      origin !== undefined && origins.includes(origin)
        ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
        : {},
  };
}

function isAddressWith(host: string, ports: readonly string[]): boolean {
  const suffix =
    ports.find((one) => one !== '' && host.endsWith(one)) ?? (ports.includes('') ? '' : undefined);
  if (suffix === undefined) return false;
  const name = host.slice(0, host.length - suffix.length);
  return isIP(name) === 4 || (/^\[.+\]$/.test(name) && isIP(name.slice(1, -1)) === 6);
}

/** @throws FixpointError CONFIG_INVALID for anything but an origin such as `https://app.example` */
export function requireOrigin(text: string): string {
  const url = urlOf(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.origin !== text)
    throw new FixpointError('CONFIG_INVALID', `${text} is not an origin, such as https://app.example`);
  return text;
}
