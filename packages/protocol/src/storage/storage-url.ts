/**
 * Storage URLs of a database (spec §3, §5):
 * `fpcloud://host/path?name=..&tenant=..&store=..&key=..&authJWK=..`.
 */
import { FixpointError } from '../errors.ts';
import { SOCKET_PATH, STORAGE_PATH } from '../names.ts';
import { GATEWAY_VERSION } from '../version.ts';
import { STORE_TYPES, type StoreType } from './envelope.ts';

export interface StorageUrl {
  readonly store: StoreType;
  readonly key: string;
  readonly tenant: string;
  readonly name: string;
  /** The cloud token. */
  readonly authJWK: string;
  /** Id of the ledger to which a client attaches. The specification doesn't have this parameter. */
  readonly ledger?: string | undefined;
  readonly path?: string | undefined;
  readonly index?: string | undefined;
  /** Name of the key in the key bag. */
  readonly storekey?: string | undefined;
}

const REQUIRED = ['name', 'tenant', 'store', 'key', 'authJWK'] as const;
const OPTIONAL = ['ledger', 'path', 'index', 'storekey'] as const;

/**
 * Parses the URL of one object of a database.
 * @throws FixpointError INVALID_STORE_TYPE, STORE_MISMATCH, AUTH_JWK_REQUIRED, NAME_NOT_FOUND,
 * REQUEST_INVALID
 */
export function parseStorageUrl(url: URL, wanted: StoreType): StorageUrl {
  const parameter = (name: string) => url.searchParams.get(name) || undefined;
  const required = (name: string) => {
    const value = parameter(name);
    if (value === undefined) throw new FixpointError('REQUEST_INVALID', `${name} is required`);
    return value;
  };
  const store = parameter('store');
  if (!isStoreType(store)) throw new FixpointError('INVALID_STORE_TYPE');
  if (store !== wanted) throw new FixpointError('STORE_MISMATCH');
  const authJWK = parameter('authJWK');
  if (authJWK === undefined) throw new FixpointError('AUTH_JWK_REQUIRED');
  const name = parameter('name');
  if (name === undefined) throw new FixpointError('NAME_NOT_FOUND');
  const optional = Object.fromEntries(OPTIONAL.map((each) => [each, parameter(each)]));
  return { store, key: required('key'), tenant: required('tenant'), name, authJWK, ...optional };
}

/**
 * Returns the URL of one object of a database, which `parseStorageUrl` reads back. Keeps the query
 * parameters of the base.
 */
export function buildStorageUrl(base: string, parts: StorageUrl): URL {
  const url = new URL(base);
  for (const name of [...REQUIRED, ...OPTIONAL]) {
    const value = parts[name];
    if (value !== undefined) url.searchParams.set(name, value);
  }
  url.searchParams.set('version', GATEWAY_VERSION);
  return url;
}

export const isStoreType = (text: unknown): text is StoreType => STORE_TYPES.some((type) => type === text);

/**
 * Returns the HTTP address of the gateway for a base. `fpcloud:` becomes `https:`, or `http:` if
 * the parameter `protocol` is `ws` or `http`. An empty path becomes `/fp`. Drops all parameters,
 * which may include a token.
 */
export function gatewayUrl(base: string): URL {
  const given = new URL(base);
  const scheme =
    given.protocol === 'fpcloud:' ? `${given.searchParams.get('protocol') ?? 'wss'}:` : given.protocol;
  const secure = scheme !== 'ws:' && scheme !== 'http:';
  const rest = base.slice(given.protocol.length).split(/[?#]/)[0] ?? '';
  const url = new URL(`${secure ? 'https' : 'http'}:${rest}`);
  if (url.pathname === '' || url.pathname === '/') url.pathname = STORAGE_PATH;
  return url;
}

/**
 * Returns the websocket address for an endpoint of a gestalt, relative to the gateway. An endpoint
 * with a scheme is used as is. An endpoint that begins with `/` replaces the path, and any other
 * endpoint is appended to the path.
 */
export function socketUrl(gateway: URL, endpoint: string): URL {
  const isWhole = /^[a-z]+:/.test(endpoint);
  const url = new URL(isWhole ? endpoint : gateway);
  if (!isWhole)
    url.pathname = endpoint.startsWith('/') ? endpoint : `${url.pathname.replace(/\/$/, '')}/${endpoint}`;
  if (url.pathname.length < 2) url.pathname = SOCKET_PATH;
  return new URL(url.href.replace(/^(?:http|ws)(s?):/, 'ws$1:'));
}
