import { FixpointError, LIMITS } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { textOf, utf8 } from '../../base/bytes.ts';
import { memoryPlatform } from '../../platform/memory-platform.ts';
import { nodePlatform } from '../../platform/node/node-platform.ts';
import type { Network } from '../../ports/network.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { openHttp } from './polling.ts';
import { tokenSource } from './token-source.ts';

/** A connection to a gateway that answers each request, unless its line is cut. */
async function polled() {
  const time = simulatedTime();
  const state = { isCut: false, polls: 0, closedBy: [] as unknown[] };
  const network: Network = {
    request: async ({ body }) => {
      const { type, tid, conn } = JSON.parse(typeof body === 'string' ? body : textOf(body as Uint8Array));
      if (type === 'bindGetMeta') state.polls += 1;
      if (state.isCut) throw new FixpointError('FETCH', 'the line is cut');
      const head = { tid, version: 'FP-MSG-1.0', conn: { reqId: conn.reqId, resId: 'res' } };
      const answer =
        type === 'reqOpen'
          ? { ...head, type: 'resOpen' }
          : { ...head, type: 'eventGetMeta', meta: { metas: [], keys: [] } };
      return { status: 200, body: utf8(JSON.stringify(answer)) };
    },
    connect: () => Promise.reject(new Error('no socket')),
  };
  const platform = { ...memoryPlatform(nodePlatform('unused')), network, time };
  const url = new URL('http://gateway.test/fp');
  const target = { gateway: url, tenant: 't', ledger: 'l', name: 'n', tokens: tokenSource('token', time) };
  const connection = await openHttp(
    platform,
    target,
    url,
    { reqId: 'req' },
    {
      metas: () => undefined,
      closed: (cause) => void state.closedBy.push(cause),
    },
  );
  return { connection, state, time };
}

test('polls again after each answer, until a poll fails', async () => {
  const { connection, state, time } = await polled();
  await connection.bind({});
  await time.pass(3 * LIMITS.pollIntervalMs + 1);
  expect(state.polls).toBe(4);
  state.isCut = true;
  await time.pass(5 * LIMITS.pollIntervalMs);
  expect(state.polls).toBe(5);
  expect(state.closedBy).toMatchObject([{ code: 'FETCH' }]);
});

test('[R13] closes when a poll out of turn fails, because no other poll would follow', async () => {
  const { connection, state, time } = await polled();
  await connection.bind({});
  state.isCut = true;
  await expect(connection.bind({})).rejects.toMatchObject({ code: 'FETCH' });
  expect(state.closedBy).toMatchObject([{ code: 'FETCH' }]);
  await time.pass(5 * LIMITS.pollIntervalMs);
  expect(state.polls).toBe(2);
});
