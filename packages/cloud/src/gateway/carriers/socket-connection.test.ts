import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { carrierOf, createPopulation, newSocket } from './socket-connection.ts';

const client = { origin: 'http://x', address: 'a' };
const by = (userId: string) => ({ userId, selected: {} });

test('[S7] limits the sockets of a user, and allows a new socket when another one closes', () => {
  const population = createPopulation(20);
  const openOne = (userId: string) =>
    carrierOf(newSocket({} as WebSocket), client, population).open(by(userId), 'q', undefined);
  for (let index = 0; index < 20; index += 1) openOne('ada');
  expect(() => openOne('ada')).toThrow('too many requests');
  expect(openOne('eve')).toMatchObject({ reqId: 'q' });
  population.remove('ada');
  expect(openOne('ada')).toMatchObject({ reqId: 'q' });
});

test('[S7] limits a socket to 100 connections, and the length of ids', () => {
  const carrier = carrierOf(newSocket({} as WebSocket), client, createPopulation(1));
  for (let index = 0; index < 100; index += 1) carrier.open(by('ada'), `q${index}`, undefined);
  expect(() => carrier.open(by('ada'), 'more', undefined)).toThrow('limit reached: 100 connections');
  const other = carrierOf(newSocket({} as WebSocket), client, createPopulation(1));
  for (const id of ['', 'x'.repeat(257)]) {
    expect(() => other.open(by('ada'), id, undefined)).toThrow('request is not valid');
    expect(() => other.open(by('ada'), 'q', id)).toThrow('request is not valid');
  }
});

test('[S1] treats a connection as open only for its user, and only until that user closes it', () => {
  const carrier = carrierOf(newSocket({} as WebSocket), client, createPopulation(1));
  const conn = carrier.open(by('ada'), 'q', undefined);
  expect(carrier.isOpen('ada', conn)).toBe(true);
  expect(carrier.isOpen('eve', conn)).toBe(false);
  carrier.close('eve', conn);
  expect(carrier.isOpen('ada', conn)).toBe(true);
  carrier.close('ada', conn);
  expect(carrier.isOpen('ada', conn)).toBe(false);
});
