import { FixpointError } from '@fixpoint/protocol';
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
