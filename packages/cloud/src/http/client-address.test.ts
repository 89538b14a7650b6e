import { expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';

const asked = (forwarded?: string) => ({
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  socket: { remoteAddress: '10.0.0.1' },
});

test('[S7] without a proxy no header says where a request is from', () => {
  expect(clientAddress(asked('1.1.1.1'), 0)).toBe('10.0.0.1');
});

test('[S7] behind proxies what the outermost of them saw counts, whatever the client says', () => {
  expect(clientAddress(asked('6.6.6.6, 7.7.7.7, 1.1.1.1'), 1)).toBe('1.1.1.1');
  expect(clientAddress(asked('6.6.6.6,1.1.1.1,10.0.0.2'), 2)).toBe('1.1.1.1');
});

test('a request that came past the proxy counts by its connection', () => {
  expect(clientAddress(asked(), 1)).toBe('10.0.0.1');
  expect(clientAddress(asked('1.1.1.1'), 2)).toBe('10.0.0.1');
});
