/** The address by which a client reached this server, and the other origins that may use it. */
import { urlOf } from '@fixpoint/protocol';

/** Hosts have the form that `hostAskedFor` returns. */
export interface Origins {
  /**
   * The origins that pages of this server have, as far as the configuration tells. A server on its
   * user's machine has all names of that machine.
   */
  readonly own: readonly string[];
  /** Returns the scheme and host by which this client reached the server. */
  of(host: string | undefined): string;
  /**
   * Returns the same address with the base path. All addresses that this client receives begin with
   * it.
   */
  baseOf(host: string | undefined): string;
  /**
   * Returns whether pages of this origin may call the admin API. Only pages of this server and of
   * configured origins may.
   */
  isTrusted(origin: string, host: string | undefined): boolean;
  /**
   * Returns whether pages of this origin may open a websocket. Pages of trusted origins may, and so
   * may all pages on the user's own machine.
   */
  mayConnect(origin: string, host: string | undefined): boolean;
  /**
   * Returns headers that let apps of other origins use the gateway. The requests of these apps
   * contain tokens, and never use cookies.
   */
  cors(origin: string | undefined, host: string | undefined): Record<string, string>;
}

export interface OriginOptions {
  /** The only address of this server, if one is configured. */
  readonly publicUrl: string | undefined;
  /** The path under which a proxy serves this server, such as `/fixpoint`; empty for the root. */
  readonly basePath?: string;
  /** The listening address. */
  readonly ownUrl: string;
  /** Origins of apps; undefined lets apps of any origin use the gateway. */
  readonly allowed: readonly string[] | undefined;
}

const HOST = /^(https?:\/\/)?((?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::\d{1,5})?)$/;
const CORS = {
  'access-control-allow-methods': 'GET,POST,OPTIONS,PUT,DELETE',
  'access-control-allow-headers': 'Origin, Content-Type, Accept',
  'access-control-expose-headers': 'X-Request-Id',
  'access-control-max-age': '86400',
};

export function createOrigins({ publicUrl, ownUrl, allowed, basePath = '' }: OriginOptions): Origins {
  const of = (host: string | undefined) => {
    if (publicUrl !== undefined) return publicUrl;
    const [, scheme = 'http://', name] = HOST.exec(host ?? '') ?? [];
    const asked = name === undefined ? undefined : `${scheme}${name.toLowerCase()}`;
    return asked !== undefined && urlOf(asked) !== undefined ? asked : ownUrl;
  };
  const isTrusted = (origin: string, host: string | undefined) =>
    origin === of(host) || origin === ownUrl || (allowed ?? []).includes(origin);
  return {
    own: [...new Set([...(publicUrl === undefined ? [] : [publicUrl]), ownUrl].flatMap(sameServer))],
    of,
    baseOf: (host) => `${of(host)}${basePath}`,
    isTrusted,
    mayConnect: (origin, host) => isTrusted(origin, host) || isLoopback(origin),
    cors: (origin, host) => {
      if (allowed === undefined) return { ...CORS, 'access-control-allow-origin': '*' };
      const isAllowed = origin !== undefined && isTrusted(origin, host);
      return {
        vary: 'Origin',
        ...(isAllowed && { ...CORS, 'access-control-allow-origin': origin }),
      };
    },
  };
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses with which a server listens on all interfaces, also on those of its own machine. */
const EVERYWHERE = ['0.0.0.0', '[::]'];

function isLoopback(origin: string): boolean {
  const url = urlOf(origin);
  return url?.origin === origin && LOOPBACK.includes(url.hostname);
}

/** Returns the origin of a URL, and the other names of this machine if the URL has one of them. */
function sameServer(address: string): string[] {
  const { origin, protocol, hostname, port } = new URL(address);
  if (![...LOOPBACK, ...EVERYWHERE].includes(hostname)) return [origin];
  return [origin, ...LOOPBACK.map((name) => `${protocol}//${name}${port && `:${port}`}`)];
}
