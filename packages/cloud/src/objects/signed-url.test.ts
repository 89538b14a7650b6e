import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { objectPath } from './object-name.ts';
import { urlSigner } from './signed-url.ts';

const start = 1_800_000_000_000;
const signerAt = (now: number) => urlSigner(new Uint8Array(32).fill(7), () => now);
const path = objectPath({ tenant: 't1', ledger: 'l1', store: 'car', key: 'baembei' });
const signed = signerAt(start).sign('GET', 'host:1', path);
const verify = (target: string, method = 'GET', host = 'host:1', now = start) =>
  signerAt(now).verify(method, host, target);

describe('signed URLs', () => {
  test('[S3] accepts a URL only for its own method, object and host', () => {
    expect(verify(signed)).toBe(path);
    for (const method of ['PUT', 'DELETE', 'HEAD', 'POST', 'get', ''])
      expect(verify(signed, method)).toBeUndefined();
    for (const host of ['host:2', 'host', 'other:1', 'HOST:1', ''])
      expect(verify(signed, 'GET', host)).toBeUndefined();
  });

  test('[S3] rejects a URL with any character changed, added or removed', () => {
    const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    const change = (at: number, by: (text: string) => string) => signed.slice(0, at) + by(signed.slice(at));
    fc.assert(
      fc.property(fc.nat(signed.length - 1), character, (at, other) => {
        const changed = [
          change(at, (rest) => other + rest.slice(1)),
          change(at, (rest) => other + rest),
          change(at, (rest) => rest.slice(1)),
        ];
        for (const target of changed) if (target !== signed) expect(verify(target)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    signed.replace('/obj/', '/obj/./'),
    signed.replace('/obj/', '//obj/'),
    signed.replace('/obj/t1/', '/obj/t1/../t1/'),
    signed.replace('t1', '%74%31'),
    `http://host:1${signed}`,
    `${signed}&m=PUT`,
    `${signed}#x`,
    signed.replace('?', '?x=1&'),
    '/obj/',
    '',
  ])('[S3] rejects another spelling of a URL: %s', (target) => {
    expect(verify(target)).toBeUndefined();
  });

  test('[S3] expires a URL after five minutes, whatever lifetime was requested', () => {
    for (const wish of [undefined, 300, 86_400, Number.POSITIVE_INFINITY, Number.NaN]) {
      const url = signerAt(start).sign('GET', 'host:1', path, wish);
      expect(verify(url, 'GET', 'host:1', start + 299_000)).toBe(path);
      expect(verify(url, 'GET', 'host:1', start + 300_000)).toBeUndefined();
    }
    const short = signerAt(start).sign('GET', 'host:1', path, -5);
    expect(verify(short, 'GET', 'host:1', start + 1000)).toBeUndefined();
  });

  test('[S3] rejects the URL of another server, which has another key', () => {
    const other = urlSigner(new Uint8Array(32), () => start);
    expect(other.verify('GET', 'host:1', signed)).toBeUndefined();
  });
});

describe('names of objects', () => {
  const name = { tenant: 't', ledger: 'l', store: 'car', key: 'k' } as const;

  test.each(['', '.', '..', '../k', 'a/b', '%2e%2e', 'a\\b', 'a b', 'k?', 'k#', 'k\0', 'ä', 'k'.repeat(257)])(
    '[S3] rejects %j as a key, index, tenant or ledger',
    (part) => {
      expect(() => objectPath({ ...name, key: part })).toThrow('request is not valid');
      expect(() => objectPath({ ...name, tenant: part })).toThrow('request is not valid');
      expect(() => objectPath({ ...name, ledger: part })).toThrow('request is not valid');
      expect(() => objectPath({ ...name, index: part })).toThrow('request is not valid');
    },
  );

  test('[S3] gives different objects different paths', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9._-]{1,6}$/).filter((text) => text !== '.' && text !== '..');
    const store = fc.constantFrom('car' as const, 'file' as const, 'meta' as const);
    const names = fc.record({
      tenant: part,
      ledger: part,
      store,
      index: fc.option(part, { nil: undefined }),
      key: part,
    });
    fc.assert(
      fc.property(names, names, (a, b) => {
        expect(objectPath(a) === objectPath(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });
});
