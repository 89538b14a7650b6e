import { expect, test } from 'vitest';
import { openTestDatabase } from '../../admin/admin.fixture.ts';
import { timestamp } from '../new-row.ts';
import { listGateways, putGateway, removeGateway } from './gateway-rows.ts';

test('lists gateways that were seen lately, and forgets those that ended', async () => {
  const db = await openTestDatabase();
  const start = Date.parse('2026-11-20T12:00:00Z');
  const row = (gatewayId: string, seenMs: number, sockets = 0) => ({
    ...{ gatewayId, url: 'http://host:7370', version: '1', sockets },
    startedAt: timestamp(start),
    seenAt: timestamp(start + seenMs),
  });
  await putGateway(db, row('a', 0));
  await putGateway(db, row('b', 0));
  await putGateway(db, row('b', 50_000, 3));
  const ids = async (afterMs: number) =>
    (await listGateways(db, start + afterMs)).map((one) => one.gatewayId);
  expect([await ids(60_000), await ids(60_001)]).toEqual([['a', 'b'], ['b']]);
  await putGateway(db, row('b', 70_000));
  expect(await ids(0)).toEqual(['b']);
  await removeGateway(db, 'b');
  expect(await ids(0)).toEqual([]);
});
