/**
 * Reads the location of a database from the URLs of existing applications: `file://folder` or a
 * path in Node, `indexeddb://fp` in a browser, `memory://` anywhere. This engine stores a database
 * in one place, so all URLs must name the same place. Parameters:
 * docs/internals/interoperability.md.
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';

type StoreUrl = string | { toString(): string };
type Stores = { readonly [Store in (typeof STORES)[number]]?: StoreUrl | undefined };

/**
 * Location of a database, as URLs of existing applications. All URLs must name the same place.
 * Parameters: docs/internals/interoperability.md.
 */
export interface StoreUrls {
  /** URL for everything. */
  readonly base?: StoreUrl | undefined;
  /** URL for documents and files. */
  readonly data?: Stores | undefined;
  /** URL for indexes. */
  readonly idx?: Stores | undefined;
}

export interface Place {
  readonly storage?: 'memory';
  /** `file:` URL of the folder of databases. */
  readonly base?: string;
  readonly encrypted?: boolean;
  /** Whether the database is in IndexedDB, if the platform has IndexedDB. */
  readonly isBrowsers?: true;
  /** Name of the key of the existing database at this place. */
  readonly storeKey?: string;
  /** Maximum number of opened archives kept in memory. */
  readonly archivesKept?: number;
}

const STORES = ['car', 'file', 'meta', 'wal'] as const;
const SCHEMES = ['file:', 'indexeddb:', 'memory:'];
const VERSIONS = ['v0.19-file', 'v0.19-indexeddb', 'v0.19-memory'];
/** Paths that name the only place of a browser's databases. */
const BROWSER_PLACES = ['', 'fp', 'fp/'];
/**
 * Parameters that belong in the URL of a single object or a ledger. They are rejected in the URL of
 * a database.
 */
const OF_OTHERS = ['key', 'tenant', 'ledger', 'authJWK', 'protocol', 'path'];
const COUNTS = ['parallel', 'carCacheSize', 'carCompactCacheSize', 'carMetaCacheSize'];

/** One URL, and whether it is for one store or for all stores. */
interface Given {
  readonly as: string;
  readonly store: string | undefined;
  readonly isIndex: boolean;
  readonly text: string;
}

/**
 * Returns the place that the URLs name.
 * @param database its name @param fallback the URL to use when `urls` has none
 * @throws FixpointError REQUEST_INVALID, INVALID_STORE_TYPE, STORE_MISMATCH, FORMAT_NEWER,
 * NOT_IMPLEMENTED: which parameter is rejected, and why
 */
export function placeOf(database: string, urls: StoreUrls = {}, fallback?: string): Place {
  const given = allGiven(urls);
  if (given.length === 0 && fallback !== undefined)
    given.push({ as: 'FP_STORAGE_URL', store: undefined, isIndex: false, text: urlOfPath(fallback) });
  const places = given.map((one) => placeIn(database, one));
  const [first = {}] = places;
  for (const [at, place] of places.entries())
    if (place.base !== first.base || place.storage !== first.storage || place.encrypted !== first.encrypted)
      throw refused(given[at], 'the URLs name different places');
  // A parameter that only one URL sets applies to all.
  const all: Place = {};
  for (const place of places.toReversed()) Object.assign(all, place);
  return all;
}

/** Returns whether a URL or path locates databases on this device, not a ledger. */
export const isLocalUrl = (url: string | undefined): url is string =>
  SCHEMES.some((scheme) => url !== undefined && urlOfPath(url).startsWith(scheme));

/**
 * Returns the `file:` URL of a path, which may have parameters. A URL stays as it is. A single
 * letter in front of a colon is a drive of Windows.
 */
export function urlOfPath(text: string): string {
  if (text === '' || /^[a-z][a-z\d+.-]+:/i.test(text)) return text;
  const [path = '', ...parameters] = text.split('?');
  return [`file://${encodeURI(path)}`, ...parameters].join('?');
}

function allGiven({ base, data = {}, idx = {} }: StoreUrls): Given[] {
  const of = (stores: Stores, group: 'data' | 'idx'): Given[] =>
    Object.entries(stores).flatMap(([store, url]) => {
      if (url === undefined) return [];
      const text = urlOfPath(String(url));
      return [{ as: `storeUrls.${group}.${store}`, store, isIndex: group === 'idx', text }];
    });
  const one = { as: 'storeUrls.base', store: undefined, isIndex: false };
  return [
    ...(base === undefined ? [] : [{ ...one, text: urlOfPath(String(base)) }]),
    ...of(data, 'data'),
    ...of(idx, 'idx'),
  ];
}

function placeIn(database: string, given: Given): Place {
  const url = urlOf(given);
  checkParameters(database, given, url.searchParams);
  const storeKey = url.searchParams.get('storekey') ?? undefined;
  const archives = url.searchParams.get('carCacheSize');
  const mode = {
    ...(archives !== null && { archivesKept: Number(archives) }),
    ...(storeKey === 'insecure' && { encrypted: false }),
    ...(storeKey !== undefined && storeKey !== 'insecure' && { storeKey }),
  };
  if (url.protocol === 'memory:') return { storage: 'memory', ...mode };
  if (url.protocol === 'file:') return { base: withoutParameters(given.text), ...mode };
  if (!BROWSER_PLACES.includes(withoutParameters(given.text).replace('indexeddb://', '')))
    throw refused(given, 'databases of a browser are at indexeddb://fp');
  return { isBrowsers: true, ...mode };
}

function checkParameters(database: string, given: Given, parameters: URLSearchParams): void {
  const refuseUnless = (name: string, isRight: (value: string) => boolean, code?: ErrorCode) => {
    const value = parameters.get(name);
    if (value !== null && !isRight(value)) throw refused(given, `${name}=${value}`, code);
  };
  for (const name of ['name', 'localName']) refuseUnless(name, (value) => value === database);
  refuseUnless('store', (value) => STORES.some((store) => store === value), 'INVALID_STORE_TYPE');
  refuseUnless('store', (value) => value === given.store, 'STORE_MISMATCH');
  refuseUnless('index', (value) => given.isIndex && value === 'idx');
  refuseUnless('storekey', (value) => value !== '');
  refuseUnless('version', (value) => VERSIONS.includes(value), 'FORMAT_NEWER');
  refuseUnless(
    'suffix',
    (value) => given.store === undefined || value === (given.store === 'car' ? '.car' : ''),
  );
  for (const name of OF_OTHERS) refuseUnless(name, () => false);
  for (const name of COUNTS) refuseUnless(name, (value) => /^[1-9]\d*$/.test(value));
  // Reads are always verified, and encryption is deterministic: equal archives stay equal.
  refuseUnless('ivVerify', (value) => value !== 'disable', 'NOT_IMPLEMENTED');
  refuseUnless('ivHash', (value) => value === 'hash', 'NOT_IMPLEMENTED');
}

function urlOf(given: Given): URL {
  // The URL parser rejects the host of `file://./here`.
  const { text } = given;
  const scheme = SCHEMES.find((one) => text.startsWith(one));
  if (scheme === undefined) throw refused(given, text);
  const [, parameters] = /\?(.*)$/.exec(text) ?? [];
  if (given.store !== undefined && !STORES.some((store) => store === given.store))
    throw refused(given, given.store, 'INVALID_STORE_TYPE');
  return new URL(`${scheme}//place?${parameters ?? ''}`);
}

const withoutParameters = (url: string): string => url.replace(/\?.*$/, '');

const refused = (given: Given | undefined, why: string, code: ErrorCode = 'REQUEST_INVALID') =>
  new FixpointError(code, `${given?.as}: ${why}`);
