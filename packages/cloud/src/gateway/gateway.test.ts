import { FixpointError } from '@fixpoint/protocol';
import { requestMessage } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import type { Carrier } from './carriers/carrier.ts';
import { createGateway, Unreadable } from './gateway.ts';
import type { GatewayParts } from './gateway-types.ts';

test('[S7] counts an invalid message against the limit of the address', async () => {
  const taken: string[] = [];
  const take = (who: string) => {
    taken.push(who);
    return 0;
  };
  const ofAddress = { take, giveBack: () => undefined };
  const watch = { answered: () => undefined };
  const gateway = createGateway({ limits: { ofAddress }, watch, now: () => 0 } as unknown as GatewayParts);
  const carrier = { kind: 'socket', address: '192.0.2.1' } as Carrier;
  const cause = new FixpointError('REQUEST_INVALID', 'not JSON');
  expect((await gateway(new Unreadable(cause), carrier)).answer).toMatchObject({
    type: 'error',
    code: 'REQUEST_INVALID',
    message: cause.message,
  });
  expect((await gateway(null, carrier)).answer).toMatchObject({ code: 'REQUEST_INVALID' });
  expect(taken).toEqual(['192.0.2.1', '192.0.2.1']);
});

test('counts answered requests as usage of the tenant, by the message or by the token, and no others', async () => {
  const counted: string[] = [];
  const ample = { take: () => 0, giveBack: () => undefined };
  const claims = {
    userId: 'u1',
    tenants: [{ id: 't1', role: 'admin' }],
    ledgers: [{ id: 'l1', role: 'admin', right: 'write' }],
    selected: { tenant: 't1', ledger: 'l1' },
    expiresAtMs: 1,
  };
  const rights = { access: 'write' };
  const gateway = createGateway({
    limits: { ofAddress: ample, ofUser: ample },
    watch: { answered: () => undefined },
    now: () => 0,
    tokens: { verify: async () => claims },
    rights: { accessTo: async () => rights.access },
    objects: { sign: () => 'https://example.com/object' },
    traffic: { count: (tenantId: string) => void counted.push(tenantId) },
    endpoints: { http: ['/fp'], socket: ['/ws'] },
  } as unknown as GatewayParts);
  const carrier = { kind: 'http', address: '192.0.2.1', origin: 'https://example.com', isOpen: () => true };
  const conn = { reqId: 'r1', resId: 'r2' };
  const params = { methodParam: { method: 'PUT', store: 'car' }, urlParam: { key: 'k', store: 'car' } };
  const send = async (type: 'reqPutData' | 'reqGestalt', more: object) => {
    const message = { ...requestMessage(type, 'z1', 'token', {}), ...more };
    return (await gateway(message, carrier as unknown as Carrier)).answer.type;
  };
  const about = (tenant?: string) => ({
    ...params,
    conn,
    ...(tenant && { tenant: { tenant, ledger: 'l1' } }),
  });
  expect(await send('reqPutData', about('t1'))).toBe('resPutData');
  expect(await send('reqPutData', about())).toBe('resPutData');
  expect(await send('reqPutData', about('foreign'))).toBe('error');
  rights.access = 'none';
  expect(await send('reqPutData', about('t1'))).toBe('error');
  await send('reqGestalt', {});
  expect(counted).toEqual(['t1', 't1']);
});
