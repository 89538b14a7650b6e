/** Storage URLs of a database (spec §3, §5): `fpcloud://host/path?name=..&tenant=..&store=..&key=..&authJWK=..`. */
import { FixpointError } from '../errors.ts';
import { STORE_TYPES, type StoreType } from './messages.ts';

export interface StorageUrl {
  readonly store: StoreType;
  readonly key: string;
  readonly tenant: string;
  readonly name: string;
  readonly authJWK: string;
  readonly path: string | undefined;
  readonly index: string | undefined;
}

/** @throws FixpointError INVALID_STORE_TYPE, STORE_MISMATCH, AUTH_JWK_REQUIRED, NAME_NOT_FOUND, REQUEST_INVALID */
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
  return {
    store,
    key: required('key'),
    tenant: required('tenant'),
    name,
    authJWK,
    path: parameter('path'),
    index: parameter('index'),
  };
}

export const isStoreType = (text: unknown): text is StoreType => STORE_TYPES.some((type) => type === text);

/** The HTTP address of the gateway for a base: `fpcloud:` stands for the scheme in `protocol` (default wss); an empty path for `/fp`. */
export function gatewayUrl(base: string): URL {
  const given = new URL(base);
  const scheme =
    given.protocol === 'fpcloud:' ? `${given.searchParams.get('protocol') ?? 'wss'}:` : given.protocol;
  const secure = scheme !== 'ws:' && scheme !== 'http:';
  const rest = base.slice(given.protocol.length).split(/[?#]/)[0] ?? '';
  const url = new URL(`${secure ? 'https' : 'http'}:${rest}`);
  if (url.pathname === '' || url.pathname === '/') url.pathname = '/fp';
  return url;
}

/** The websocket address that a gestalt names, seen from the gateway. */
export function socketUrl(gateway: URL, endpoint: string): URL {
  const url = new URL(endpoint, gateway);
  url.protocol = url.protocol === 'http:' || url.protocol === 'ws:' ? 'ws:' : 'wss:';
  return url;
}
