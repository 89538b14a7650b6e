import { LIMITS } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { memoryPlatform } from '../../platform/memory-platform.ts';
import { nodePlatform } from '../../platform/node/node-platform.ts';
import type { Network } from '../../ports/network.ts';
import { tokenSource } from './token-source.ts';
import { openWebSocket } from './websocket.ts';

test('closes the socket and fails when a message arrives before the socket is open', async () => {
  let closed = false;
  const network: Network = {
    request: () => Promise.reject(new Error('no request')),
    connect: async (_url, events) => {
      events.message('{"type":"resOpen"}');
      return { send: () => undefined, close: () => (closed = true) };
    },
  };
  const platform = { ...memoryPlatform(nodePlatform('unused')), network };
  const target = {
    gateway: new URL('http://gateway.test/fp'),
    tenant: 't',
    ledger: 'l',
    name: 'n',
    tokens: tokenSource('token', platform.time),
  };
  const events = { metas: () => undefined, closed: () => undefined };
  const opening = openWebSocket(platform, target, new URL('ws://gateway.test/ws'), { reqId: 'r' }, events);
  await expect(opening).rejects.toThrow('Received message before onOpen');
  expect(closed).toBe(true);
});

test.each([
  ['text that is not JSON', '\u0000 garbage', 'DECODE'],
  ['JSON that is not a message', '{"hello":"world"}', 'INVALID_MESSAGE'],
])('reports the reason instead of a timeout when the server sends %s', async (_, frame, code) => {
  const network: Network = {
    request: () => Promise.reject(new Error('no request')),
    connect: async (_url, { message }) => ({
      send: () => setTimeout(() => message(frame)),
      close: () => undefined,
    }),
  };
  const plain = memoryPlatform(nodePlatform('unused'));
  const after = (ms: number, fn: () => void) =>
    ms === LIMITS.messageTimeoutMs ? plain.time.after(50, fn) : () => undefined;
  const platform = { ...plain, network, time: { ...plain.time, after } };
  const target = {
    gateway: new URL('http://gateway.test/fp'),
    tenant: 't',
    ledger: 'l',
    name: 'n',
    tokens: tokenSource('token', plain.time),
  };
  const events = { metas: () => undefined, closed: () => undefined };
  const opening = openWebSocket(platform, target, new URL('ws://gateway.test/ws'), { reqId: 'r' }, events);
  await expect(opening).rejects.toMatchObject({ code });
});
