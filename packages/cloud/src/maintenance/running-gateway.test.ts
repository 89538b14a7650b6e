import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../admin/admin.fixture.ts';
import { listGateways } from '../tables/operators/gateway-rows.ts';
import { createTraffic, trafficOf } from '../tables/operators/traffic.ts';
import { reportGateway } from './running-gateway.ts';

test('reports this process with its connections and traffic until it stops', async () => {
  const db = await openTestDatabase();
  const now = () => Date.parse('2026-11-20T12:00:00Z');
  const traffic = createTraffic(db, now);
  const reports: unknown[] = [];
  const report = (error: unknown) => void reports.push(error);
  const parts = { db, version: '1', traffic, sockets: () => 7, now, report };
  const own = reportGateway({ ...parts, url: 'http://0.0.0.0:7370' });
  await own.sweep();
  const url = `http://${hostname().toLowerCase()}:7370`;
  expect(await listGateways(db, now())).toMatchObject([{ url, version: '1', sockets: 7 }]);
  traffic.add('t', 'down', 5);
  await own.stop();
  expect(await listGateways(db, now())).toEqual([]);
  expect((await trafficOf(db, ['t'], '2026')).get('t')).toMatchObject([{ downloaded: 5 }]);
  expect(reports).toEqual([]);
});
