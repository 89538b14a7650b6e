import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildStorageUrl, gatewayUrl, parseStorageUrl, socketUrl } from './storage-url.ts';

const parts = { store: 'car', key: 'baembei', tenant: 't1', name: 'toCloud', authJWK: 'a.b.c' } as const;
const without = (name: string) => {
  const url = buildStorageUrl('fpcloud://host/', parts);
  url.searchParams.delete(name);
  return url;
};

describe('storage URLs', () => {
  test('[W1] parses a built URL into the parts that it was built from', () => {
    const text = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(text, text, text, fc.option(text, { nil: undefined }), (key, tenant, ledger, index) => {
        const all = { ...parts, key, tenant, ledger, index };
        const parsed = parseStorageUrl(buildStorageUrl('fpcloud://host:1/?protocol=ws', all), 'car');
        expect(parsed).toMatchObject({ ...all, key, tenant, ledger });
      }),
    );
  });

  test('[5.9] requires the expected store, a known store type, and a token', () => {
    const url = buildStorageUrl('fpcloud://host/', parts);
    expect(() => parseStorageUrl(url, 'meta')).toThrow('store mismatch');
    url.searchParams.set('store', 'blob');
    expect(() => parseStorageUrl(url, 'car')).toThrow('Invalid FPStoreTypes');
    expect(() => parseStorageUrl(without('authJWK'), 'car')).toThrow('authJWK is required');
  });

  test.each(['key', 'store', 'tenant', 'name'])('[5.9] requires the parameter %s', (name) => {
    expect(() => parseStorageUrl(without(name), 'car')).toThrow();
  });

  test('[8] reports a missing name', () => {
    expect(() => parseStorageUrl(without('name'), 'car')).toThrow('name not found');
  });

  test.each([
    ['http://host:7370', 'http://host:7370/fp'],
    ['https://host/', 'https://host/fp'],
    ['https://host/prefix', 'https://host/prefix'],
    ['fpcloud://host:7370/?protocol=ws&authJWK=x', 'http://host:7370/fp'],
    ['fpcloud://host', 'https://host/fp'],
    ['fpcloud://host/own?protocol=http', 'http://host/own'],
    ['ws://host', 'http://host/fp'],
  ])('resolves the gateway of %s to %s', (base, gateway) => {
    expect(gatewayUrl(base).href).toBe(gateway);
  });

  test.each([
    ['http://host:1/fp', '/ws', 'ws://host:1/ws'],
    ['https://host/fp', '/ws', 'wss://host/ws'],
    ['https://host/fp', 'ws', 'wss://host/fp/ws'],
    ['https://host/fp', 'https://other:2/socket', 'wss://other:2/socket'],
    ['https://host/fp', '/', 'wss://host/ws'],
  ])('combines the gateway %s and the endpoint %s into %s', (gateway, endpoint, socket) => {
    expect(socketUrl(new URL(gateway), endpoint).href).toBe(socket);
  });
});
