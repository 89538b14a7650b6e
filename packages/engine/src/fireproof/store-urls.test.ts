import { describe, expect, test } from 'vitest';
import { isLocalUrl, placeOf, type StoreUrls } from './store-urls.ts';

const codeOf = (urls: StoreUrls) => {
  try {
    placeOf('notes', urls);
    return 'taken';
  } catch (cause) {
    return (cause as { code: string }).code;
  }
};
const BASE = 'file://./data';

describe('store URLs', () => {
  test('locates a database', () => {
    expect(placeOf('notes')).toEqual({});
    expect(placeOf('notes', {}, 'file:///from/variable')).toEqual({ base: 'file:///from/variable' });
    expect(placeOf('notes', { base: BASE }, 'file:///from/variable')).toEqual({ base: BASE });
    expect(placeOf('notes', { base: new URL('file:///a%20b/c') })).toEqual({ base: 'file:///a%20b/c' });
    for (const [path, base] of [
      ['/data/notes', 'file:///data/notes'],
      ['./data', 'file://./data'],
      ['data', 'file://data'],
      ['/a b/100%', 'file:///a%20b/100%25'],
      ['C:\\data', 'file://C:%5Cdata'],
    ] as const)
      expect([placeOf('notes', {}, path), placeOf('notes', { base: path })]).toEqual([{ base }, { base }]);
    expect(placeOf('notes', {}, './data?storekey=insecure')).toEqual({ base: BASE, encrypted: false });
    expect(placeOf('notes', { base: 'memory://any' })).toEqual({ storage: 'memory' });
    for (const base of ['indexeddb://fp', 'indexeddb://'])
      expect(placeOf('notes', { base })).toEqual({ isBrowsers: true });
    expect(
      placeOf('notes', {
        data: { car: `${BASE}?suffix=.car`, meta: BASE },
        idx: { car: `${BASE}?index=idx` },
      }),
    ).toEqual({
      base: BASE,
    });
    const local = ['file:///x', 'memory://x', '/x', './x', 'C:\\x'];
    expect([...local, 'https://x', '', undefined].filter(isLocalUrl)).toEqual(local);
  });

  test('turns encryption off for storekey=insecure, and treats other values as the key name of an existing database', () => {
    expect(placeOf('notes', { base: `${BASE}?storekey=insecure` })).toEqual({ base: BASE, encrypted: false });
    expect(placeOf('notes', { base: `${BASE}?storekey=@old-data@` })).toEqual({
      base: BASE,
      storeKey: '@old-data@',
    });
  });

  test('limits the number of opened archives in memory to carCacheSize', () => {
    expect(placeOf('notes', { base: BASE, data: { car: `${BASE}?carCacheSize=20` } })).toEqual({
      base: BASE,
      archivesKept: 20,
    });
    expect(placeOf('notes', { data: { car: `${BASE}?carCacheSize=20`, file: BASE } })).toEqual({
      base: BASE,
      archivesKept: 20,
    });
  });

  const PARAMETERS: readonly (readonly [string, string])[] = [
    ['name=notes', 'taken'],
    ['name=other', 'REQUEST_INVALID'],
    ['localName=notes', 'taken'],
    ['localName=other', 'REQUEST_INVALID'],
    ['store=car', 'STORE_MISMATCH'],
    ['store=pictures', 'INVALID_STORE_TYPE'],
    ['index=idx', 'REQUEST_INVALID'],
    ['storekey=', 'REQUEST_INVALID'],
    ['version=v0.19-file', 'taken'],
    ['version=v0.19-indexeddb', 'taken'],
    ['version=v0.19-memory', 'taken'],
    ['version=v0.20-file', 'FORMAT_NEWER'],
    ['suffix=.car', 'taken'],
    ['key=main', 'REQUEST_INVALID'],
    ['tenant=t', 'REQUEST_INVALID'],
    ['ledger=l', 'REQUEST_INVALID'],
    ['authJWK=x', 'REQUEST_INVALID'],
    ['protocol=ws', 'REQUEST_INVALID'],
    ['path=p', 'REQUEST_INVALID'],
    ['urlGen=default', 'taken'],
    ['runtime=node', 'taken'],
    ['selfReflect=true', 'taken'],
    ['parallel=10', 'taken'],
    ['parallel=0', 'REQUEST_INVALID'],
    ['carCacheSize=1000', 'taken'],
    ['carCompactCacheSize=many', 'REQUEST_INVALID'],
    ['carMetaCacheSize=1000', 'taken'],
    ['ivVerify=disable', 'NOT_IMPLEMENTED'],
    ['ivVerify=enable', 'taken'],
    ['ivHash=random', 'NOT_IMPLEMENTED'],
    ['ivHash=hash', 'taken'],
    ['extractKey=any', 'taken'],
    ['unknown=1', 'taken'],
  ];

  test.each(PARAMETERS)('handles the parameter %s of a base URL with the result %s', (parameter, code) => {
    expect(codeOf({ base: `${BASE}?${parameter}` })).toBe(code);
    expect(codeOf({ base: `memory://x?${parameter}` })).toBe(code);
  });

  test('requires the URL of a store to name that store, and all URLs to name one place', () => {
    expect(codeOf({ data: { meta: `${BASE}?store=meta` } })).toBe('taken');
    expect(codeOf({ data: { meta: `${BASE}?store=car` } })).toBe('STORE_MISMATCH');
    expect(codeOf({ data: { meta: `${BASE}?suffix=.car` } })).toBe('REQUEST_INVALID');
    expect(codeOf({ data: { meta: `${BASE}?index=idx` } })).toBe('REQUEST_INVALID');
    expect(codeOf({ data: { images: BASE } as StoreUrls['data'] })).toBe('INVALID_STORE_TYPE');
    expect(codeOf({ base: BASE, data: { wal: 'file://./other' } })).toBe('REQUEST_INVALID');
    expect(codeOf({ base: BASE, idx: { car: `${BASE}?storekey=insecure` } })).toBe('REQUEST_INVALID');
  });

  test('rejects URLs of unknown places', () => {
    for (const base of ['s3://bucket', 'https://host', '', 'indexeddb://other'])
      expect(codeOf({ base })).toBe('REQUEST_INVALID');
  });
});
