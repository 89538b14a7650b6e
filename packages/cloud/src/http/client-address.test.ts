import { expect, test } from 'vitest';
import { cameThroughProxies, clientAddress, hostAskedFor } from './client-address.ts';

const asked = (forwarded?: string) => ({
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  socket: { remoteAddress: '10.0.0.1' },
});

test('[S7] ignores X-Forwarded-For when no proxy is trusted', () => {
  expect(clientAddress(asked('1.1.1.1'), 0)).toBe('10.0.0.1');
});

test('[S7] uses the address that the outermost proxy saw, whatever the client claims', () => {
  expect(clientAddress(asked('6.6.6.6, 7.7.7.7, 1.1.1.1'), 1)).toBe('1.1.1.1');
  expect(clientAddress(asked('6.6.6.6,1.1.1.1,10.0.0.2'), 2)).toBe('1.1.1.1');
});

test("uses the connection's address for a request that bypassed the proxy", () => {
  expect(clientAddress(asked(), 1)).toBe('10.0.0.1');
  expect(clientAddress(asked('1.1.1.1'), 2)).toBe('10.0.0.1');
});

test.each<[string | undefined, number, boolean]>([
  ['1.1.1.1', 0, false],
  ['1.1.1.1', 1, true],
  [undefined, 1, false],
  ['', 1, false],
  [' , ', 1, false],
  ['1.1.1.1', 2, false],
  ['1.1.1.1,', 2, false],
  ['1.1.1.1, 10.0.0.2', 2, true],
  ['6.6.6.6, 1.1.1.1, 10.0.0.2', 2, true],
])('[S7] trusts a request with the addresses %j behind %i proxies: %s', (forwarded, hops, isTrusted) => {
  expect(cameThroughProxies(asked(forwarded), hops)).toBe(isTrusted);
});

test('uses the host of the request, or the host that the outermost proxy reports', () => {
  const to = (headers: Record<string, string>, hops: number) =>
    hostAskedFor({ headers: { host: 'inner:7370', ...headers } }, hops);
  const forwarded = { 'x-forwarded-host': 'cloud.example', 'x-forwarded-proto': 'https' };
  expect(to(forwarded, 0)).toBe('inner:7370');
  expect(to(forwarded, 1)).toBe('https://cloud.example');
  expect(to(forwarded, 2)).toBe('https://cloud.example');
  expect(to({}, 1)).toBe('inner:7370');
  expect(to({ 'x-forwarded-proto': 'https' }, 1)).toBe('https://inner:7370');
  expect(to({ 'x-forwarded-host': 'cloud.example', 'x-forwarded-proto': 'http' }, 1)).toBe('cloud.example');
  const list = { 'x-forwarded-host': 'evil.example, cloud.example', 'x-forwarded-proto': 'http, https' };
  expect(to(list, 1)).toBe('https://cloud.example');
  expect(to({ 'x-forwarded-proto': 'javascript' }, 1)).toBe('inner:7370');
});
