import { describe, expect, test } from 'vitest';
import { clerkScriptUrl, isProxyUrl, parsePublishableKey } from './clerk.ts';

const keyOf = (kind: string, text: string) => `pk_${kind}_${btoa(text)}`;

describe('the sign-in provider Clerk', () => {
  test('reads the frontend host from a publishable key', () => {
    expect(parsePublishableKey('pk_test_Y2xlcmsuZmFrZS50ZXN0JA==')).toEqual({
      instance: 'test',
      frontendHost: 'clerk.fake.test',
    });
    expect(parsePublishableKey(keyOf('live', 'clerk.example.com$'))).toMatchObject({ instance: 'live' });
    expect(parsePublishableKey(keyOf('live', '127.0.0.1:4000$'))).toMatchObject({
      frontendHost: '127.0.0.1:4000',
    });
  });

  test.each([
    '',
    'pk_test_',
    'pk_test_abc',
    'sk_test_Y2xlcmsuZmFrZS50ZXN0JA==',
    'pk_prod_Y2xlcmsuZmFrZS50ZXN0JA==',
    keyOf('test', 'clerk.fake.test'),
    keyOf('test', '$'),
    keyOf('test', 'https://clerk.fake.test$'),
    keyOf('test', 'evil.test/x$'),
    keyOf('test', 'user@evil.test$'),
    keyOf('test', 'evil.test\n$'),
    `${keyOf('test', 'clerk.fake.test$')}\n`,
  ])('rejects %j as a publishable key', (text) => expect(parsePublishableKey(text)).toBeUndefined());

  test('accepts an absolute address or a path with one slash as a proxy', () => {
    for (const good of ['/__clerk', '/', 'https://x.example/z', 'http://localhost:3000/clerk'])
      expect(isProxyUrl(good), good).toBe(true);
    for (const bad of [
      '',
      'x',
      'ftp://a',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil',
      'https:evil',
      'https:///evil',
      'javascript:alert(1)',
      '/a b',
    ])
      expect(isProxyUrl(bad), bad).toBe(false);
  });

  test('returns the script URL at the frontend host, or behind the proxy', () => {
    const key = { instance: 'live', frontendHost: 'clerk.example.com' } as const;
    expect(clerkScriptUrl(key, undefined)).toMatch(/^https:\/\/clerk\.example\.com\/npm\/@clerk\/clerk-js@/);
    expect(clerkScriptUrl(key, '/__clerk/')).toMatch(/^\/__clerk\/npm\//);
  });
});
