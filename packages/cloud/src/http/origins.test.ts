import { describe, expect, test } from 'vitest';
import { long } from '../../../engine/tests/budget.fixture.ts';
import { createOrigins } from './origins.ts';

const own = 'http://localhost:7370';
const open = createOrigins({ publicUrl: undefined, ownUrl: own, allowed: undefined });
const strict = createOrigins({
  publicUrl: 'https://cloud.example',
  ownUrl: own,
  allowed: ['https://app.example'],
});

describe('origins', () => {
  test('returns addresses with the host that the client used, or with the public host', () => {
    expect(open.of('192.168.1.2:7370')).toBe('http://192.168.1.2:7370');
    expect(open.of('[::1]:7370')).toBe('http://[::1]:7370');
    expect(open.of('LocalHost:7370')).toBe(own);
    for (const host of [undefined, '', 'a b', 'host/path', 'user@host', 'host:port', 'host\r\nx: y'])
      expect(open.of(host)).toBe(own);
    expect(strict.of('whatever.example')).toBe('https://cloud.example');
    expect(open.of('https://Cloud.example')).toBe('https://cloud.example');
    expect(open.of('https://cloud.example:8443')).toBe('https://cloud.example:8443');
    for (const host of ['host:99999', '[::::]', '999.1.1.1', 'https://1.2.3.4.5'])
      expect(open.of(host)).toBe(own);
    for (const host of ['ftp://host', 'https://', 'https://user@host', 'https://https://host'])
      expect(open.of(host)).toBe(own);
  });

  test('knows the origins of its own pages, with all names of a server on this machine', () => {
    const of = (publicUrl: string | undefined, ownUrl: string) =>
      createOrigins({ publicUrl, ownUrl, allowed: ['https://app.example'] }).own;
    const local = ['http://localhost:7370', 'http://127.0.0.1:7370', 'http://[::1]:7370'];
    expect(of(undefined, 'http://localhost:7370')).toEqual(local);
    expect(of('https://cloud.example', 'http://0.0.0.0:7370')).toEqual([
      'https://cloud.example',
      'http://0.0.0.0:7370',
      ...local,
    ]);
    expect(of('https://cloud.example', 'http://10.0.0.1:80')).toEqual([
      'https://cloud.example',
      'http://10.0.0.1',
    ]);
  });

  test('[S7][R20] rejects invalid origins without failing, however often they are sent', long, () => {
    const odd = 'https://note\u00d7\u009e.example';
    let connected = 0;
    for (let times = 0; times < 100_000; times += 1)
      if (open.mayConnect(times % 2 === 0 ? odd : `${odd}:${times % 7}`, 'localhost:7370')) connected += 1;
    expect(connected).toBe(0);
    expect(open.mayConnect('http://127.0.0.1:5173', 'localhost:7370')).toBe(true);
    expect(open.mayConnect('http://127.0.0.1:5173/', 'localhost:7370')).toBe(false);
  });

  test("[S13] opens the admin API to the server's own origin and the configured ones", () => {
    expect(open.isTrusted(own, 'localhost:7370')).toBe(true);
    expect(open.isTrusted('http://192.168.1.2:7370', '192.168.1.2:7370')).toBe(true);
    expect(strict.isTrusted('https://app.example', undefined)).toBe(true);
    for (const origin of ['https://evil.example', 'null', 'http://localhost:5173', `${own}.evil.example`])
      expect(open.isTrusted(origin, 'localhost:7370')).toBe(false);
    expect(strict.isTrusted('http://app.example', undefined)).toBe(false);
  });

  test("[S13] opens websockets to trusted origins, and to exact origins of the user's machine", () => {
    for (const origin of [
      'http://localhost:5173',
      'https://127.0.0.1',
      'http://[::1]:1',
      'https://app.example',
    ])
      expect(strict.mayConnect(origin, undefined), origin).toBe(true);
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'http://evil.example@localhost',
      'http://localhost:5173/',
      'HTTP://localhost',
      'file://localhost',
    ])
      expect(strict.mayConnect(origin, undefined), origin).toBe(false);
  });

  test('[S12] lets apps of any origin, or of configured origins, use the gateway without cookies', () => {
    expect(open.cors('https://any.example', undefined)).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(strict.cors('https://app.example', undefined)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      vary: 'Origin',
    });
    expect(strict.cors('https://any.example', undefined)).not.toHaveProperty('access-control-allow-origin');
    for (const headers of [
      open.cors('https://a.example', undefined),
      strict.cors('https://app.example', undefined),
    ])
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });
});
