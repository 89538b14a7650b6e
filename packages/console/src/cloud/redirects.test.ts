import { expect, test } from 'vitest';
import { handOffTarget, ownPage } from './redirects.ts';

const ORIGIN = 'http://localhost:7370';

test.each([
  ['/fp/cloud/tenants/new?x=1', '/fp/cloud/tenants/new?x=1'],
  ['http://localhost:7370/fp/databases', '/fp/databases'],
  [null, '/fp/cloud'],
  ['', '/'],
  [
    '/fp/cloud/api/token?back_url=http%3A%2F%2Flocalhost%3A1%2F',
    '/fp/cloud/api/token?back_url=http%3A%2F%2Flocalhost%3A1%2F',
  ],
])('[S11] %s leads to %s', (given, page) => {
  expect(ownPage(given, ORIGIN)).toBe(page);
});

test.each([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  'https:evil.example',
  'http://localhost:7370@evil.example',
  'http://localhost:7371/',
  'https://localhost:7370/',
  '////evil.example',
  '/\\t/evil.example',
  'data:text/html,x',
  'blob:http://localhost:7370/x',
])('[S11] %s leads to the cloud home', (given) => {
  expect(ownPage(given, ORIGIN)).toMatch(/^\/(fp\/cloud$|evil\.example$)/);
  expect(new URL(ownPage(given, ORIGIN), ORIGIN).origin).toBe(ORIGIN);
});

test.each(['/.//evil.example', '/x/..//evil.example', '/%2e//evil.example', '/./\\evil.example'])(
  '[S11] %s stays a path of the own origin',
  (given) => {
    const page = ownPage(given, ORIGIN);
    expect(page).toMatch(/^\/[^/\\]/);
    expect(new URL(page, ORIGIN).origin).toBe(ORIGIN);
  },
);

test.each(['http://localhost:7370/x', 'http://127.0.0.1:5173/', 'http://[::1]:1/'])(
  '[S11] a token goes to %s without a question',
  (url) => {
    expect(handOffTarget(url, ORIGIN)?.trusted).toBe(true);
  },
);

test.each([
  'https://app.example/',
  'https://localhost.evil.example',
  'https://127.0.0.1.evil.example',
  'http://10.0.0.1',
])('[S11] a token goes to %s only after a confirmation', (url) => {
  expect(handOffTarget(url, ORIGIN)?.trusted).toBe(false);
});

test.each([
  null,
  '',
  'javascript:alert(1)',
  'data:text/html,x',
  '//evil.example',
  'https://a@evil.example',
  'https://evil.example\\@localhost',
  'http:/localhost:1',
  'http:localhost',
  'http:///localhost',
  ' http://localhost',
  'http://localhost\n.evil.example',
  `http://localhost/${'x'.repeat(2048)}`,
  'file:///etc/passwd',
])('[S11] a token never goes to %s', (url) => {
  expect(handOffTarget(url, ORIGIN)).toBeUndefined();
});
