import { expect, test, vi } from 'vitest';
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
])('[S11] redirects %s to %s', (given, page) => {
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
])('[S11] keeps a redirect to %s on the console’s own origin', (given) => {
  expect(ownPage(given, ORIGIN)).toMatch(/^\/(fp\/cloud$|evil\.example$)/);
  expect(new URL(ownPage(given, ORIGIN), ORIGIN).origin).toBe(ORIGIN);
});

test.each(['/.//evil.example', '/x/..//evil.example', '/%2e//evil.example', '/./\\evil.example'])(
  '[S11] keeps a redirect to the path %s on the console’s own origin',
  (given) => {
    const page = ownPage(given, ORIGIN);
    expect(page).toMatch(/^\/[^/\\]/);
    expect(new URL(page, ORIGIN).origin).toBe(ORIGIN);
  },
);

test.each([
  'https://app.example/',
  'https://localhost.evil.example',
  'https://127.0.0.1.evil.example',
  'http://10.0.0.1',
  'https://localhost:5173/',
  'http://127.0.0.1:5173/',
  'http://[::1]:1/',
])('[S11] allows a redirect with a token to %s', (url) => {
  expect(handOffTarget(url, ORIGIN)?.href).toBe(new URL(url).href);
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
  'http://localhost:7370/x',
  'HTTP://LOCALHOST:7370/fp/cloud',
])('[S11] never redirects with a token to %s', (url) => {
  expect(handOffTarget(url, ORIGIN)).toBeUndefined();
});

/** Ways to write an address so that it looks like another one, or like a path. */
const TRICKS: readonly ((host: string) => string)[] = [
  (host) => `https://${host}`,
  (host) => `HTTPS://${host}/fp/cloud`,
  (host) => `//${host}`,
  (host) => `///${host}`,
  (host) => `\\\\${host}`,
  (host) => `/\\${host}`,
  (host) => `\\/${host}`,
  (host) => `/\\/${host}`,
  (host) => `https:${host}`,
  (host) => `https:/${host}`,
  (host) => `https:\\\\${host}`,
  (host) => ` https://${host}`,
  (host) => `\u0000https://${host}`,
  (host) => `\thttps://${host}`,
  (host) => `ht\ntps://${host}`,
  (host) => `/\t/${host}`,
  (host) => `/\r\n/${host}`,
  (host) => `/%09/${host}`,
  (host) => `/fp/..//${host}`,
  (host) => `//${host}/%2f..`,
  (host) => `http://localhost:7370@${host}`,
  (host) => `http://localhost:7370%40${host}`,
  (host) => `http://localhost:7370:x@${host}`,
  (host) => `http://localhost:7370.${host}`,
  (host) => `http://localhost.${host}`,
  (host) => `http://127.0.0.1.${host}`,
  (host) => `http://localhost。${host}`,
  (host) => `http://${host}#@localhost:7370`,
  (host) => `http://${host}?http://localhost:7370/`,
  (host) => `http://${host}\\@localhost:7370`,
  (host) => `//localhost:7370@${host}`,
  (host) => `javascript://localhost:7370/%0alocation='//${host}'`,
  (host) => `javascript://${host}`,
  (host) => `data:text/html;base64,${btoa(host)}`,
  (host) => `blob:https://${host}/x`,
  (host) => `view-source:https://${host}`,
];
const EVIL = ['evil.example', 'evil.example:7370', '169.254.169.254', 'xn--vil-5qa.example'];
const hostile = EVIL.flatMap((host) => TRICKS.map((trick) => trick(host)));

test(`[S11] keeps redirects to ${hostile.length} hostile addresses inside the console, and asks about the actual origin of a hand-off`, () => {
  expect(hostile.length).toBeGreaterThan(80);
  for (const given of hostile) {
    const page = ownPage(given, ORIGIN);
    expect(page, given).toMatch(/^\/(?![/\\])/);
    expect(new URL(page, ORIGIN).origin, given).toBe(ORIGIN);
    const target = handOffTarget(given, ORIGIN);
    if (target === undefined) continue;
    // The origin that the user confirms must be the origin of the actual target.
    expect(new URL(target.href).origin, given).toBe(target.origin);
    expect([target.username, target.password], given).toEqual(['', '']);
  }
});

test.each([
  ['http://2130706433:5173/', 'http://127.0.0.1:5173'],
  ['http://0x7f.1/', 'http://127.0.0.1'],
  ['http://LOCALHOST:5173/', 'http://localhost:5173'],
])('[S11] shows %s to the user as %s', (given, origin) => {
  expect(handOffTarget(given, ORIGIN)?.origin).toBe(origin);
});

test.each([
  ['/fp/cloud/account', '/fp/cloud/account'],
  ['http://localhost:7370/fixpoint/fp/databases?a=1', '/fp/databases?a=1'],
  ['http://localhost:7370/fp/databases', '/fp/cloud'],
  ['http://localhost:7370/fixpoint//evil.example', '/evil.example'],
  ['', '/fp/cloud'],
])('[S11] leads from %j to %s below a path', (given, page) => {
  vi.stubGlobal('document', { documentElement: { dataset: { base: '/fixpoint' } } });
  expect(ownPage(given, ORIGIN)).toBe(page);
});
