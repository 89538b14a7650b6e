import { describe, expect, test } from 'vitest';
import { httpConnections } from './http-connections.ts';

const CLIENT = { origin: 'https://fixpoint.example', address: '192.0.2.1', capabilities: ['stream'] };
const secret = (text: string) => new TextEncoder().encode(text);
const carrierOf = (text = 'secret') => httpConnections(secret(text))(CLIENT);
const ada = { userId: 'ada', selected: {} };

describe('a connection over HTTP', () => {
  test('reports the origin, address and capabilities of its client', () => {
    expect(carrierOf()).toMatchObject({ kind: 'http', ...CLIENT });
  });

  test('is recognised only by processes with the same secret', () => {
    const conn = carrierOf().open(ada, 'req', undefined);
    expect(conn).toEqual({ reqId: 'req', resId: expect.stringMatching(/^h[\w-]{22}$/) });
    expect(carrierOf().isOpen('ada', conn)).toBe(true);
    expect(carrierOf('other secret').isOpen('ada', conn)).toBe(false);
  });

  test('is open only for its user and with its two ids', () => {
    const carrier = carrierOf();
    const conn = carrier.open(ada, 'req', undefined);
    expect(carrier.isOpen('eve', conn)).toBe(false);
    expect(carrier.isOpen('ada', { ...conn, reqId: 'other' })).toBe(false);
    expect(carrier.isOpen('ada', { ...conn, resId: 'guessed' })).toBe(false);
  });

  test('can be opened again after it was closed', () => {
    const carrier = carrierOf();
    const conn = carrier.open(ada, 'req', undefined);
    carrier.close('ada', conn);
    expect(carrier.isOpen('ada', conn)).toBe(false);
    expect(carrier.open(ada, 'req', undefined)).toEqual(conn);
    expect(carrier.isOpen('ada', conn)).toBe(true);
  });

  test('keeps the id of another server if a returning client sends it', () => {
    const carrier = carrierOf();
    const conn = carrier.open(ada, 'req', 'from elsewhere');
    expect(conn.resId).toBe('from elsewhere');
    expect([carrier.isOpen('ada', conn), carrier.isOpen('eve', conn)]).toEqual([true, false]);
    expect(carrierOf().isOpen('ada', conn)).toBe(false);
    carrier.close('ada', conn);
    expect(carrier.isOpen('ada', conn)).toBe(false);
  });

  test('is dropped if 10,000 newer connections also keep ids of other servers', () => {
    const carrier = carrierOf();
    for (let at = 0; at <= 10_000; at += 1) carrier.open(ada, `r${at}`, 'from elsewhere');
    const isOpen = (at: number) => carrier.isOpen('ada', { reqId: `r${at}`, resId: 'from elsewhere' });
    expect([isOpen(0), isOpen(1), isOpen(10_000)]).toEqual([false, true, true]);
  });

  test.each([
    ['', undefined],
    ['x'.repeat(257), undefined],
    ['req', ''],
    ['req', 'x'.repeat(257)],
  ])('requires ids of 1 to 256 characters', (reqId, resId) => {
    expect(() => carrierOf().open(ada, reqId, resId)).toThrow(/1 to 256 characters/);
  });
});
