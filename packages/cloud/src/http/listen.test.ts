import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from './listen.ts';
import { createRequestEntry } from './request-entry.ts';

const entry = createRequestEntry({
  hops: 0,
  tracing: undefined,
  log: { debug: () => undefined, isLevelEnabled: () => false },
  now: () => 0,
});

test('[R14] keeps idle connections longer than proxies do', async () => {
  const server = await listen('127.0.0.1', 0);
  onTestFinished(() => server.close());
  server.serve({
    entry,
    door: () => false,
    fetch: () => new Response('here'),
    upgrade: () => undefined,
    report: () => undefined,
  });
  const { headers } = await fetch(server.url);
  expect(headers.get('keep-alive')).toBe('timeout=75');
});

test('[R14] reports a failed upgrade, closes only its socket, and serves other requests', async () => {
  const server = await listen('127.0.0.1', 0);
  onTestFinished(() => server.close());
  const reports: unknown[] = [];
  const fault = new Error('in the upgrade');
  const upgrade = () => {
    throw fault;
  };
  server.serve({
    entry,
    door: () => false,
    fetch: () => new Response('here'),
    upgrade,
    report: (error) => reports.push(error),
  });
  const ended = new Promise((resolve) => {
    const asked = request(`${server.url}/ws`, { headers: { connection: 'upgrade', upgrade: 'websocket' } });
    asked.once('error', resolve);
    asked.end();
  });
  expect(await ended).toBeInstanceOf(Error);
  expect(reports).toEqual([fault]);
  expect(await (await fetch(server.url)).text()).toBe('here');
});
