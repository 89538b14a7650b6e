import { describe, expect, test } from 'vitest';
import { type FireproofCloudOptions, SimpleTokenStrategy, toCloud } from './cloud.ts';

const BASE = 'fpcloud://host:1/?protocol=ws';
const strategy = new SimpleTokenStrategy('token');

const codeOf = (options: FireproofCloudOptions) => {
  try {
    toCloud(options);
    return 'taken';
  } catch (cause) {
    return (cause as { code: string }).code;
  }
};

describe('URLs of a ledger', () => {
  test('[W1] reads a token from the URL or a strategy', () => {
    expect(codeOf({ urls: { base: BASE } })).toBe('AUTH_JWK_REQUIRED');
    expect(() => toCloud({})).toThrow('authJWK is required');
    expect(() => toCloud()).toThrow('pass { urls: { base }, tenant, ledger, strategy }');
    expect(codeOf({ urls: { base: `${BASE}&authJWK=t` } })).toBe('taken');
    expect(codeOf({ urls: { base: BASE }, strategy })).toBe('taken');
  });

  const PARAMETERS: readonly (readonly [string, string])[] = [
    ['tenant=t&ledger=l', 'taken'],
    ['name=any', 'taken'],
    ['localName=any', 'taken'],
    ['protocol=wss', 'taken'],
    ['version=v0.1-fp-cloud', 'taken'],
    ['version=v0.2-fp-cloud', 'FORMAT_NEWER'],
    ['store=car', 'STORE_MISMATCH'],
    ['store=pictures', 'INVALID_STORE_TYPE'],
    ['key=main', 'REQUEST_INVALID'],
    ['storekey=insecure', 'NOT_IMPLEMENTED'],
    ['storekey=@notes-data@', 'taken'],
    ['suffix=.car', 'taken'],
    ['index=idx', 'taken'],
    ['path=p', 'taken'],
    ['tid=1', 'taken'],
    ['testMode=true', 'taken'],
  ];
  test.each(PARAMETERS)('handles the parameter %s with the result %s', (parameter, code) => {
    expect(codeOf({ urls: { base: `fpcloud://host:1/?${parameter}` }, strategy })).toBe(code);
  });

  test('rejects other protocols, and URLs that name different places', () => {
    expect(codeOf({ urls: { base: 'fpcloud://host/?protocol=ftp' }, strategy })).toBe('REQUEST_INVALID');
    expect(codeOf({ urls: { base: 'file:///x' }, strategy })).toBe('REQUEST_INVALID');
    expect(codeOf({ urls: { car: `${BASE}&store=car`, meta: `${BASE}&store=meta` }, strategy })).toBe(
      'taken',
    );
    expect(codeOf({ urls: { base: BASE, car: 'fpcloud://other/' }, strategy })).toBe('REQUEST_INVALID');
  });
});
