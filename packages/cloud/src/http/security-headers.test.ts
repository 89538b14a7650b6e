import { describe, expect, test } from 'vitest';
import { securityHeaders } from './security-headers.ts';

const BASE = 'https://fixpoint.example/notes';
const policyOf = (path: string, headers = securityHeaders(undefined, []), wasm: readonly string[] = []) =>
  Object.fromEntries(
    (headers.ofFile(path, BASE, wasm)['content-security-policy'] ?? '').split('; ').map((each) => {
      const [name = '', ...values] = each.split(' ');
      return [name, values.join(' ')];
    }),
  );

describe('security headers', () => {
  test("[S12] sends answers that aren't pages with a policy that allows nothing", () => {
    expect(securityHeaders(undefined, []).ofAnswer).toMatchObject({
      'content-security-policy':
        "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  test('sends HSTS only if the public address uses https', () => {
    const hstsOf = (url: string | undefined) =>
      securityHeaders(url, []).ofAnswer['strict-transport-security'];
    expect(hstsOf('https://fixpoint.example')).toBe('max-age=31536000; includeSubDomains');
    expect([hstsOf('http://localhost:7370'), hstsOf(undefined)]).toEqual([undefined, undefined]);
  });
});

describe('the policy of a page', () => {
  test('allows scripts and styles only from its own files', () => {
    expect(policyOf('index.html')).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self' 'wasm-unsafe-eval'",
      'style-src': "'self'",
      'frame-ancestors': "'none'",
    });
  });

  test('allows connections to its server, other stores, and the sign-in provider', () => {
    const headers = securityHeaders(undefined, ['https://store.example'], ['https://id.example']);
    expect(policyOf('index.html', headers)).toMatchObject({
      'connect-src':
        "'self' wss://fixpoint.example https://store.example wss://store.example https://id.example",
      'script-src': "'self' 'wasm-unsafe-eval' https://id.example",
    });
  });

  test('lets the worker of the engine connect to any server, and not the page', () => {
    const policy = policyOf('assets/engine-worker-1.js');
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self' 'wasm-unsafe-eval'",
      'connect-src': "'self' http: https: ws: wss:",
    });
    expect(policyOf('assets/index-1.js')['connect-src']).toBe("'self' wss://fixpoint.example");
  });

  test('lets the worker of map functions fetch its WebAssembly files, and nothing else', () => {
    const headers = securityHeaders(undefined, ['https://store.example'], ['https://id.example']);
    expect(policyOf('assets/map-worker-1.js', headers, ['/a.wasm', '/b.wasm'])).toMatchObject({
      'connect-src': `${BASE}/a.wasm ${BASE}/b.wasm`,
      'script-src': "'self' 'wasm-unsafe-eval'",
    });
    expect(policyOf('assets/map-worker-1.js', headers)['connect-src']).toBe("'none'");
  });
});
